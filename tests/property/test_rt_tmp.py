"""Specs survive a round trip: a spec, written as TOML and read again, is the same spec."""

from pathlib import Path

from hypothesis import given, settings

from gekko.sources.document import read_front_matter, read_toml
from gekko.specs.backend import Server, read_backend
from gekko.specs.case import Case
from gekko.specs.command import FrontMatter
from gekko.specs.model import Model
from gekko.specs.sourced import sourced
from gekko.specs.structure import structure
from tests.property import specs

FILE = Path("file.toml")

A_FEW = settings(max_examples=1500, deadline=None)


@A_FEW
@given(specs.CASES)
def test_a_case_survives_a_round_trip(case: Case) -> None:
    assert sourced(read_toml(FILE, specs.toml(case).encode()), Case).spec == case


@A_FEW
@given(specs.MODELS)
def test_a_model_survives_a_round_trip(model: Model) -> None:
    assert sourced(read_toml(FILE, specs.toml(model).encode()), Model).spec == model


@A_FEW
@given(specs.SERVERS)
def test_a_backend_survives_a_round_trip(server: Server) -> None:
    assert read_backend(read_toml(FILE, specs.toml(server).encode())).spec == server


@A_FEW
@given(specs.FRONT_MATTER)
def test_front_matter_survives_a_round_trip(front: FrontMatter) -> None:
    document = read_front_matter(FILE, f"---\n{specs.toml(front)}---\nA prompt\n".encode())

    assert structure(document.data, FrontMatter) == front
    assert document.body == "A prompt\n"
