"""`lockstep explore`: a page on this machine to walk a model by hand."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Thread

from lockstep.verbs.option import json_option, option
from lockstep.verbs.requests import ExploreRequest


@dataclass(frozen=True)
class ExploreView:
    """How the page is served."""

    port: int = option(
        "--port",
        default=0,
        least=0,
        most=65_535,
        metavar="N",
        help="The port to serve on; 0 takes one that is free.",
    )
    opens: bool = option("--open", default=False, help="Open the page in a browser.")
    json: bool = json_option()


def explore(request: ExploreRequest, view: ExploreView) -> int:
    """Walk a model by hand: serve a page on this machine, and print its address.

    The page shows what can be done in a state and what holds there; it takes steps and takes them
    back. It is served to this machine alone, until Ctrl-C.

    Exit codes: 2 the input cannot be used, 130 interrupted, as by Ctrl-C.
    """
    from lockstep.report.json import document
    from lockstep.report.output import Output
    from lockstep.serve.explorer import Explorer
    from lockstep.serve.server import ExploreServer
    from lockstep.verbs.explore import explore as load

    output, explored = Output(), load(request)
    with ExploreServer(Explorer(explored), view.port) as server:
        if view.json:
            row = {"model": request.model, "scope": explored.scope.name, "url": server.url}
            output.json(document([row], {}))
        else:
            output.line(server.url)
        if view.opens:
            # A browser of the terminal ends when its reader does: the page is served meanwhile.
            Thread(target=_open, args=(server.url,), daemon=True).start()
        server.serve_forever()
    return 0


def _open(url: str) -> None:
    import webbrowser

    from lockstep.system.standard_streams import tell

    if not webbrowser.open(url):
        tell("lockstep: there is no browser to open the page in")
