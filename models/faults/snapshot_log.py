"""Mistakes in keeping a log and its snapshots on a disk. Those with a source really happened."""

# A replica that runs.
from models.faults.snapshot_log_running import (
    generated_id_is_inclusive,
    log_start_is_inclusive,
    followers_log_start_is_inclusive,
    log_start_is_one_too_far,
    reset_is_inclusive,
    loaded_snapshot_is_inclusive,
    state_machine_is_not_told,
    state_goes_on_while_it_is_written,
    snapshot_of_what_is_flushed,
    new_keys_count_as_changed,
    either_threshold_will_do,
    overtaken_snapshot_is_finished,
    truncates_below_high_watermark,
    snapshot_at_log_start_is_deleted,
    segments_go_up_to_the_latest_snapshot,
    log_goes_on_beside_a_newer_snapshot,
    newer_by_offset_alone,
    high_watermark_of_an_older_response,
    empty_log_has_epoch_zero,
    reset_without_need,
)

# A crash, and booting.
from models.faults.snapshot_log_crash import (
    moved_before_the_footer,
    moved_before_it_is_flushed,
    name_is_not_flushed,
    high_watermark_does_not_wait_for_the_flush,
    unflushed_records_are_acknowledged,
    boot_acknowledges_what_it_finds,
    boot_resets_to_an_unflushed_name,
    boot_moves_finished_parts,
    boots_without_a_snapshot,
    boots_beside_a_broken_newer_snapshot,
    boots_with_sound_files_only,
    boots_from_the_snapshot_alone,
    boots_from_the_oldest_snapshot,
    boot_trusts_the_name,
)
