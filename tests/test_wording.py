"""How messages speak of values and names that nobody chose for them."""

import pytest

from gekko.wording import MOST_CANDIDATES, SHOWN_CHARACTERS, did_you_mean, first_of, joined, one_of, printable, shown


class Mute:
    """An object of a checker, which cannot be written."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"a": [1, 2.5, None, True]}, '{"a": [1, 2.5, null, true]}'),
        ("\x1b[31m\ud800", '"\\u001b[31m\\ud800"'),
        ({(1, 2): 3}, "'dict'"),
        (Mute(), "'Mute'"),
        (10**5000, "'int'"),
    ],
    ids=["json", "control-characters", "a-name-that-is-no-text", "an-object", "a-number-beyond-writing"],
)
def test_whatever_was_found_can_be_shown(value: object, written: str) -> None:
    assert shown(value) == written


@pytest.mark.parametrize("value", ["x" * 10**7, ["x" * 200] * 10**6, {"x" * 10**6: 1}], ids=["text", "array", "name"])
def test_what_is_long_is_cut(value: object) -> None:
    text = shown(value)

    assert len(text) == SHOWN_CHARACTERS
    assert text.endswith("x…")


def test_what_is_cut_is_the_beginning_of_the_whole() -> None:
    for length in range(1, 40):
        text = 'ab"\n' * length

        assert shown(text, 20) == (shown(text, 1000) if length < 4 else shown(text, 1000)[:19] + "…")


def test_names_cannot_disturb_a_terminal_and_are_cut() -> None:
    assert did_you_mean("category", ["cate\x1b[31mgory"]) == "did you mean 'cate\\u001b[31mgory'?"
    assert one_of(["\x1b[31m", "y" * 1000], conjunction="and") == f"'\\u001b[31m' and '{'y' * 119}…'"


def test_of_many_names_the_first_are_told_and_the_rest_is_counted() -> None:
    assert one_of("abc", most=3) == "'a', 'b' or 'c'"
    assert one_of("abcde", most=3) == "'a', 'b', 'c' and 2 more"
    assert first_of(["a", "b"], most=2) == "a, b"
    assert first_of(["a", "b\x1b", "c"], most=2) == "a, b\\u001b and 1 more"
    assert first_of(["a", "b"], most=2, count=10) == "a, b and 8 more"


def test_what_is_much_longer_than_any_name_is_no_slip_of_one() -> None:
    assert did_you_mean("x" * 10**7, ["x" * 100]) == ""


def test_of_a_million_names_the_first_are_looked_at() -> None:
    names = (f"member-{number}" for number in range(10**9))

    assert did_you_mean("membr-7", names) == "did you mean 'member-7'?"
    assert next(names) == f"member-{MOST_CANDIDATES}"


NFC, NFD = "café", "cafe\u0301"


@pytest.mark.parametrize(
    ("name", "accepted", "named"),
    [
        pytest.param(NFD, NFC, ("NFC", "NFD"), id="decomposed"),
        pytest.param(NFC, NFD, ("NFD", "NFC"), id="composed"),
        pytest.param("\u00e9", "e\u0301", ("NFD", "NFC"), id="one-letter"),
        pytest.param(f"{NFC} {NFD}", f"{NFC} {NFC}", ("written in NFC", "this in neither"), id="mixed"),
    ],
)
def test_a_name_that_only_looks_the_same_is_told_apart_by_its_normal_form(
    name: str, accepted: str, named: tuple[str, ...]
) -> None:
    text = did_you_mean(name, [accepted])

    assert text.startswith(f"did you mean '{accepted}'?")
    assert all(form in text for form in named)


def test_other_slips_of_a_name_with_accents_are_no_matter_of_normal_forms() -> None:
    assert did_you_mean("CAFE\u0301", [NFC]) == f"did you mean '{NFC}'?"
    assert did_you_mean("cafés", [NFD]) == f"did you mean '{NFD}'?"


def test_a_printable_text_stays_as_it_is() -> None:
    assert printable("Größe ≥ 3 …") == "Größe ≥ 3 …"
    assert printable("a\nb\ud800") == "a\\u000ab\\ud800"


def test_of_the_parts_of_a_message_those_that_say_nothing_are_left_out() -> None:
    assert (joined("a", "", "b"), joined("a", ""), joined("", "")) == ("a; b", "a", "")
