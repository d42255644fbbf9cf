"""The guards of `unit_mutations` in the package `log`."""

from tests.mutation import UnitMutation, mutation

UNIT_LOG_MUTATIONS = (
    UnitMutation(
        mutation(
            "a move leaves no mark of which log is the newer one",
            (
                "log.directories.future_logs",
                "FutureLogs.swap",
                "source.disk.open(mark, create=True).close()",
                "pass",
            ),
            ("log.directories.future_logs", "FutureLogs.swap", "source.disk.remove(mark)", "pass"),
        ),
        "tests/unit/log/directories/test_future_logs.py::test_a_crash_within_a_swap_loses_nothing",
        "few crashes fall between the two renames of a swap",
    ),
    UnitMutation(
        mutation(
            "the time index of damaged records is rebuilt from them",
            ("log.segment.segment_indexes", "SegmentIndexes._fits", "return True", "return False"),
        ),
        "tests/unit/log/test_retention.py",
        "the damage must hide the latest timestamp of a segment that is not old",
    ),
    UnitMutation(
        mutation(
            "a start learns leader epochs from a damaged base offset",
            (
                "log.recovery.epoch_recovery",
                "_headers_in_place",
                "next_offset <= header.base_offset and ",
                "",
            ),
        ),
        "tests/unit/log/recovery/test_epoch_recovery.py::test_a_damaged_base_offset_teaches_no_epoch",
        "a flipped bit of a base offset, a lost file of epochs and an unclean end must meet",
    ),
    UnitMutation(
        mutation(
            "a start refuses an epoch that goes back although its file has it",
            ("log.recovery.epoch_recovery", "EpochReader.learn", " and said > epoch", ""),
        ),
        "tests/unit/log/recovery/test_epoch_recovery.py::test_an_epoch_that_goes_back_is_loaded",
        "metadata with newer leader epochs must be lost; no plan was searched for it",
    ),
    UnitMutation(
        mutation(
            "a start takes every epoch that goes back for damage",
            (
                "log.recovery.epoch_recovery",
                "EpochReader.learn",
                "if fallen is not None and fallen[0] == epoch:",
                "if fallen is not None:",
            ),
        ),
        "tests/unit/log/recovery/test_epoch_recovery.py"
        "::test_an_epoch_that_goes_back_is_loaded_without_the_file",
        "metadata with newer leader epochs must be lost; no plan was searched for it",
    ),
    UnitMutation(
        mutation(
            "the high watermark 0 of a lost log does not show that it is lost",
            (
                "log.directories.log_folders",
                "checkpoint",
                "row.lost.high_watermark or _LOST_AT_ZERO",
                "row.lost.high_watermark",
            ),
        ),
        "tests/unit/log/directories/test_log_manager.py"
        "::test_a_lost_log_is_remembered_though_both_checkpoints_are_damaged_in_turn",
        "two checkpoints must be damaged in turn while the controller does not know of the loss",
    ),
    UnitMutation(
        mutation(
            "one power loss tears both checkpoints that name a lost log",
            (
                "log.directories.log_directory",
                "LogDirectory._write",
                "sync |= bool(self.folders.in_state(FolderState.LOST))",
                "pass",
            ),
        ),
        "tests/unit/log/directories/test_log_directory.py"
        "::test_one_power_loss_does_not_tear_both_checkpoints_that_name_a_lost_log",
        "the power must be lost while the controller does not know of a lost log",
    ),
    UnitMutation(
        mutation(
            "of two logs of different topics the first one is used",
            (
                "log.directories.settling",
                "_settle_loaded",
                "place.topic_id == replica.topic_id",
                "place.topic_id <= replica.topic_id",
            ),
        ),
        "tests/unit/log/directories/test_directory_loading.py::test_the_log_of_the_present_topic_is_used",
        "a topic must be created again while one of its directories is out of log.dirs",
    ),
    UnitMutation(
        mutation(
            "the empty folder that a power loss leaves shows consent",
            (
                "log.directories.directory_loading",
                "remove_empty_folders",
                "if not home.remove_empty(at):",
                "if False:",
            ),
        ),
        "tests/unit/log/directories/test_directory_loading.py"
        "::test_the_empty_folder_of_a_log_that_is_elsewhere_accepts_nothing",
        "power must be lost while a log is created, and its other directory be taken out later",
    ),
    UnitMutation(
        mutation(
            "checkpoints name a log that is set aside beside another one",
            (
                "log.directories.log_directory",
                "LogDirectory.drop",
                "self._outdated = dict.fromkeys(_CHECKPOINTS)",
                "pass",
            ),
        ),
        "tests/unit/log/directories/test_directory_loading.py::test_a_former_log_is_not_taken_for_lost_after_a_crash",
        "no replica of the present topic may be on the broker, and it must crash at once",
    ),
    UnitMutation(
        mutation(
            "a start learns no leader epochs behind a damaged length",
            (
                "log.recovery.epoch_recovery",
                "_headers_in_place",
                "if position < segment.size and next_offset < end_offset:",
                "if False:",
            ),
        ),
        "tests/unit/log/recovery/test_epoch_recovery.py::test_a_damaged_header_hides_no_epoch",
        "a flipped bit of a length, a lost file of epochs and an unclean end must meet",
    ),
    UnitMutation(
        mutation(
            "a damaged length hides the producers behind it",
            (
                "log.producers.producer_loading",
                "_sound_headers",
                "if position < segment.size and next_offset < end_offset:",
                "if False:",
            ),
            (
                "log.producers.producer_loading",
                "_sound_headers",
                "if header.next_offset > end_offset:",
                "if False:",
            ),
        ),
        "tests/unit/log/test_damaged_producers.py"
        "::test_a_producer_that_damage_hides_below_the_recovery_point_is_noticed",
        "damage of a marker's segment must meet a lost producer snapshot",
    ),
    UnitMutation(
        mutation(
            "damage behind the recovery point keeps a broker from its start",
            (
                "log.directories.directory_loading",
                "_open_clean",
                "if not is_damaged or not goes_beyond(disk, folder, flushed):",
                "if True:",
            ),
        ),
        "tests/unit/log/test_clean_shutdown_file.py"
        "::test_a_clean_shutdown_file_that_is_back_says_nothing_of_damage_after_it",
        "a power loss must flip a bit, and the disk must lose the removal of the file",
    ),
    UnitMutation(
        mutation(
            "a future log is compared with its log again and again",
            (
                "log.directories.future_logs",
                "_follow",
                "if copy.generation != current.generation:",
                "if True:",
            ),
        ),
        "tests/unit/log/directories/test_future_logs.py"
        "::test_a_move_ends_where_the_file_of_epochs_contradicts_the_batches",
        "no fault of the disk makes a file of epochs that can be read and is wrong",
    ),
    UnitMutation(
        mutation(
            "the high watermarks alone name a log that is lost",
            (
                "log.directories.log_folders",
                "checkpoint",
                "return offsets | {at: row.lost.start_offset for at, row in lost if row.lost}",
                "return offsets",
            ),
        ),
        "tests/unit/log/directories/test_log_manager.py::test_a_damaged_log_that_was_set_aside_stays_lost",
        "a log and one checkpoint must be damaged while the controller cannot be told",
    ),
    UnitMutation(
        mutation(
            "the mark of a superseded log stays when a new log takes its place",
            (
                "log.directories.log_directory",
                "LogDirectory._rename",
                "self.disk.remove(mark)",
                "pass",
            ),
        ),
        "tests/unit/log/directories/test_future_logs.py"
        "::test_a_log_that_replaces_a_superseded_one_is_used_after_a_restart",
        "a swap must be interrupted, and the disk of the new log lost",
    ),
    UnitMutation(
        mutation(
            "an empty log may take the place of a superseded one",
            (
                "log.directories.settling",
                "_displaced",
                "if is_superseded and place.topic_id in (None, replica.topic_id):",
                "if False:",
            ),
        ),
        "tests/unit/log/directories/test_future_logs.py"
        "::test_a_log_that_replaces_a_superseded_one_is_used_after_a_restart",
        "a swap must be interrupted, and the disk of the new log lost",
    ),
    UnitMutation(
        mutation(
            "an empty log may take the place of a copy whose log is offline",
            (
                "log.directories.settling",
                "_displaced",
                "if place.is_online and replica.topic_id in place.kept_copies:",
                "if False:",
            ),
        ),
        "tests/unit/log/directories/test_future_logs.py"
        "::test_a_copy_is_no_reason_for_an_empty_log_in_its_place",
        "a broker must be killed between the report of a move and the swap, and lose a directory",
    ),
    UnitMutation(
        mutation(
            "a start removes the former log before the rename of the newer one is durable",
            (
                "log.directories.future_logs",
                "FutureLogs._settle",
                'other.disk.sync_dir("")',
                "pass",
            ),
        ),
        "tests/unit/log/directories/test_future_logs.py"
        "::test_the_rename_that_supersedes_a_log_is_durable_before_that_log_is_removed",
        "a kill must hit the rename that ends a move, and a power loss the next process",
    ),
    UnitMutation(
        mutation(
            "a power loss brings a log back beside its successor",
            ("log.directories.log_manager", "LogManager.create", "other.sync_retired(at)", "pass"),
        ),
        "tests/unit/log/directories/test_log_manager.py"
        "::test_a_log_that_was_given_up_does_not_come_back_beside_another",
        "a partition must be created again in another directory just before a power loss",
    ),
    UnitMutation(
        mutation(
            "a power loss undoes what a killed process had renamed",
            (
                "log.directories.directory_loading",
                "load_directory",
                "list_durably(home.disk)",
                'home.disk.list("")',
            ),
        ),
        "tests/unit/log/directories/test_log_folders.py"
        "::test_a_log_that_a_killed_process_gave_up_does_not_come_back",
        "two of 961 seeds found it: a replica must be made again elsewhere between both",
    ),
    UnitMutation(
        mutation(
            "a swap that fails removes the copy",
            (
                "log.directories.future_logs",
                "FutureLogs.swap",
                'assert future.log_end_offset == current.log_end_offset, f"{at} has not caught up"',
                "self._delete_copy(target, copy)",
            ),
        ),
        "tests/unit/log/directories/test_future_logs.py::test_a_swap_that_the_source_fails_keeps_the_copy",
        "a directory must fail within the step that ends a move",
    ),
    UnitMutation(
        mutation(
            "checkpoints name a deleted log until they are written again",
            (
                "log.directories.log_directory",
                "LogDirectory.drop",
                "self._outdated = dict.fromkeys(_CHECKPOINTS)",
                "pass",
            ),
        ),
        "tests/unit/log/directories/test_log_manager.py::test_a_log_that_was_given_up_is_not_lost",
        "a topic must be created again within a minute, while the broker is down",
    ),
    UnitMutation(
        mutation(
            "a log begins where the lost one did that it replaces",
            (
                "log.directories.log_directory",
                "LogDirectory.clear_offsets_of_lost",
                "self._outdated |= dict.fromkeys(NAMES_OF_LOST)",
                "pass",
            ),
        ),
        "tests/unit/replica/test_lost_logs.py"
        "::test_a_log_in_place_of_a_lost_one_does_not_begin_where_that_one_did",
        "one seed of 3,000 found it, with a flipped digit in the checkpoint of log start offsets",
    ),
    UnitMutation(
        mutation(
            "a missing log is remembered by files that are not durable",
            (
                "log.directories.directory_loading",
                "_find_lost",
                "home.write_durably(NAMES_OF_LOST)",
                "pass",
            ),
        ),
        "tests/unit/log/directories/test_log_manager.py"
        "::test_a_log_that_is_missing_is_remembered_after_a_power_loss",
        "a folder must be lost without its disk, and the power before the controller is told",
    ),
    UnitMutation(
        mutation(
            "a lost log gets an empty successor while another directory is unreadable",
            (
                "log.directories.settling",
                "_is_gone",
                "elif replica.directory_id != DIRECTORY_LOST and (",
                "elif (",
            ),
        ),
        "tests/simulation/test_lost_logs.py"
        "::test_a_log_that_the_controller_knows_as_lost_stays_lost",
        "no replica may lead while one directory is out and another one fails at a start",
    ),
    UnitMutation(
        mutation(
            "a lost log that need not come back stays lost",
            (
                "log.directories.log_directory",
                "LogDirectory.drop",
                "self.folders.enter(at, FolderState.ABSENT)",
                "pass",
            ),
        ),
        "tests/unit/replica/test_removed_logs.py"
        "::test_a_lost_log_that_need_not_come_back_is_forgotten_without_descriptors",
        "descriptors must run out at a start that finds a log in another directory",
    ),
    UnitMutation(
        mutation(
            "a log is created before the checkpoints are durable without the lost one",
            ("log.directories.log_directory", "LogDirectory.create", "self.make_durable()", "pass"),
        ),
        "tests/unit/replica/test_removed_logs.py"
        "::test_without_descriptors_no_log_takes_the_place_of_a_lost_one",
        "descriptors must run out when a lost log is replaced, and a kill must follow",
    ),
    UnitMutation(
        mutation(
            "an accepted empty log begins where the lost one did",
            (
                "log.directories.directory_loading",
                "_find_lost",
                "if unused:",
                "if home.lost:",
            ),
        ),
        "tests/unit/replica/test_lost_logs.py"
        "::test_a_log_in_place_of_a_lost_one_does_not_begin_where_that_one_did",
        "a kill must follow the creation of the accepted log before the next checkpoint",
    ),
    UnitMutation(
        mutation(
            "a move forgets a durable start offset",
            (
                "log.directories.future_logs",
                "FutureLogs.swap",
                "sync_log_starts=log.log_start_offset > 0",
                "sync_log_starts=False",
            ),
        ),
        "tests/unit/log/directories/test_future_logs.py"
        "::test_a_log_start_offset_that_was_durable_is_durable_after_a_swap",
        "no check forbids that deleted records come back after a power loss",
    ),
    UnitMutation(
        mutation(
            "a truncation reads what it deletes",
            (
                "log.segment.segments",
                "Segments.base_of",
                "index_of(offset - 1)",
                "index_of(offset)",
            ),
        ),
        "tests/unit/replica/test_truncation.py"
        "::test_a_segment_that_begins_at_the_offset_is_not_read",
        "damage at the base of a segment must meet a truncation to that offset",
    ),
    UnitMutation(
        mutation(
            "the cleaning of segments forgets the transactions of earlier ones",
            (
                "log.cleaner.cleaning",
                "Cleaning._clean_to",
                "self._clean_group(originals, seen, end_offset)",
                "self._clean_group(originals, CleanedTransactions(), end_offset)",
            ),
        ),
        "tests/unit/log/cleaner/test_cleaning.py"
        "::test_the_marker_of_a_transaction_stays_with_records_of_another_group",
        "records and marker must be in different groups, and no snapshot may hide the lost marker",
    ),
    UnitMutation(
        mutation(
            "a truncation leaves the former end of the clean part in the checkpoint",
            (
                "log.unified_log",
                "UnifiedLog._lower_cleaned_offset",
                "self.save_cleaned_offsets()",
                "pass",
            ),
        ),
        "tests/unit/log/directories/test_cleaned_offsets.py"
        "::test_a_truncation_lowers_it_before_other_records_follow[3-False]",
        "an unclean election, a crash and the end of a tombstone's retention must meet",
    ),
)
