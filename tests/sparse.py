"""Which tests, and which of their cases, the test command samples; `--soak` runs all of them.

Each of these says of one more ruleset, seed, file, attack or row what it says of others; every case takes hundredths to
tenths of a second. One in so many stands for all, the same one in every run. Rows of messages are sampled because
`tests/messages` holds in every run that each text in the source stands in a table; while tables are rewritten
(`REWRITE_WORDS`), and where branches are measured (`coverage`, README.md), all cases run. What was asked of each test
before it came here, and what planted faults say of the rest: docs/decisions/035.
"""

from __future__ import annotations

import os
import sys

IS_SPARSE = "coverage" not in sys.modules and "REWRITE_WORDS" not in os.environ
ONE_IN: dict[str, int | tuple[int, int]] = {
    "tests/agents/test_playouts.py::test_native_games_of_bots_list_their_options_natively": 3,
    "tests/citations/test_tracing.py::test_whole_games_are_traced": 3,
    "tests/cli/test_commands.py::test_wrong_usage_is_2": 4,
    "tests/cli/test_output.py::test_a_terminal_gets_colours_and_nothing_else": 3,
    "tests/cli/test_output.py::test_nothing_that_a_terminal_obeys": 8,
    "tests/cli/test_simulate.py::test_how_games_ended": 3,
    "tests/compiler/test_compile.py::test_program_goes_through_text": (8, 2),
    "tests/compiler/test_scopes.py::test_each_open_scope_has_its_own_limits": 2,
    "tests/compiler/test_scopes.py::test_what_leaves_a_scope_as_its_last_statement": 3,
    "tests/conformance/test_conformance.py::test_clone_and_json": 12,
    "tests/conformance/test_conformance.py::test_histories": (20, 3),
    "tests/conformance/test_conformance.py::test_lockstep": 12,
    "tests/conformance/test_conformance.py::test_sampled_is_explicit": 10,
    "tests/conformance/test_conformance.py::test_unseen_makes_no_difference": 30,
    "tests/conformance/test_references.py::test_probabilities_add_up": 12,
    "tests/conformance/test_references.py::test_rows_are_complete": 10,
    "tests/conformance/test_to_end.py::test_native_code_counts_the_same": 3,
    "tests/conformance/test_to_end.py::test_references": 9,
    "tests/diagnostics/test_pages.py::test_right_examples_have_no_error": 6,
    "tests/diagnostics/test_pages.py::test_wrong_examples_give_their_code": 5,
    "tests/diagnostics_trial/test_cascades.py::test_a_fault_in_a_large_ruleset": 3,
    "tests/diagnostics_trial/test_cascades.py::test_a_row_that_is_refused_stands_alone": 3,
    "tests/diagnostics_trial/test_first_game.py::test_mistakes": 2,
    "tests/diagnostics_trial/test_rounds.py::test_mistakes": 4,
    "tests/diagnostics_trial/test_trial.py::test_mistake": 5,
    "tests/diagnostics_trial/test_words_of_people.py::test_slips": 6,
    "tests/diagnostics_trial/test_words_of_people.py::test_slips_of_files": 4,
    "tests/diagnostics_trial/test_words_of_people.py::test_what_is_said_can_be_typed": 3,
    "tests/docs/test_language_examples.py::test_example": 3,
    "tests/docs/test_tutorial.py::test_tutorial": 2,
    "tests/droids/test_playthroughs.py::test_playthrough": 6,
    "tests/droids/test_playthroughs.py::test_random_games_end": 8,
    "tests/envs/test_batch.py::test_a_batch_plays_as_single_games_do": 2,
    "tests/envs/test_picks.py::test_numbers_and_options_are_one_to_one": 4,
    "tests/execution/test_errors.py::test_errors_of_rules": 2,
    "tests/execution/test_groups.py::test_what_a_group_has_in_common": 2,
    "tests/execution/test_nothing_there.py::test_who_was_not_asked_has_no_value": 3,
    "tests/execution/test_resample.py::test_games_that_are_over": 2,
    "tests/execution/test_resample.py::test_where_a_state_waits_for_chance": 3,
    "tests/execution/test_resample.py::test_without_a_compiler": 4,
    "tests/execution/test_same_answers.py::test_answers": (14, 3),
    "tests/execution/test_saved_states.py::test_a_few_steps": (20, 4),
    "tests/execution/test_shuffled_piles.py::test_many_games": 2,
    "tests/execution/test_shuffled_piles.py::test_what_is_read": 6,
    "tests/fragments/test_fragments.py::test_random_games_come_to_an_end": 9,
    "tests/fuzz/test_fuzz_check.py::test_mutations_are_refused_or_compile": (12, 2),
    "tests/fuzz/test_fuzz_check.py::test_scrambled_bytes_are_refused_or_compile": (12, 4),
    "tests/fuzz/test_fuzz_runs.py::test_hostile_runs": (7, 5),
    "tests/gallery/test_gallery.py::test_games_of_another_program": 9,
    "tests/gallery/test_gallery.py::test_games_of_another_program_without_native_code": 4,
    "tests/gallery/test_gallery.py::test_published_counts": 3,
    "tests/game/test_all_together.py::test_all_win_or_nobody_does": 6,
    "tests/game/test_copies.py::test_a_copy_is_the_same_game_and_independent": 3,
    "tests/game/test_refusals.py::test_what_is_missing": 2,
    "tests/game/test_seen_sheets.py::test_the_true_points_lie_within_what_is_told": 5,
    "tests/game/test_trades.py::test_every_backend_keeps_to_it": 3,
    "tests/hostile/test_bounds.py::test_a_changed_record_is_refused_at_once": 4,
    "tests/hostile/test_bounds.py::test_a_file_that_is_none_is_not_waited_for": 4,
    "tests/hostile/test_bounds.py::test_decisions_of_a_host": 2,
    "tests/hostile/test_bounds.py::test_fuel_of_a_host": 2,
    "tests/hostile/test_bounds.py::test_options_of_a_host": 2,
    "tests/hostile/test_processes.py::test_new_over_what_is_there": 4,
    "tests/hostile/test_processes.py::test_odd_folder": 4,
    "tests/hostile/test_processes.py::test_odd_option": 4,
    "tests/hostile/test_processes.py::test_odd_path": 3,
    "tests/hostile/test_processes.py::test_signals_end_quietly": 4,
    "tests/hostile/test_rulesets.py::test_hostile_ruleset": 6,
    "tests/hostile/test_saves.py::test_a_changed_save_is_refused_or_the_same": 3,
    "tests/hostile/test_saves.py::test_a_forged_save_is_refused_or_playable": 3,
    "tests/hostile/test_saves.py::test_a_value_of_another_shape_is_refused": 3,
    "tests/hostile/test_saves.py::test_hostile_record": (5, 4),
    "tests/hostile/test_saves.py::test_hostile_script": 4,
    "tests/imaginarium/test_playthroughs.py::test_playthrough": 2,
    "tests/imaginarium/test_views.py::test_what_others_have_behind_their_screens_changes_nothing_for_a_seat": 2,
    "tests/interpreter/test_abstract.py::test_a_rule_gives_all_that_there_may_be": 4,
    "tests/interpreter/test_lone_sources.py::test_what_is_offered": 9,
    "tests/interpreter/test_mutants.py::test_a_changed_row_is_caught": 5,
    "tests/lab/test_sweeps.py::test_a_name_that_no_measure_has_is_refused_before_games_are_played": 4,
    "tests/lab/test_sweeps.py::test_the_table_of_measures_has_what_games_have": 3,
    "tests/ldd/test_playthroughs.py::test_playthrough": 6,
    "tests/ldd/test_playthroughs.py::test_sheds_change_by_events_alone_and_never_overflow": 2,
    "tests/leaks/test_interference.py::test_check_warns_where_the_course_tells": 4,
    "tests/lints/test_lints.py::test_no_false_alarm": 2,
    "tests/lints/test_lints.py::test_no_false_alarm_in_the_reference": 4,
    "tests/lints/test_lints.py::test_silent": 4,
    "tests/lints/test_lints.py::test_warned": 4,
    "tests/lints/test_loops.py::test_endless": 3,
    "tests/lints/test_rounds.py::test_a_last_round_that_is_short": 3,
    "tests/memory/test_check.py::test_what_is_new_is_checked_alone": 2,
    "tests/messages/test_messages.py::test_words": 3,
    "tests/mir/test_mutants.py::test_negated_conditions_are_caught_at_once": 4,
    "tests/mir/test_passes.py::test_games_are_the_same": 2,
    "tests/mutate/test_mutate.py::test_a_file_of_something_else_is_refused": 5,
    "tests/native/test_boards.py::test_games_end_alike": 8,
    "tests/native/test_bots.py::test_bots_play_the_same_games": 2,
    "tests/native/test_bots.py::test_playouts_after_a_choice_are_native": 2,
    "tests/native/test_build.py::test_cc_that_does_not_work_is_passed_over": 3,
    "tests/native/test_build.py::test_damaged_entry_is_built_anew": 12,
    "tests/native/test_build.py::test_without_a_folder_it_builds_all_the_same": 12,
    "tests/native/test_conformance.py::test_outcomes_are_as_likely_as_they_should_be": 20,
    "tests/native/test_faults.py::test_a_compiler_that_is_killed_or_hangs": 2,
    "tests/native/test_fused_payments.py::test_a_payment_that_may_be_needed_later_is_none": 3,
    "tests/native/test_guards.py::test_a_value_that_is_no_index_is_told_with_its_line": 5,
    "tests/native/test_guards.py::test_the_default_build_writes_no_variable_elsewhere": 3,
    "tests/native/test_interchangeable.py::test_games_end_alike": 2,
    "tests/native/test_lookahead.py::test_games": 12,
    "tests/native/test_simulate.py::test_sums_and_files": 2,
    "tests/native/test_steps.py::test_frames_come_back_as_they_were": 2,
    "tests/native/test_steps.py::test_games_are_the_interpreters": 2,
    "tests/parallel/test_blocks.py::test_each_game_once_and_in_order": 3,
    "tests/parallel/test_blocks.py::test_few_blocks_are_under_way": 2,
    "tests/play/test_fits.py::test_every_screen_of_a_crowded_game": 5,
    "tests/play/test_fits.py::test_every_screen_of_the_shipped_games": 2,
    "tests/play/test_saves.py::test_a_broken_save_is_refused": 3,
    "tests/play/test_spoken.py::test_places_are_told_on_demand_alone": 4,
    "tests/play/test_spoken.py::test_the_language_of_the_environment": 4,
    "tests/play/test_spoken.py::test_what_is_typed_in_either_language": 3,
    "tests/play/test_window.py::test_every_screen_fits": 4,
    "tests/prose/test_all_texts.py::test_examples_of_the_language": 8,
    "tests/prose/test_all_texts.py::test_rulesets": (14, 3),
    "tests/prose/test_clauses.py::test_rulesets": (14, 3),
    "tests/prose/test_sentences.py::test_sentences": 2,
    "tests/reco/test_handwritten.py::test_every_card_stays_in_the_game": 3,
    "tests/reco/test_handwritten_c.py::test_games_end_and_keep_every_card": 6,
    "tests/reco/test_handwritten_c.py::test_same_chance_gives_the_same_games": 6,
    "tests/reco/test_playthroughs.py::test_playthrough": 3,
    "tests/results/test_lines.py::test_wherever_it_was_ended": 2,
    "tests/ruleset/test_groups.py::test_faulty_groups": 2,
    "tests/ruleset/test_maps.py::test_each_board_is_as_its_map_draws_it": 8,
    "tests/ruleset/test_ruleset_errors.py::test_hostile_files_are_refused_at_once": 5,
    "tests/ruleset/test_ruleset_errors.py::test_one_wrong_thing": 3,
    "tests/runtime/test_chains.py::test_each_replacement_is_used_once": 2,
    "tests/runtime/test_finished.py::test_final_positions_are_equal": 3,
    "tests/runtime/test_finished.py::test_native_keys_tell_as_much_as_hashes": 3,
    "tests/runtime/test_small_states.py::test_a_loop_is_an_index_in_a_state": 9,
    "tests/runtime_views/test_canonical.py::test_a_sampled_game_replayed_explicitly_has_equal_hashes": 4,
    "tests/runtime_views/test_questions.py::test_worlds_of_secrets_of_all_sorts": 2,
    "tests/runtime_views/test_resample.py::test_alike_individuals_are_dealt_in_every_possible_way": 2,
    "tests/runtime_views/test_resample.py::test_four_cards_are_dealt_in_every_possible_way": 3,
    "tests/runtime_views/test_resample.py::test_the_information_state_is_kept": (40, 3),
    "tests/runtime_views/test_resample.py::test_what_is_drawn_is_what_enumeration_allows": 9,
    "tests/runtime_views/test_serial.py::test_damage_is_refused_with_its_reason": 3,
    "tests/runtime_views/test_serial.py::test_every_node_of_every_small_game_is_restored": 9,
    "tests/runtime_views/test_serial.py::test_random_damage_never_gives_another_error": 4,
    "tests/runtime_views/test_serial.py::test_what_is_loaded_can_be_looked_at": 4,
    "tests/runtime_views/test_units.py::test_each_unit_is_as_likely_as_any_other": 2,
    "tests/runtime_views/test_views.py::test_views_of_every_small_game_are_json": 4,
    "tests/scenarios/test_boards_of_options.py::test_what_the_options_make_can_be_named": 2,
    "tests/scenarios/test_scenarios.py::test_what_does_not_hold_is_told": 2,
    "tests/scenarios/test_scenarios.py::test_what_holds_passes": 2,
    "tests/search/test_narrowing.py::test_worlds_of_a_narrowed_decision_come_as_often_as_they_should": (10, 2),
    "tests/search/test_one_party.py::test_what_one_party_gets": 9,
    "tests/search/test_search.py::test_every_way_to_search_plays_a_game": 3,
    "tests/search/test_search.py::test_leaves_are_evaluated_as_by_the_interpreter": 4,
    "tests/search/test_search.py::test_native_code_and_the_interpreter_find_the_same": 9,
    "tests/search/test_worlds.py::test_a_longer_record_is_the_one_that_is_made_anew": 4,
    "tests/search/test_worlds.py::test_no_seat_can_tell_a_world_from_the_true_one": 9,
    "tests/search/test_worlds.py::test_resampling_by_native_code_is_a_function_of_what_is_known": 3,
    "tests/search/test_worlds.py::test_what_is_hidden_changes_no_move": 12,
    "tests/search/test_worlds.py::test_worlds_by_rejection_come_as_often_as_they_should": 3,
    "tests/search/test_worlds.py::test_worlds_come_as_often_as_they_should": 6,
    "tests/semantics/test_checks.py::test_check": 5,
    "tests/semantics/test_commutation.py::test_no_outcome_is_lost": 3,
    "tests/semantics/test_commutation.py::test_who_is_asked": 3,
    "tests/semantics/test_findings.py::test_spans": 3,
    "tests/semantics/test_least.py::test_what_can_be_emptied_is_not_believed": 2,
    "tests/semantics/test_least.py::test_what_is_believed_is_so": 2,
    "tests/semantics/test_second_places.py::test_both_places": 3,
    "tests/service/test_service.py::test_names_are_found_and_renamed": 6,
    "tests/service/test_service.py::test_what_a_hint_names_mends": 3,
    "tests/soundness/test_soundness.py::test_generated_rulesets": 2,
    "tests/soundness/test_soundness.py::test_what_was_mended_is_found_without_the_mend": 2,
    "tests/syntax/test_reserved_words.py::test_a_word_is_reserved_where_it_could_not_be_used": 5,
    "tests/syntax/test_syntax_errors.py::test_deep_nesting_is_refused": 3,
    "tests/syntax/test_syntax_errors.py::test_message_in_a_block": 3,
    "tests/variants/test_clashes.py::test_others_combine": 3,
    "tests/variants/test_clashes.py::test_two_that_touch_the_same_name_clash": 3,
    "tests/variants/test_clashes.py::test_who_extends_the_other_may_change_it": 3,
    "tests/variants/test_rules.py::test_a_variant_changes_steps": 2,
    "tests/variants/test_shipped.py::test_random_games_end": 12,
    "tests/variants/test_shipped.py::test_the_scenarios_of_a_shipped_variant_hold": 4,
    "tests/vocabulary/test_claims.py::test_a_row_is_so": 5,
    "tests/vocabulary/test_claims.py::test_a_wrong_row_is_found": 4,
    "tests/web/test_attacks.py::test_names_and_notes_stay_texts": 3,
    "tests/web/test_attacks.py::test_what_is_no_request_is_refused": 5,
    "tests/web/test_games.py::test_one_seat_spends_its_own_budget": 2,
    "tests/web/test_hostile.py::test_what_a_new_game_can_not_have": 4,
    "tests/web/test_many_choices.py::test_counted_choices_are_those_that_are_listed": 3,
    "tests/web/test_painted.py::test_both_show_the_same": 3,
    "tests/web/test_theme.py::test_a_drawing_only_draws": 3,
    "tests/web/test_wire.py::test_who_knows_the_same_receives_the_same": 2,
    "tests/web/test_workers.py::test_a_thought_is_cut_at_its_deadline": 2,
    "tests/web/test_workers.py::test_what_a_deadline_brings_is_the_best_choice_so_far": 3,
    "tests/words/test_counts.py::test_made_text": 3,
    "tests/words/test_fuzz.py::test_all_texts_of_a_game": 4,
    "tests/words/test_listing.py::test_no_sentence_has_what_none_may_have": 3,
    "tests/words/test_reveals.py::test_values_of_all_types_are_told": 2,
    "tests/words/test_texts.py::test_a_market": 2,
}
"""By test, beginning with its first case, or with the one of a number from 0."""
WITH_SOAK = frozenset(
    """
    tests/agents/test_playouts.py::test_games_with_the_bot
    tests/agents/test_playouts.py::test_it_knows_no_more_than_its_seat
    tests/benchmarks/test_proofs.py::test_deals_and_exchanges_are_counted
    tests/benchmarks/test_proofs.py::test_what_differs_is_wrong
    tests/benchmarks/test_run.py::test_every_race_has_its_contestants
    tests/cli/test_play.py::test_a_script_plays_the_recorded_game_again
    tests/cli/test_play.py::test_comparison_on_paired_seeds
    tests/cli/test_simulate.py::test_it_is_said
    tests/compare/test_compare.py::test_how_many_games_a_clearer_answer_needs
    tests/compare/test_compare.py::test_the_same_for_every_number_of_processes
    tests/compiler/test_scopes.py::test_who_is_out_counts_on
    tests/conformance/test_references.py::test_totals_are_kept
    tests/diagnostics/test_report.py::test_a_terminal_without_the_letters
    tests/diagnostics_trial/test_cascades.py::test_a_fault_of_the_schema_stands_alone
    tests/docs/test_walk.py::test_excerpts_are_made
    tests/envs/test_batch.py::test_long_lists_and_individuals_are_spelled_where_they_stand
    tests/envs/test_batch.py::test_the_example_learns
    tests/execution/test_guarded.py::test_games_in_the_guard_build
    tests/execution/test_long_functions.py::test_calls_that_multiply
    tests/execution/test_long_functions.py::test_rows_of_functions
    tests/execution/test_nothing_there.py::test_the_first_value_is_that_of_the_board
    tests/execution/test_nothing_there.py::test_types_without_values_are_the_same_on_both_executors
    tests/execution/test_nothing_there.py::test_when_all_are_out_there_is_nobody_to_take
    tests/execution/test_resample.py::test_no_world_is_an_error_that_says_how_there_is_one
    tests/execution/test_saved_states.py::test_a_few_steps_in_native_code
    tests/execution/test_scenarios_and_records.py::test_recorded_games
    tests/execution/test_scenarios_and_records.py::test_scenarios_in_native_code
    tests/fuzz/test_fuzz_executors.py::test_mutants_on_both_executors
    tests/game/test_all_together.py::test_those_who_play_together_help_each_other
    tests/game/test_endless.py::test_what_goes_on_is_told_at_its_head
    tests/hostile/test_outputs.py::test_a_full_disk_leaves_nothing_of_a_new_ruleset
    tests/hostile/test_outputs.py::test_what_could_not_be_written_is_not_called_changed
    tests/hostile/test_processes.py::test_a_killed_writer_leaves_a_whole_file
    tests/hostile/test_processes.py::test_a_terminal_without_letters
    tests/hostile/test_processes.py::test_caches_that_cannot_be_used
    tests/hostile/test_processes.py::test_more_games_than_numbers
    tests/hostile/test_processes.py::test_no_room_and_no_reader
    tests/hostile/test_processes.py::test_no_streams
    tests/hostile/test_processes.py::test_odd_terminals
    tests/hostile/test_saves.py::test_changed_records_are_refused_or_play
    tests/imaginarium/test_edits.py::test_edits_are_a_few_lines_and_do_what_they_say
    tests/imaginarium/test_handwritten.py::test_random_positions
    tests/imaginarium/test_views.py::test_secret_projects_are_dealt_anew_for_others_alone
    tests/imaginarium/test_views.py::test_what_is_dealt_anew_is_only_what_a_seat_can_not_know
    tests/interpreter/test_groupings.py::test_saved_replayed_and_dealt_anew
    tests/lab/test_report.py::test_odds_are_told_of_positions_that_all_have_answered
    tests/lab/test_report.py::test_the_page_needs_nothing_and_is_the_same_again
    tests/lab/test_report.py::test_what_a_setting_lacks_is_no_flaw
    tests/lab/test_skill.py::test_thinking_pays_or_does_not
    tests/lab/test_study.py::test_bots_by_seat_deals_and_restrictions
    tests/lab/test_study.py::test_killed_and_gone_on_with
    tests/lab/test_study.py::test_the_same_files_however_they_are_played
    tests/lab/test_sweeps.py::test_a_large_grid_is_not_listed
    tests/lab/test_together.py::test_the_report_has_no_rivals
    tests/languages/test_third.py::test_a_process_finds_it_by_the_environment
    tests/languages/test_third.py::test_a_report_of_the_lab_is_in_it
    tests/ldd/test_edits.py::test_edits_are_a_few_lines_and_do_what_they_say
    tests/ldd/test_edits.py::test_the_base_does_not_do_it
    tests/leaks/test_leaks.py::test_a_world_is_the_same_whatever_was_sampled_before
    tests/leaks/test_leaks.py::test_numbers_of_interchangeable_pieces_tell_nothing
    tests/leaks/test_proofs.py::test_knowledge_of_who_was_asked_is_found
    tests/leaks/test_proofs.py::test_options_that_hang_on_what_is_hidden_are_found
    tests/memory/test_results.py::test_files_are_run_side_by_side
    tests/memory/test_results.py::test_options
    tests/memory/test_results.py::test_results_are_those_of_a_fresh_run
    tests/memory/test_results.py::test_what_changed_is_run_alone
    tests/mir/test_passes.py::test_programs_stay_whole
    tests/mutate/test_mutate.py::test_a_mutant_compiled_with_others_is_as_if_compiled_alone
    tests/mutate/test_mutate.py::test_processes_change_nothing_and_samples_are_parts
    tests/mutate/test_mutate.py::test_rows_reactions_and_variants
    tests/mutate/test_mutate.py::test_survivors_are_accepted_with_a_reason
    tests/native/test_build.py::test_damaged_entry_that_stays_is_not_used
    tests/native/test_build.py::test_entries_used_long_ago_go
    tests/native/test_build.py::test_library_says_nothing_of_its_place
    tests/native/test_build.py::test_names_are_tried_in_order
    tests/native/test_build.py::test_of_two_processes_one_compiles
    tests/native/test_build.py::test_two_that_compile_at_once_do_no_harm
    tests/native/test_choices.py::test_long_hands_have_the_ways_of_selections
    tests/native/test_faults.py::test_a_full_cache_folder
    tests/native/test_faults.py::test_a_library_of_the_cache_that_is_cut_off
    tests/native/test_faults.py::test_a_library_that_was_not_written_to_its_end
    tests/native/test_faults.py::test_memory_that_is_not_there
    tests/native/test_faults.py::test_no_room_for_the_text
    tests/native/test_faults.py::test_without_memory_auto_takes_the_interpreter
    tests/native/test_fuel.py::test_fuel_of_what_is_tried
    tests/native/test_fused_payments.py::test_a_price_that_depends_on_the_game_is_fused_too
    tests/native/test_fused_payments.py::test_purses_that_may_be_in_debt_are_not_fused
    tests/native/test_guards.py::test_each_way_of_indexing_is_bounded
    tests/native/test_hostile.py::test_calls_that_double
    tests/native/test_hostile.py::test_hostile_acts
    tests/native/test_hostile.py::test_long_chains
    tests/native/test_hostile.py::test_rules_that_wait_for_others
    tests/native/test_hostile.py::test_single_steps
    tests/native/test_hostile.py::test_the_same_is_said
    tests/native/test_hostile.py::test_the_stack_of_c_has_an_end
    tests/native/test_interchangeable.py::test_who_is_told_apart
    tests/native/test_lookahead.py::test_a_seat_that_nobody_asks_for
    tests/native/test_lookahead.py::test_sets_of_sets
    tests/native/test_lookahead.py::test_what_goes_wrong
    tests/native/test_menus.py::test_games_end_alike
    tests/native/test_menus.py::test_what_a_rule_is_given_is_told_apart_by_what_it_is
    tests/native/test_menus.py::test_what_groupings_number_is_asked_of_each
    tests/native/test_odd_states.py::test_keys_of_positions
    tests/native/test_odd_states.py::test_odd_states
    tests/native/test_odd_states.py::test_playouts_from_where_several_choose_at_once
    tests/native/test_packed_counts.py::test_pieces_that_are_moved_about_end_up_in_the_same_zones
    tests/native/test_payments.py::test_as_many_ways_are_listed_as_there_is_fuel_for
    tests/native/test_payments.py::test_many_wilds_are_covered_as_in_python
    tests/native/test_payments.py::test_payments_that_are_counted_are_those_that_are_listed
    tests/native/test_payments.py::test_too_many_tries_are_given_up_as_in_python
    tests/native/test_ranks.py::test_ranks_by_what_each_gets
    tests/native/test_sanitized.py::test_watched_games
    tests/native/test_seldom.py::test_boards_and_sets
    tests/native/test_seldom.py::test_what_rules_cannot_say
    tests/native/test_shortcuts.py::test_games_end_alike
    tests/native/test_shortcuts.py::test_more_marks_than_are_listed
    tests/native/test_simulate.py::test_games_that_fail
    tests/native/test_simulate.py::test_runs_that_go_on
    tests/native/test_simulate.py::test_scores_that_are_too_large_to_be_squared
    tests/native/test_simulate.py::test_the_bot_that_looks_ahead
    tests/native/test_simulate.py::test_threads
    tests/native/test_steps.py::test_many_options_are_listed_by_python
    tests/native/test_steps.py::test_nothing_is_read_or_written_elsewhere
    tests/native/test_stops.py::test_choices_of_several_seats
    tests/native/test_stops.py::test_individuals_that_may_be_alike
    tests/native/test_zones.py::test_pools_are_put_together_when_their_array_is_full
    tests/parallel/test_blocks.py::test_blocks_grow_with_the_speed_of_games
    tests/play/test_fits.py::test_the_log_has_all_that_a_screen_leaves_out
    tests/play/test_screen.py::test_no_line_is_wider_than_the_terminal
    tests/play/test_screen.py::test_what_has_no_room_for_columns_is_listed
    tests/play/test_spoken.py::test_a_name_of_another_language_is_words_where_options_have_it
    tests/play/test_spoken.py::test_native_code_for_bots_is_made_beside_the_game
    tests/play/test_terminal.py::test_a_poor_encoding
    tests/play/test_terminal.py::test_a_record_is_stepped_through
    tests/play/test_terminal.py::test_colours_and_passing_the_screen_on
    tests/play/test_terminal.py::test_ctrl_c_ends_quietly
    tests/play/test_terminal.py::test_whoever_has_just_chosen_may_take_it_back
    tests/prose/test_clauses.py::test_examples_of_the_docs
    tests/prose/test_clauses.py::test_where_own_words_mention_nothing
    tests/reco/test_handwritten_c.py::test_sanitizers_find_nothing
    tests/reco/test_laws.py::test_unseen_cards_make_no_difference
    tests/reco/test_playthroughs.py::test_random_games_are_those_of_the_handwritten_game
    tests/results/test_commands.py::test_an_interrupt_in_json
    tests/results/test_commands.py::test_ended_and_gone_on_with
    tests/results/test_commands.py::test_nobody_reads
    tests/results/test_lines.py::test_the_same_for_any_number_of_processes
    tests/runtime_views/test_questions.py::test_a_search_knows_no_more_than_its_seat
    tests/runtime_views/test_questions.py::test_worlds_are_the_histories_that_look_the_same
    tests/runtime_views/test_resample.py::test_consecutive_seeds_deal_evenly
    tests/runtime_views/test_units.py::test_worlds_have_each_unit_that_may_have_come
    tests/runtime_views/test_views.py::test_being_asked_for_an_answer_tells_nothing
    tests/scenarios/test_positions.py::test_what_a_seat_does_not_see_of_a_position_is_dealt_anew
    tests/search/test_individuals.py::test_a_seat_can_not_tell_a_world_with_other_individuals
    tests/search/test_individuals.py::test_a_world_is_played_again_as_it_was
    tests/search/test_individuals.py::test_individuals_come_up_as_often_as_they_should
    tests/search/test_individuals.py::test_native_code_has_a_world_whatever_is_hidden
    tests/search/test_narrowing.py::test_a_choice_among_65536_subsets_is_searched_in_time
    tests/search/test_narrowing.py::test_a_grouping_that_was_seen_is_found_among_all
    tests/search/test_one_party.py::test_solutions_searches_and_bots_want_it
    tests/search/test_search.py::test_greedy_rollouts_take_the_most
    tests/search/test_search.py::test_regret_matching_comes_to_a_mixed_equilibrium
    tests/search/test_search.py::test_rivals_of_equal_rank_choose_at_once
    tests/search/test_search.py::test_seats_that_choose_at_once_do_not_choose_in_step
    tests/search/test_search.py::test_what_is_evaluated_is_dealt_for_the_seat
    tests/search/test_search.py::test_what_regret_matching_plays_is_drawn
    tests/search/test_solve.py::test_leduc_is_worth_what_it_is_known_to_be
    tests/search/test_worlds.py::test_an_order_that_was_seen_of_copies_is_kept
    tests/search/test_worlds.py::test_hands_that_are_passed_on_have_worlds
    tests/search/test_worlds.py::test_unseen_choices_weigh_how_many_there_were
    tests/search/test_worlds.py::test_what_lies_in_the_past_is_drawn_again_too
    tests/search/test_worlds.py::test_worlds_are_found_where_rivals_were_seen_to_lack_much
    tests/semantics/test_commutation.py::test_many_reactions_ask_nothing
    tests/semantics/test_commutation.py::test_no_shipped_game_asks_for_an_order_that_never_matters
    tests/semantics/test_leaks.py::test_a_leak_below_many_calls_and_blocks
    tests/semantics/test_leaks.py::test_each_effect_after_the_secret_is_shown
    tests/semantics/test_many_handlers.py::test_the_checks_are_linear_in_the_handlers_of_an_event
    tests/service/test_service.py::test_edited_texts_are_found_what_a_check_finds
    tests/structure/test_remembered.py::test_a_test_runs_again_when_a_file_is_another
    tests/structure/test_wheel.py::test_source_distribution_carries_all
    tests/studio/test_studio.py::test_figures_before_and_after
    tests/syntax/test_syntax_grammar.py::test_no_conflict_is_resolved_silently
    tests/variants/test_shipped.py::test_the_variants_of_les_derniers_droides_combine
    tests/vocabulary/test_claims.py::test_any_wrong_flag_is_found
    tests/vocabulary/test_claims.py::test_native_code_finds_what_is_not_lenient
    tests/vocabulary/test_claims.py::test_total_operations_never_fail_in_native_code
    tests/web/test_app.py::test_a_form_left_as_it_is_makes_a_game
    tests/web/test_app.py::test_bots_play_on_by_themselves
    tests/web/test_attacks.py::test_slow_clients_hold_nobody_up
    tests/web/test_designers.py::test_over_http
    tests/web/test_ends.py::test_a_server_without_a_database_is_wrong_usage
    tests/web/test_ends.py::test_ctrl_c_ends_an_idle_server
    tests/web/test_games.py::test_first_searches_are_of_games_that_can_be_played
    tests/web/test_games.py::test_what_is_drawn_once_is_for_every_page
    tests/web/test_hostile.py::test_records_of_strangers_are_no_faults
    tests/web/test_uploads.py::test_a_stranger_plays_what_they_sent
    tests/web/test_uploads.py::test_what_no_running_game_uses_makes_room
    tests/web/test_widths.py::test_a_phone_shows_everybody
    tests/web/test_widths.py::test_cards_stay_within_their_column
    tests/web/test_workers.py::test_a_bot_has_a_deadline_that_counts_what_it_waits
    tests/web/test_workers.py::test_a_worker_that_is_ended_is_waited_for
    tests/web/test_workers.py::test_bots_of_many_games_share_the_time
    tests/web/test_workers.py::test_who_takes_too_much_memory_is_replaced
    tests/words/test_own_words.py::test_the_commands_refuse_a_language_that_is_not_there
    tests/words/test_texts.py::test_a_board
    """.split()
)
"""Tests of tenths of a second and more that assert of something larger, rarer or slower what others assert too."""


def is_sampled(test: str, number: int) -> bool:
    """Return whether the test command tries a case of a test; its first case, or all of a test without, is number 0."""
    step = ONE_IN.get(test, 1)
    each, first = step if isinstance(step, tuple) else (step, 0)
    return test not in WITH_SOAK and number % each == first
