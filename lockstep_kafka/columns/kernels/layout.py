"""What the kernels and Python agree on: the words of each kind of row, and why a kernel stops.

Tables are arrays of signed 64-bit words. A row is named by the place of its first word, so that
`sessions[session + SESSION.epoch]` is a field of it. Row 0 is not used: 0 says that there is none.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Final

NOT_GIVEN: Final = -(2**63)
"""In place of a number that a line does not give, such as its time."""


def words(names: str) -> Any:
    """The words of a row: a named tuple of the place of each name, and `size`, their count."""
    fields = (*names.split(), "size")
    return namedtuple("Words", fields)(*range(len(fields)))


# Why a kernel stops.
DONE: Final = 0
ODD_LINE: Final = 1
"""The line is not written as Kafka writes it: Python reads it."""
ODD_STEP: Final = 2
"""Python judges the row `stopped_at`."""
NEW_CASE: Final = 3
"""The model has not been asked about `case` yet."""
NO_CONNECTION: Final = 4
"""The connection `stopped_at` is not in its table, but may be in Python."""
NO_LOG: Final = 5
"""The partition `stopped_at` has no row yet for what is answered of it."""
REPEATED: Final = 6
LATE: Final = 7
"""The row `stopped_at` is not used."""
NO_ROOM: Final = 8
"""A table has no room for what the next line may need."""
ANOTHER_BROKER: Final = 9
"""The line is of the connection `stopped_at`, which is one of another broker."""
DISORDER: Final = 10
"""The row `stopped_at` is the first to show that its file is not in the order of its writing."""

NO_ORDER_FILE: Final = 0
"""The number of `NO_ORDER`, in place of a file that is not in order."""

FETCH: Final = 1
OTHER: Final = 2
ODD_FOLLOWED: Final = 3
"""Kinds of lines. Of an odd Fetch, and of a request of the metadata quorum, Python has the line."""

A_FETCH: Final = 0
ANOTHER_REQUEST: Final = -2
"""What is noted of a connection for each of its lines."""

CLOCK: Final = 0
AHEAD: Final = 1
PASSED: Final = 2
"""Places in the table `clocks`."""

ROW = words(
    "place kind line file time total version correlation client connection replica session epoch "
    "max_wait min_bytes error response_session throttle isolation fingerprint moved position next "
    "steps api software_name software_version asked forgotten answered"
)
"""A line; what it says of partitions follows. `asked` and so on count those. `total` is a double;
`steps` is the correlation id, counted on where ids wrap. `place` is the kernels' own."""

ASKED = words("partition offset log_start max_bytes leader_epoch last_fetched")
ANSWERED = words("partition error high_watermark stable log_start records_size preferred hint")
"""What a line asks, and what it is answered, of a partition. `hint` is 1 for a diverging epoch;
`records_size` is -1 where the log does not say it."""

TEXT = words("hash start length")
PARTITION = words("topic index")
MARK = words("asked answered asked_at answered_at forgotten named")
"""The last line that names a partition so, by a number of its own, and where."""

REMEMBERED = words("connection correlation fingerprint next")

CONNECTION = words(
    "name newest given_out given_fingerprint first_waiting last_waiting is_ordered next_ordered "
    "is_here is_odd is_foreign used correlation position time file others last_other others_count "
    "session epoch former is_whole uses_ids since_file since_line completion wanted "
    "settled is_changed has_outside judged last_line last_file last_time last_version"
)
"""A connection: what orders its requests, what is known of it, and its fetcher.

`wanted` is the first of what the fetcher fetches.
`settled` is the session that the fetcher is known to hold. `is_odd` says that Python judges it,
`is_foreign` that nobody does here.
What follows `has_outside` is of the finding on its requests outside of any session.
"""

OTHER_REQUEST = words("link position time")
"""A request of another API, of which many are kept. The upper half of `link` is its correlation id,
the lower one the next of its connection. The lowest `FILE_BITS` of `time` are its file; what is
above them is `NO_TIME` where it has none."""

HALF_OF_THE_IDS: Final = 2**31
LOWER_HALF: Final = 2**32 - 1
FILE_BITS: Final = 15
FILES: Final = 1 << FILE_BITS
NO_TIME: Final = NOT_GIVEN >> FILE_BITS

