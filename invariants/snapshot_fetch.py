"""What must hold of snapshots that are fetched: all that `check` asks of the model. Ids such as
630-14 are rows of specs/kip_630.toml, 595-22 one of specs/kip_595.toml."""

# Leaders, logs and snapshots.
from invariants.snapshot_fetch_replication import (
    snapshots_are_whole_and_committed,
    log_and_snapshots_agree,
    log_start_is_covered_by_a_snapshot,
    snapshots_lie_between_log_start_and_high_watermark,
    generated_snapshots_end_after_the_latest,
    snapshots_go_only_below_the_log_start,
    leader_starts_its_log_where_a_snapshot_ends,
    leader_drops_what_others_have_or_what_is_old,
    follower_starts_its_log_no_later_than_leader_or_snapshot,
    cleaned_log_starts_where_its_first_snapshot_ends,
    cleaning_deletes_one_snapshot,
    epochs_never_go_back,
    a_lost_disk_leaves_nothing,
    an_office_ends_by_a_newer_epoch_or_a_failure,
    leaders_are_voted_for,
    leader_only_appends,
    leader_loads_no_snapshot,
    fetches_are_answered_by_leaders,
    only_what_diverges_is_truncated,
    only_what_agrees_counts,
    what_leaders_committed_is_reported_to_followers,
    leaders_commit_up_to_a_record_of_their_epoch,
    a_leader_commits_what_a_majority_fetched,
    a_majority_has_what_is_committed,
    newest_leader_has_every_committed_record,
    what_lies_below_the_high_watermark_is_committed,
    high_watermark_never_moves_back,
    high_watermark_lies_within_the_log,
    logs_agree,
)

# Downloads.
from invariants.snapshot_fetch_download import (
    named_snapshot_exists,
    snapshot_is_named_only_if_the_log_cannot_serve,
    what_counts_is_answered_with_the_next_record,
    only_what_finds_nothing_new_waits,
    nothing_is_fetched_during_a_download,
    chunks_are_of_the_snapshot_asked_for,
    errors_say_what_is_wrong,
    bytes_are_of_the_leader_asked,
    fenced_replica_takes_the_newer_epoch,
    every_byte_counts_once,
    log_gives_way_to_what_was_fetched,
    a_request_has_one_answer,
    responses_keep_within_max_bytes,
    an_error_ends_the_download,
    a_download_changes_only_by_its_response,
    a_response_that_is_read_stays_only_as_a_copy,
)

# Nobody is left behind.
from invariants.snapshot_fetch_progress import (
    lagging_replica_catches_up,
    followers_learn_the_high_watermark,
    a_follower_does_not_know_what_is_committed,
    all_followers_know_what_is_committed,
    every_request_is_answered,
    a_fetch_that_waits_where_nobody_leads_is_refused,
    what_all_live_replicas_have_goes,
    old_snapshots_go_though_live_replicas_lack_them,
    what_all_live_replicas_have_goes_at_once,
    a_snapshot_is_fetched_and_loaded,
    a_response_arrives_again,
)
