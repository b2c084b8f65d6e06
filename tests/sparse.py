"""Which tests try some of their cases alone in the test command, and all of them with `--soak`.

Each of these says the same of many rulesets, seeds or files; every case takes tenths of a second, mostly for a compiler
of C. One in so many is a representative: rulesets that are generated (tests/soundness, tests/leaks) are asked the same
in every run. Tables whose rows each prove something of their own do not belong here. Where branches are measured
(`coverage`, README.md) all cases run.
"""

from __future__ import annotations

import sys

IS_SPARSE = "coverage" not in sys.modules
ONE_IN = {
    "tests/compiler/test_compile.py::test_program_goes_through_text": 4,
    "tests/conformance/test_conformance.py::test_clone_and_json": 4,
    "tests/conformance/test_conformance.py::test_histories": 5,
    "tests/conformance/test_conformance.py::test_lockstep": 6,
    "tests/conformance/test_conformance.py::test_unseen_makes_no_difference": 6,
    "tests/conformance/test_references.py::test_probabilities_add_up": 4,
    "tests/conformance/test_to_end.py::test_references": 5,
    "tests/diagnostics_trial/test_rounds.py::test_mistakes": 4,
    "tests/droids/test_playthroughs.py::test_playthrough": 6,
    "tests/execution/test_guarded.py::test_games_in_the_guard_build": 3,
    "tests/execution/test_nothing_there.py::test_types_without_values_are_the_same_on_both_executors": 2,
    "tests/execution/test_resample.py::test_games_that_are_over": 2,
    "tests/execution/test_resample.py::test_where_a_state_waits_for_chance": 3,
    "tests/execution/test_resample.py::test_without_a_compiler": 4,
    "tests/execution/test_same_answers.py::test_answers": 3,
    "tests/execution/test_saved_states.py::test_a_few_steps": 3,
    "tests/execution/test_scenarios_and_records.py::test_recorded_games": 2,
    "tests/execution/test_shuffled_piles.py::test_what_is_read": 3,
    "tests/fragments/test_fragments.py::test_random_games_come_to_an_end": 3,
    "tests/fuzz/test_fuzz_check.py::test_mutations_are_refused_or_compile": 4,
    "tests/fuzz/test_fuzz_check.py::test_scrambled_bytes_are_refused_or_compile": 4,
    "tests/game/test_seen_sheets.py::test_the_true_points_lie_within_what_is_told": 5,
    "tests/imaginarium/test_playthroughs.py::test_playthrough": 2,
    "tests/interpreter/test_lone_sources.py::test_what_is_offered": 3,
    "tests/ldd/test_playthroughs.py::test_playthrough": 3,
    "tests/ldd/test_playthroughs.py::test_sheds_change_by_events_alone_and_never_overflow": 2,
    "tests/lints/test_lints.py::test_no_false_alarm": 2,
    "tests/mir/test_mutants.py::test_negated_conditions_are_caught_at_once": 2,
    "tests/mir/test_passes.py::test_games_are_the_same": 2,
    "tests/mir/test_passes.py::test_programs_stay_whole": 2,
    "tests/native/test_boards.py::test_games_end_alike": 4,
    "tests/native/test_bots.py::test_bots_play_the_same_games": 2,
    "tests/native/test_build.py::test_cc_that_does_not_work_is_passed_over": 3,
    "tests/native/test_build.py::test_damaged_entry_is_built_anew": 4,
    "tests/native/test_build.py::test_without_a_folder_it_builds_all_the_same": 4,
    "tests/native/test_conformance.py::test_outcomes_are_as_likely_as_they_should_be": 5,
    "tests/native/test_faults.py::test_memory_that_is_not_there": 2,
    "tests/native/test_hostile.py::test_the_same_is_said": 4,
    "tests/native/test_lookahead.py::test_games": 4,
    "tests/native/test_simulate.py::test_sums_and_files": 2,
    "tests/native/test_simulate.py::test_the_bot_that_looks_ahead": 2,
    "tests/native/test_steps.py::test_frames_come_back_as_they_were": 2,
    "tests/play/test_fits.py::test_every_screen_of_the_shipped_games": 2,
    "tests/play/test_window.py::test_every_screen_fits": 4,
    "tests/prose/test_all_texts.py::test_rulesets": 5,
    "tests/prose/test_clauses.py::test_rulesets": 5,
    "tests/results/test_commands.py::test_ended_and_gone_on_with": 3,
    "tests/ruleset/test_ruleset_errors.py::test_hostile_files_are_refused_at_once": 3,
    "tests/runtime/test_small_states.py::test_a_loop_is_an_index_in_a_state": 3,
    "tests/runtime_views/test_canonical.py::test_a_sampled_game_replayed_explicitly_has_equal_hashes": 4,
    "tests/runtime_views/test_resample.py::test_the_information_state_is_kept": 5,
    "tests/runtime_views/test_resample.py::test_what_is_drawn_is_what_enumeration_allows": 3,
    "tests/runtime_views/test_serial.py::test_every_node_of_every_small_game_is_restored": 3,
    "tests/search/test_one_party.py::test_solutions_searches_and_bots_want_it": 4,
    "tests/search/test_one_party.py::test_what_one_party_gets": 3,
    "tests/search/test_search.py::test_native_code_and_the_interpreter_find_the_same": 3,
    "tests/search/test_worlds.py::test_a_longer_record_is_the_one_that_is_made_anew": 4,
    "tests/search/test_worlds.py::test_no_seat_can_tell_a_world_from_the_true_one": 4,
    "tests/search/test_worlds.py::test_what_is_hidden_changes_no_move": 4,
    "tests/search/test_worlds.py::test_worlds_by_rejection_come_as_often_as_they_should": 3,
    "tests/variants/test_shipped.py::test_random_games_end": 4,
    "tests/words/test_fuzz.py::test_all_texts_of_a_game": 4,
    "tests/words/test_listing.py::test_no_sentence_has_what_none_may_have": 3,
}
"""By test, beginning with its first case."""
