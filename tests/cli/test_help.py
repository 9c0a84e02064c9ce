"""What help says: of gko's own commands, the configured ones, groups, and configurations that are broken."""

import pytest

from tests.project import Finished, Project

LONG = "Compare-this-with-that and-other-words-with-hyphens, " * 3 + "x" * 90 + " at the end"


def help_of(project: Project, *args: str, columns: int = 80) -> str:
    run = project.gko(*args, "--help", environ={"COLUMNS": str(columns)})
    assert (run.exit_code, run.stderr) == (0, "")
    return run.stdout.decode()


def section(text: str, title: str) -> list[str]:
    """Return the lines of a section."""
    return text.partition(f"\n{title}:\n")[2].partition("\n\n")[0].splitlines()


def described(description: str) -> str:
    return f"description = '''{description}'''\nmodel = \"fast\"\n"


class TestTheTwoSections:
    def test_configured_commands_stand_by_their_path_in_order(self, project: Project) -> None:
        project.command("tickets/sort/all", described("Sort all tickets"), "{{ input }}")
        project.command("tickets/classify", described("Classify a ticket"), "{{ input }}")
        project.command("ask", described("Ask"), "{{ input }}")

        text = help_of(project)

        assert section(text, "Configured commands") == [
            "  ask               Ask",
            "  tickets classify  Classify a ticket",
            "  tickets sort all  Sort all tickets",
        ]
        assert "  doctor      The same as `gko config check`." in section(text, "Built-in commands")

    def test_a_group_shows_what_is_to_be_typed_after_it(self, project: Project) -> None:
        project.command("tickets/sort/all", described("Sort all tickets"), "{{ input }}")

        assert section(help_of(project, "tickets"), "Commands") == ["  sort all  Sort all tickets"]
        assert section(help_of(project, "tickets", "sort"), "Commands") == ["  all  Sort all tickets"]

    def test_there_is_no_section_without_commands(self, project: Project) -> None:
        assert "Configured commands" not in help_of(project)

    def test_a_project_need_not_exist(self, project: Project) -> None:
        assert "Configured commands" not in help_of(project, "--config-dir", "home")


class TestDescriptions:
    def test_are_one_paragraph_without_line_ends_and_control_characters(self, project: Project) -> None:
        project.command(
            "ask", 'description = "Ask\\nthis,\\u001b[31m or that.\\n\\nMore."\nmodel = "fast"\n', "{{ input }}"
        )

        assert section(help_of(project), "Configured commands") == ["  ask  Ask this, [31m or that."]

    @pytest.mark.parametrize("columns", [80, 40, 15])
    def test_are_wrapped_between_words_alone(self, project: Project, columns: int) -> None:
        project.command("ask", described(LONG), "{{ input }}")

        lines = section(help_of(project, columns=columns), "Configured commands")

        assert [word for line in lines for word in line.split()] == ["ask", *LONG.split()]

    def test_begin_below_a_name_that_is_too_long(self, project: Project) -> None:
        name = "a-name-of-more-than-thirty-characters"
        project.command(name, described("Long"), "{{ input }}")
        project.command("ask", described("Ask"), "{{ input }}")

        assert section(help_of(project), "Configured commands") == [
            f"  {name}",
            f"{'':34}Long",
            f"  ask{'':29}Ask",
        ]

    def test_of_arguments_end_with_a_full_stop(self, project: Project) -> None:
        kind = '[args.kind]\ntype = "enum"\nvalues = ["a", "b"]\ndescription = "What it is"\nrequired = true\n'
        project.command("ask", described("Ask") + kind, "{{ input }}")

        assert "What it is. One of 'a' or 'b'. Required." in help_of(project, "ask", columns=200)

    @pytest.mark.parametrize(
        ("declared", "told"),
        [
            ("min = 1\nmax = 9\ndefault = 3", "From 1 to 9. By default '3'."),
            ("min = 1\nrequired = true", "At least 1. Required."),
            ("max = -1", "At most -1."),
            ("description = 'How many'\nmin = 0\nmax = 0", "How many. From 0 to 0."),
        ],
    )
    def test_of_integers_tell_their_bounds(self, project: Project, declared: str, told: str) -> None:
        project.command("ask", f'{described("Ask")}[args.count]\ntype = "integer"\n{declared}\n', "{{ input }}")

        assert f"--count INTEGER        {told}\n" in help_of(project, "ask", columns=200)


class TestWhatIsBroken:
    def test_a_broken_command_is_marked_and_the_others_are_described(self, project: Project) -> None:
        project.command("ask", described("Ask"), "{{ input }}")
        project.command("odd", "model = 7\n", "{{ input }}")

        assert section(help_of(project), "Configured commands") == [
            "  ask  Ask",
            "  odd  (broken; `gko doctor` says why)",
        ]

    @pytest.mark.parametrize("written", ["id = ", 'id = "odd"\ntype = "nothing"\n'], ids=["no TOML", "no backend"])
    def test_a_broken_configuration_leaves_what_is_gkos_own(self, project: Project, written: str) -> None:
        project.command("ask", described("Ask"), "{{ input }}")
        project.write("backends/odd.toml", written)

        text = help_of(project)

        assert "The configuration is broken; `gko doctor` says why." in text
        assert "Configured commands" not in text
        assert section(text, "Built-in commands") != []
        assert help_of(project, "config", "test").startswith("Usage: gko config test")


class TestAGroupAlone:
    @pytest.mark.parametrize("args", [(), ("config",), ("-v", "error"), ("config", "-v", "error"), ("tickets",)])
    def test_shows_its_help_as_an_error(self, project: Project, args: tuple[str, ...]) -> None:
        project.command("tickets/classify")

        run = project.gko(*args)

        assert run == Finished(2, b"", help_of(project, *(arg for arg in args if arg not in ("-v", "error"))))


def test_options_of_a_command_come_before_those_of_all(project: Project) -> None:
    project.command("ask", described("Ask"), "{{ input }}")

    for args in (("ask",), ("config", "test")):
        text = help_of(project, *args)
        assert text.index("--model") < text.index("--dry-run") < text.index("--verbose") < text.index("--help")
