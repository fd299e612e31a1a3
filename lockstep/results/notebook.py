"""Results that show themselves in a notebook."""

from __future__ import annotations

from importlib import import_module

_SHOWN_BY = "lockstep.report.notebook"
"""Floors above this one, so it is named and loaded only when a notebook asks."""


class ShownInNotebooks:
    """A result that Jupyter, and what asks as it does, shows as HTML."""

    def _repr_html_(self) -> str:
        """The result as a piece of HTML that needs no network and no script."""
        html: str = import_module(_SHOWN_BY).html_of(self)
        return html
