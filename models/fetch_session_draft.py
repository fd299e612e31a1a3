"""KIP-227's earlier draft: sequence numbers, dirty partitions, and requests that are sent again.

A fetch session has a sequence number, that of the last request served in it. The next number says
that the response before it arrived. The same number again says that it may not have: the fetcher
repeats its request, and the leader answers with all partitions that have become dirty since the
number before. Full requests and incremental ones differ in a type, and a response says by a flag
whether incremental requests are allowed.

The accepted design is fetch_session, whose logs, partitions and network these are. The draft's
cache is that of session_cache, and how it rotates partitions is the proposal rotation_by_number of
fetch_response. What the draft leaves open is decided in specs/kip_227_draft.toml.
"""

from models.fetch_session_draft_state import FetchSessionDraft

# The leader's logs change.
from models.fetch_session_draft_leader import append, advance_high_watermark, advance_log_start

# A fetcher sends a request.
from models.fetch_session_draft_fetcher import send_full, send_incremental

# The leader serves a request.
from models.fetch_session_draft_leader import (
    serve_full_creating,
    serve_full_declining,
    serve_full_altering,
    serve_incremental,
    serve_repeated,
    serve_invalid,
    serve_denied,
)

# The leader forgets a session.
from models.fetch_session_draft_leader import evict

# A fetcher handles a response.
from models.fetch_session_draft_fetcher import (
    receive_full,
    receive_incremental,
    receive_last,
    receive_error,
)

# What disturbs a fetcher.
from models.fetch_session_draft_fetcher import retransmit, restart_fetcher, lose_stray
