"""`lockstep simulate`: logs of a running system, written from the model."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.option import json_option, option
from lockstep_kafka.verbs.simulate_request import SimulateRequest


@dataclass(frozen=True)
class SimulateView:
    """What `simulate` prints."""

    list_kinds: bool = option(
        "--list-kinds",
        default=False,
        help="Print the kinds of departures, and what each breaks; write nothing.",
    )
    json: bool = json_option()


def simulate(request: SimulateRequest, view: SimulateView) -> int:
    """Write request logs of any size, as brokers write them, from behaviours of the model.

    Without departures every session of the logs conforms. Which departures are seeded, and where,
    is in OUT/broker-N.departures.jsonl.

    Exit codes: 0 the logs are written, 2 they cannot be, 130 interrupted.
    """
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep_kafka.report.simulate_text import (
        kinds_json,
        print_kinds,
        print_simulated,
        simulated_json,
    )
    from lockstep_kafka.verbs.simulate import departure_kinds
    from lockstep_kafka.verbs.simulate import simulate as run

    output = Output()
    if view.list_kinds:
        kinds = departure_kinds(request.model, request.workspace)
        output.json(kinds_json(kinds)) if view.json else print_kinds(output, kinds)
        return 0
    result = run(request, watch=TerminalWatch())
    output.json(simulated_json(result)) if view.json else print_simulated(output, result)
    return result.exit_code