SESSION = words(
    "number is_here is_odd client used is_whole epoch since_file since_line last_connection "
    "last_position last_time last_file members held "
    "readable last_readable lagging last_lagging "
    "judged partial last_line last_line_file last_line_time last_version longest longest_at"
)
"""A session. `client` is the one that brings it, or negative where several do. `longest`, a double,
is how long the longest request took since it is here."""

HELD = words(
    "owner partition next_in_table next previous is_member "
    "has_interest offset log_start max_bytes leader_epoch last_fetched "
    "high_watermark reported_log_start stable reported_epoch "
    "is_readable next_readable previous_readable is_lagging next_lagging previous_lagging "
    "is_up next_up previous_up"
)
"""What a session has of a partition, or a fetcher. The owner is the place of a session, or the
negative place of a connection."""

TELLING = words("position time high_watermark log_start")
MOST_TELLINGS: Final = 64
LOG = words("exists leader_epoch file count up tellings")
LOG_SIZE: Final[int] = LOG.tellings + TELLING.size * (MOST_TELLINGS + 1)
"""What was answered of a partition; `up` is the first of those that are up to date in it."""

IS_LATEST: Final = 1
IS_LATER: Final = 2
"""What comes of an answer that is kept: its watermark is the latest one, later than all before."""

COUNT = words("client version hour lines partial")
"""Lines that were judged without a remark."""

NAMED = words(
    "partition held asked answered has_data forgotten membership is_requested high_watermark "
    "log_start leader_epoch"
)
"""A partition that is judged."""

CASE = words(
    "key row is_replica membership is_forgotten others is_answered has_data has_records "
    "offset high_watermark log_start requested least_high_watermark least_log_start "
    "answered_high_watermark answered_log_start"
)
"""A `LeaderCase`, as it is put to the model."""

EXPLAINED: Final = 1 << 12
"""The bit of an answer of the model that some behaviour explains the case."""

ENTRY = words(
    "partition is_member has_interest offset log_start max_bytes leader_epoch last_fetched "
    "high_watermark reported_log_start stable reported_epoch"
)
"""What Python and the kernels exchange of a `HELD`: its words from `is_member` on."""

SERVED = words("full sessionless incremental throttled")
"""How requests of a kind are served that are answered without an error: a place among those of
`Row`, or -1 where the model explains none. A full one has the negative of its epoch."""

COMMANDS = words(
    "run hold_all hash_held take_entries count_of list_all listed watch_all leave_all "
    "least_reported keep_reported others_of put_others drop_others put_case put_session "
    "name_connection new_row free_row number_partition remember"
)
"""What the kernel is asked to do."""

MEMORY = words(
    # What is asked for, and why it stopped.
    "command owner first count ends flag number partition outcome stopped_at "
    # Reading.
    "text at end line file first_position line_end is_full keys key_text required "
    "required_of_others marker marker_length crc empty_text fields stack scratch_room "
    "asked asked_count forgotten forgotten_count answered answered_count "
    "names names_end names_room texts texts_count texts_room text_table text_mask "
    "partitions partitions_count partitions_room partition_table partition_mask marks mark "
    "rows rows_end rows_room free_rows "
    # Order.
    "entering current is_over clocks window lines_behind lines_of_another_clock held held_at_most "
    "arrivals positions waits waiting remembered remembered_count remembered_first "
    "remembered_mask remembered_places remembered_room remembered_table remembered_times "
    "ordered ordered_at_most first_ordered last_ordered "
    "read_file newest_time unordered unordered_before "
    # Following.
    "connections connections_end connections_room connection_of others others_end others_room "
    "first_other sessions sessions_end sessions_room sessions_count session_table session_mask "
    "held_rows held_end held_room held_free first_free held_table held_mask logs log_of "
    "heads listings case case_keys case_outcomes case_mask cases numbers named named_count "
    "named_room counts counts_count counts_room last_count buffer "
    "seen_position seen_time seen_file filled is_replica is_full_request members absence served "
    "judged followed other_requests prefix prefix_length "
    # Who meets whom: pairs of a connection and what a line of it names.
    "is_scouting edges edges_end edges_room"
)
"""What the kernel is given: numbers, and tables by their addresses."""
