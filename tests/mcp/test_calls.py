"""What a call of a tool sends, and what comes back, of answers and of failures."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from gekko import limits
from gekko.errors import InputOutputError, UsageError
from gekko.mcp.calls import prepared
from gekko.mcp.tools import toolbox
from gekko.plan.catalog import load_catalog
from gekko.sources.scopes import Scope
from tests.mcp.speaking import Said, Speaker, call, speak, stderr
from tests.project import FRONT, JSON_OUTPUT, Project
from tests.stub_server import StubServer, answer_json, delay, say, stall, status

OBJECT = '{"type": "object"}'

EVERYTHING = (
    'model = "fast"\n'
    "[args.kind]\nrequired = true\n"
    '[args.level]\ntype = "enum"\nvalues = ["low", "high"]\ndefault = "low"\n'
    '[args.lines]\ntype = "integer"\nmin = 1\ndefault = 3\n'
    '[args.style]\ntype = "file"\ndefault = "style.md"\n'
)


def sent(server: StubServer) -> list[str]:
    """Return the last message of every request."""
    return [request.json["messages"][-1]["content"] for request in server.requests]


def records(project: Project) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.folder / "runs.jsonl").read_text().splitlines()]


class TestAnAnswer:
    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    def test_is_the_text_that_the_command_prints(self, project: Project, server: StubServer, mode: str) -> None:
        project.command("git/review")
        server.say("  hardware\n")

        said = speak(project, lambda speaker: speaker.call("git_review", text="It burns"), mode)

        assert said == Said("hardware")
        assert sent(server) == ["Classify this ticket: It burns"]
        assert stderr(project) == ""

    def test_with_a_schema_is_structured_as_well(self, project: Project, server: StubServer) -> None:
        project.write("schemas/any.json", OBJECT)
        project.command("sort", f'{FRONT}{JSON_OUTPUT}schema = "any"\n')
        server.say('```json\n{"a": null, "b": [1.0, 12345678901234567890123]}\n```')

        said = call(project, "sort", text="x")

        assert said.text == '{"a":null,"b":[1.0,12345678901234567890123]}'
        assert said.structured == {"a": None, "b": [1.0, 12345678901234567890123]}

    def test_of_which_a_part_is_extracted_is_that_part(self, project: Project, server: StubServer) -> None:
        project.write("schemas/any.json", OBJECT)
        project.command("sort", f'{FRONT}{JSON_OUTPUT}schema = "any"\nextract = "/category"\n')
        server.say('{"category": "hardware"}')

        assert call(project, "sort", text="x") == Said("hardware")

    def test_may_come_from_the_fallback(self, project: Project, server: StubServer) -> None:
        project.model('fallback = "slow"')
        project.model(id="slow")
        project.command("review")
        server.answer(status(500), say("better"))

        assert call(project, "review", text="x") == Said("better")

    def test_is_recorded(self, project: Project, server: StubServer) -> None:
        project.command("git/review")
        project.command("strict", FRONT + JSON_OUTPUT)
        project.environ["GKO_STATS_FILE"] = "runs.jsonl"
        server.answer(say("ok"), say("no JSON"), status(500))

        async def scene(speaker: Speaker) -> None:
            await speaker.call("git_review", text="x")
            await speaker.call("strict", text="x")
            await speaker.call("strict", text="x")
            await speaker.call("strict", text=3)

        speak(project, scene)

        assert [(each["command"], each["exit_code"]) for each in records(project)] == [
            ("git/review", 0),
            ("strict", 4),
            ("strict", 3),
        ]


class TestArguments:
    @pytest.fixture(autouse=True)
    def _command(self, project: Project) -> None:
        project.write("style.md", "plainly")
        (project.folder / "mine.md").write_text("\ufeffgaudily")
        prompt = "{{ args.kind }} {{ args.level }} {{ args.lines }} {{ args.style }}: {{ input }}"
        project.command("all", EVERYTHING, prompt)

    @pytest.mark.parametrize(
        ("given", "prompt"),
        [
            pytest.param({"kind": "a"}, "a low 3 plainly: It burns", id="defaults"),
            pytest.param(
                {"kind": "", "level": "high", "lines": 7, "style": "mine.md"}, " high 7 gaudily: It burns", id="all"
            ),
            pytest.param({"kind": "7", "lines": 7.0}, "7 low 7 plainly: It burns", id="an integral float"),
            pytest.param({"kind": "{{ input }}", "lines": "7"}, "{{ input }} low 7 plainly: It burns", id="text"),
        ],
    )
    def test_stand_in_the_prompt(
        self, project: Project, server: StubServer, given: dict[str, Any], prompt: str
    ) -> None:
        assert call(project, "all", text="\ufeffIt burns", **given) == Said("ok")
        assert sent(server) == [prompt]

    def test_that_are_wrong_are_all_named_and_nothing_is_sent(self, project: Project, server: StubServer) -> None:
        said = call(project, "all", knd="x", level="hihg", lines=0, style=["mine.md"])

        assert said.is_error
        assert said.text.startswith("usage: ")
        named = [line.partition(":")[0] for line in said.text.removeprefix("usage: ").splitlines()]
        assert sorted(named) == ["kind", "knd", "level", "lines", "mcp.input", "style"]
        assert "'kind'?" in said.text
        assert "'high'?" in said.text
        assert server.requests == []

    @pytest.mark.parametrize("value", [None, True, 1.5, [], {}])
    @pytest.mark.parametrize("name", ["text", "kind", "lines"])
    def test_of_another_type_are_refused(self, project: Project, name: str, value: object) -> None:
        catalog = load_catalog([Scope("project", project.root)])
        tool = toolbox(catalog, {}).tools["all"]
        key = "mcp.input" if name == "text" else name

        with pytest.raises(UsageError, match=f"^{key}: expected "):
            prepared(tool, {"mcp.input": "x", "kind": "a", key: value}, project.folder)

    def test_for_which_the_prompt_has_no_place_are_refused(self, project: Project, server: StubServer) -> None:
        project.command("say", 'model = "fast"\n', "Say hello.")

        said = call(project, "say", text="x")

        assert said.is_error
        assert said.text.startswith("usage: mcp.input: ")
        assert server.requests == []

    def test_of_more_than_the_limit_are_refused(self, project: Project) -> None:
        catalog = load_catalog([Scope("project", project.root)])
        tool = toolbox(catalog, {}).tools["all"]
        longest = "ä" * (limits.INPUT_BYTES // 2)

        prepared(tool, {"mcp.input": longest, "kind": "a"}, project.folder)
        with pytest.raises(InputOutputError, match=r"mcp\.input: .*64 MiB"):
            prepared(tool, {"mcp.input": longest + "x", "kind": "a"}, project.folder)


class TestFiles:
    @pytest.fixture(autouse=True)
    def _commands(self, project: Project, server: StubServer) -> None:
        project.model(id="ear", operation="speech")
        project.command("listen", 'model = "ear"\n[input]\nmode = "binary"\n', "")
        project.command("style", 'model = "fast"\n[args.style]\ntype = "file"\nrequired = true\n', "{{ args.style }}")
        server.answer(answer_json({"text": "It burns"}))

    def test_are_uploaded_by_binary_commands(self, project: Project, server: StubServer) -> None:
        (project.folder / "talk.wav").write_bytes(b"RIFF\xff")

        assert call(project, "listen", **{"mcp.file": "talk.wav"}) == Said("It burns")
        assert b'filename="talk.wav"' in server.requests[0].body
        assert b"RIFF\xff" in server.requests[0].body

    @pytest.mark.parametrize(("tool", "key"), [("listen", "mcp.file"), ("style", "style")])
    def test_outside_of_the_folder_are_not_read(
        self, project: Project, server: StubServer, tmp_path_factory: pytest.TempPathFactory, tool: str, key: str
    ) -> None:
        secret = tmp_path_factory.mktemp("elsewhere") / "secret.txt"
        secret.write_text("secret")
        (project.folder / "link.txt").symlink_to(secret)
        names = [str(secret), "link.txt", f"../{secret.parent.name}/secret.txt", "a\0b"]

        async def scene(speaker: Speaker) -> list[Said]:
            return [await speaker.call(tool, **{key: name}) for name in names]

        for said in speak(project, scene):
            assert said.is_error
            assert said.text.startswith(f"usage: {key}: ")
        assert server.requests == []

    @pytest.mark.parametrize(("tool", "key"), [("listen", "mcp.file"), ("style", "style")])
    def test_that_cannot_be_read_are_named(self, project: Project, tool: str, key: str) -> None:
        said = call(project, tool, **{key: "nowhere.txt"})

        assert said.is_error
        assert said.text.startswith("io: ")
        assert "nowhere.txt" in said.text

    def test_that_are_not_utf8_are_named(self, project: Project) -> None:
        (project.folder / "latin.txt").write_bytes(b"\xe4")

        said = call(project, "style", style="latin.txt")

        assert said.is_error
        assert said.text.startswith("io: ")
        assert "latin.txt" in said.text


class TestAFailure:
    def test_of_the_backend_is_an_error_result(self, project: Project, server: StubServer) -> None:
        project.command("review")
        server.answer(status(503, "overloaded"))

        said = call(project, "review", text="x")

        assert said.is_error
        assert said.text.startswith(f"backend: {server.url}/v1/chat/completions answered 503")
        assert stderr(project) == ""

    def test_of_the_answer_is_an_error_result_with_every_reason(self, project: Project, server: StubServer) -> None:
        schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}}
        project.write("schemas/ab.json", json.dumps(schema))
        project.command("sort", f'{FRONT}{JSON_OUTPUT}schema = "ab"\n')
        server.say('{"a": 1, "b": "x"}')

        said = call(project, "sort", text="x")

        assert said.is_error
        assert said.structured is None
        assert said.text.startswith("output: at /a: ")
        assert "at /b: " in said.text

    def test_tells_no_secret(self, project: Project, server: StubServer) -> None:
        project.backend(server.url, '[headers]\nX-Key = "{{ env.KEY }}"')
        project.command("review")
        project.environ["KEY"] = "canary-5417"
        server.answer(status(401, "no such key: canary-5417"))

        said = call(project, "review", text="x")

        assert server.requests[0].headers["x-key"] == "canary-5417"
        assert said.is_error
        assert "canary" not in said.text + stderr(project)

    def test_to_name_a_tool_is_an_error_of_the_protocol(self, project: Project) -> None:
        project.command("git/review")

        async def scene(speaker: Speaker) -> str:
            with pytest.raises(MCPError) as caught:
                await speaker.call("git_reviw", text="x")
            return caught.value.message

        message = speak(project, scene)

        assert "'git_reviw'" in message
        assert "'git_review'" in message

    def test_ends_no_other_call(self, project: Project, server: StubServer) -> None:
        project.command("review")
        server.answer(status(500), say("ok"))

        async def scene(speaker: Speaker) -> list[Said]:
            return [await speaker.call("review", text="x") for _ in range(2)]

        assert [said.is_error for said in speak(project, scene)] == [True, False]


class TestSeveralCalls:
    def test_run_side_by_side(self, project: Project, server: StubServer) -> None:
        project.command("review")
        server.answer_with(lambda request: delay(0.5, say(sent_text(request.json))))

        async def scene(speaker: Speaker) -> list[Said]:
            return await asyncio.gather(*(speaker.call("review", text=str(number)) for number in range(4)))

        assert [said.text for said in speak(project, scene)] == [f"Classify this ticket: {n}" for n in range(4)]
        assert server.peak_in_flight == 4

    def test_of_which_one_is_cancelled_leave_the_others_alone(self, project: Project, server: StubServer) -> None:
        project.command("review")
        server.answer_with(lambda request: stall if "for ever" in str(request.json) else delay(0.5, say("ok")))

        async def scene(speaker: Speaker) -> list[Said]:
            cancelled = asyncio.create_task(speaker.call("review", text="for ever"))
            assert await asyncio.to_thread(server.wait_for_requests)
            other = asyncio.create_task(speaker.call("review", text="x"))
            assert await asyncio.to_thread(server.wait_for_requests, 2)
            cancelled.cancel()
            said = await other
            assert server.open_connections == 1
            return [said, await speaker.call("review", text="x")]

        assert speak(project, scene) == [Said("ok"), Said("ok")]

    def test_see_the_configuration_of_the_start(self, project: Project, server: StubServer) -> None:
        project.command("review", prompt="old: {{ input }}")

        async def scene(speaker: Speaker) -> None:
            project.command("review", prompt="new: {{ input }}")
            await speaker.call("review", text="x")

        speak(project, scene)

        assert sent(server) == ["old: x"]


def sent_text(request: Any) -> str:
    text: str = request["messages"][-1]["content"]
    return text


def test_a_project_is_found_from_the_folder_below(project: Project, server: StubServer, tmp_path: Path) -> None:
    project.command("review")
    below = Project(tmp_path / "below")
    below.folder.mkdir()

    assert call(below, "review", text="x") == Said("ok")
