"""What must hold of the earlier draft of KIP-227."""

from lockstep import invariant
from models.fetch_session_draft_state import FetchSessionDraft
from models.fetch_session_state import Fetcher


@invariant
def waits_for_something(s: FetchSessionDraft, f: Fetcher):
    return (s.unanswered[f] is not None) == (s.request[f] is not None or s.response[f] is not None)
