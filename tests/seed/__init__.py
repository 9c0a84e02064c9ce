"""The page that gko grew from, sentence by sentence, each with the tests that hold it.

The page is called "Testing configured prompts". A line below is a sentence of it in short, or a line of its examples;
a word in brackets is the module below this folder in which the tests after it stand. `test_index.py` holds the list
itself: no number and no test is missing from it.

 1. `gko config test` runs regression cases for configured commands
    [cases] test_config_test_runs_the_cases_of_configured_commands
 2. a case is a TOML file at `.gekko/tests/<command path>/<case>.toml`
    [cases] test_a_case_is_a_toml_file_below_the_path_of_its_command
 3. `tests/git/review/hardware.toml`, for example, tests `gko git review`
    [cases] test_tests_git_review_hardware_tests_gko_git_review
 4. cases of system, user and project are combined; a more local one replaces one of the same command path and name
    [cases] test_the_cases_of_all_scopes_are_combined_and_the_most_local_of_one_name_is_run
    [cases] test_a_replaced_case_is_gone_whole_and_not_even_read
    [cases] test_a_case_of_the_same_name_but_another_command_replaces_nothing
 5. a selection with no cases is an error, exit 2
    [cases] test_a_selection_with_no_cases_is_an_error
 6. `gko config schema test` prints the JSON Schema of a case file
    [cases] test_config_schema_test_prints_the_json_schema_of_a_case_file
    [cases] test_an_editor_checks_case_files_against_that_schema
 7. the example: `args`, an `input` in a file or inline, and `[expect]` with three keys
    [cases] test_the_example_of_the_page_passes_as_it_is_printed
    [cases] test_the_input_of_the_example_can_stand_inline
 8. `args` names arguments that the command declares; required ones must be supplied
    [cases] test_args_are_what_the_placeholders_of_the_command_stand_for
    [cases] test_args_that_are_not_declared_are_malformed
    [cases] test_a_required_argument_must_be_supplied
 9. `input` is required
    [cases] test_input_is_required
10. a file input is UTF-8, has the ordinary size limit, and must name a file next to the case
    [cases] test_a_file_input_is_read_as_utf_8
    [cases] test_a_file_input_that_is_not_utf_8_is_malformed
    [cases] test_a_file_input_has_the_size_limit_of_every_input
    [cases] test_a_file_input_must_name_a_file_next_to_the_case
11. every case and every expectation key is checked before any request
    [checking] test_one_malformed_case_among_a_thousand_lets_no_request_through
    [checking] test_twenty_kinds_of_malformed_cases_are_all_named_at_once
    [checking] test_every_expectation_key_of_a_case_is_checked
12. for JSON commands, keys that begin with `/` are JSON pointers
    [expectations] test_keys_that_begin_with_a_slash_are_json_pointers
    [expectations] test_a_pointer_in_a_case_of_a_text_command_is_malformed
13. their values are exact JSON values, or a numeric minimum as `{ min = 0.8 }`
    [expectations] test_the_value_of_a_pointer_is_an_exact_json_value
    [expectations] test_min_is_a_numeric_minimum
14. a missing pointer fails the case
    [expectations] test_a_missing_pointer_fails_the_case
15. for text commands, `lines = 1` counts nonempty lines, `contains = ["feat:"]` requires literal substrings
    [expectations] test_lines_is_the_number_of_non_empty_lines
    [expectations] test_contains_requires_literal_substrings
    [expectations] test_lines_and_contains_in_a_case_of_a_json_command_are_malformed
16. only `exit_code = 0`, the default, and `exit_code = 4`, a rejection by the output contract, are valid
    [expectations] test_any_exit_code_but_0_and_4_is_malformed
    [expectations] test_exit_code_0_is_the_default
    [expectations] test_exit_code_4_expects_a_rejection_by_the_output_contract
17. a case with `exit_code = 4` cannot also declare output comparisons, for there is no validated output
    [expectations] test_exit_code_4_beside_an_output_comparison_is_malformed
18. `gko config test`: all cases, sequentially
    [running] test_all_cases_run_one_after_the_other
19. `gko config test git review`: one command path
    [running] test_a_command_path_selects_its_cases
20. `--model gpu-twin`: the same cases with another model
    [running] test_model_runs_the_same_cases_with_another_model
21. `--repeat 3 --json`: measure distinct final outputs
    [running] test_repeat_with_json_measures_distinct_final_outputs
22. `--dry-run --json`: list cases and rendered messages, no request
    [running] test_a_dry_run_with_json_lists_cases_and_rendered_messages
23. the normal report has the columns COMMAND CASE RESULT DURATION
    [running] test_the_normal_report_has_four_columns
24. `--json` returns an array of rows with exactly the keys named, `message` on failure alone
    [running] test_the_rows_of_json_have_the_keys_that_are_named
25. each case runs N times; distinct outputs are counted after the output contract, zero if no run had a valid one
    [running] test_each_case_runs_as_often_as_repeat_says
    [running] test_distinct_outputs_are_counted_after_the_output_contract
    [running] test_distinct_outputs_are_zero_where_no_run_was_valid
26. the runner finishes the suite when expectations fail, exit 4
    [running] test_the_suite_is_finished_when_expectations_fail
27. malformed cases, exit 2, and backend errors, exit 3, stop the suite with empty stdout
    [running] test_a_malformed_case_stops_the_suite_with_empty_stdout
    [running] test_a_backend_error_stops_the_suite_with_empty_stdout
28. a dry run prints the rendered messages for each case and never contacts the backend
    [running] test_a_dry_run_prints_the_rendered_messages_and_contacts_nobody
29. with GKO_STATS_FILE every run of a case also appends a record that carries the case name
    [running] test_every_run_of_a_case_appends_a_record_with_its_name
    [running] test_a_run_that_got_no_answer_is_recorded_too
30. a command with `mode = "binary"` takes a file next to the case, read as bytes; an inline string is rejected
    [binary] test_a_binary_command_takes_a_file_next_to_the_case_as_bytes
    [binary] test_a_dry_run_names_the_file_that_would_be_uploaded
    [binary] test_a_binary_input_must_name_a_file_next_to_the_case
    [binary] test_an_inline_input_of_a_binary_command_is_rejected
"""
