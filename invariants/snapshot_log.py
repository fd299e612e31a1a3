"""What must hold of one replica's log and snapshots (KIP-630): all that `check` asks."""

# A process that runs.
from invariants.snapshot_log_running import (
    snapshots_never_pass_the_high_watermark,
    snapshot_is_the_log_that_it_replaces,
    generates_only_past_both_thresholds,
    a_replica_writes_a_snapshot_of_its_own,
    what_is_committed_becomes_known,
    a_snapshot_that_is_due_is_begun,
    an_overtaken_snapshot_is_given_up,
    a_newer_snapshot_replaces_the_log_at_last,
    log_above_zero_has_a_snapshot,
    log_starts_where_a_snapshot_ends,
    deletes_only_below_log_start,
    no_snapshot_arrives_below_log_start,
    newer_snapshot_replaces_the_log,
    reset_comes_to_an_end,
    offsets_are_in_order,
    offsets_never_move_back,
    state_is_what_was_committed,
    a_snapshot_is_overtaken,
    a_snapshot_ends_beyond_the_high_watermark,
    no_snapshot_ends_at_the_high_watermark_or_below,
)

# Files.
from invariants.snapshot_log_files import (
    a_part_is_written_step_by_step,
    a_finished_part_becomes_a_snapshot,
    a_snapshot_below_the_log_start_goes,
    the_disk_has_its_log_until_a_flush,
    what_is_no_longer_flushed_is_cut_off,
    answers_for_what_it_has_flushed,
    answers_for_no_less,
    flushed_records_are_known_without_another_flush,
    the_log_is_flushed_at_last,
)

# Crashes and boots.
from invariants.snapshot_log_crash import (
    a_named_file_is_complete,
    everything_held_is_found,
    every_crash_leaves_enough_to_boot,
    refuses_only_what_is_missing,
    nothing_grows_on_a_disk_without_a_process,
    a_process_that_has_ended_boots_or_refuses,
    boot_knows_what_is_on_the_disk,
    boot_loads_the_latest_snapshot,
    boot_takes_no_part_for_a_snapshot,
    boot_finds_a_snapshot_ahead_of_the_log,
    boot_finds_a_log_ahead_of_the_snapshot,
    boot_finds_a_start_where_no_snapshot_ends,
)
