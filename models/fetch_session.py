"""KIP-227 incremental fetch sessions: any number of fetchers against one leader.

A fetcher has at most one request under way. The network may lose it, deliver a copy of it, or
delay it past the moment when the fetcher gave up waiting and connected again: such a `stray`
request still reaches the leader, but nobody reads its response. The leader may forget any session
at any time. Every action of the leader is one outcome of one row of the request table.

Two assumptions about a real network, both needed because a scope has few ids and epochs: a stray
is gone before its epoch comes round again (`outlives`), and an id is not drawn again while
anything still mentions it (`is_unused`). See 227-D38 in `specs/`, where Apache Kafka departs from
the KIP's text or settles what it leaves open.

The actions, in the order of a request's way: those of the logs, of the leader and of the fetchers
are files of their own.
"""

from models.fetch_session_state import FetchSession

# The leader's logs change.
from models.fetch_session_logs import (
    append,
    advance_high_watermark,
    advance_log_start,
    fail_partition,
    recover_partition,
)

# A fetcher sends a request.
from models.fetch_session_fetcher import (
    send_sessionless,
    send_full,
    send_incremental,
    send_replacing,
    send_close,
)

# The leader serves a request.
from models.fetch_session_leader import (
    serve_sessionless,
    serve_full_creating,
    serve_full_without_session,
    serve_incremental,
    serve_incremental_throttled,
    serve_incremental_emptying,
    serve_unknown_session,
    serve_wrong_epoch,
    serve_topic_id_error,
)

# The leader forgets sessions.
from models.fetch_session_leader import evict, restart_broker

# A fetcher handles a response.
from models.fetch_session_fetcher import (
    receive_full,
    receive_sessionless,
    receive_incremental,
    receive_session_closed,
    receive_unknown_session,
    receive_wrong_epoch,
)

# What disturbs a fetcher.
from models.fetch_session_fetcher import (
    disconnect,
    restart_fetcher,
    begin_again,
    duplicate,
    lose_stray,
)
