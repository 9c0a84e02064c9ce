"""Which value a JSON pointer names."""

from collections.abc import Iterator

import pytest
from hypothesis import given

from gekko.pointers import NoSuchPlace, PointerError, build, parse, resolve
from tests.json_values import VALUES

# The example of RFC 6901, section 5, and a little more.
DOCUMENT = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
    "~1": 9,
    "0": {"-": 10, "": {"": 11}},
    "long": list(range(12)),
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
        ("/~01", 9),
        ("/0/-", 10),
        ("/0//", 11),
        ("/long/11", 11),
    ],
)
def test_a_pointer_names_a_value(pointer: str, value: object) -> None:
    assert resolve(DOCUMENT, parse(pointer)) == value


@pytest.mark.parametrize("pointer", ["a", "#/a", "~", "/~", "/~2", "/a~", "/~01~", "/~\n", " /a", "/a/~ /b"])
def test_what_is_no_pointer_is_refused_by_its_text(pointer: str) -> None:
    with pytest.raises(PointerError) as caught:
        parse(pointer)

    assert pointer.strip() in str(caught.value)


@pytest.mark.parametrize(
    ("pointer", "place", "named"),
    [
        pytest.param("/fo", (), "'foo'", id="misspelt-member"),
        pytest.param("/nothing-like-it", (), "it has", id="unknown-member"),
        pytest.param("/foo/2", ("foo",), "2 items", id="index-too-great"),
        pytest.param("/foo/-", ("foo",), "-", id="place-after-the-last"),
        pytest.param("/foo/-1", ("foo",), "-1", id="negative-index"),
        pytest.param("/foo/00", ("foo",), "00", id="leading-zero"),
        pytest.param("/foo/+1", ("foo",), "+1", id="sign"),
        pytest.param("/foo/1.0", ("foo",), "1.0", id="fraction"),
        pytest.param("/foo/\u0661", ("foo",), "\u0661", id="digit-of-another-script"),
        pytest.param("/foo/0\n", ("foo",), "0", id="line-end-after-the-index"),
        pytest.param("/foo/", ("foo",), '""', id="empty-index"),
        pytest.param("/foo/" + "9" * 5000, ("foo",), "999", id="endless-index"),
        pytest.param("/foo/bar", ("foo",), "bar", id="name-in-an-array"),
        pytest.param("/foo/0/0", ("foo", "0"), '"bar"', id="inside-a-string"),
        pytest.param("//0", ("",), "0", id="inside-a-number"),
        pytest.param("/0/x", ("0",), "'-'", id="member-of-a-member"),
    ],
)
def test_a_missing_place_names_the_last_one_on_the_way(pointer: str, place: tuple[str, ...], named: str) -> None:
    with pytest.raises(NoSuchPlace) as caught:
        resolve(DOCUMENT, parse(pointer))

    missing = caught.value
    assert (missing.place, missing.token) == (place, parse(pointer)[len(place)])
    assert missing.value == resolve(DOCUMENT, place)
    assert named in str(missing)
    assert len(str(missing)) < 400


def test_names_of_an_answer_cannot_disturb_a_terminal() -> None:
    document = {"\x1b[31m": {"y" * 10**6: 1}, "cate\x1bgory": 2}

    for tokens in (("category",), ("z",), ("\x1b[31m", "a")):
        with pytest.raises(NoSuchPlace) as caught:
            resolve(document, tokens)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 400


def test_an_empty_object_has_no_members_to_list() -> None:
    with pytest.raises(NoSuchPlace) as caught:
        resolve({}, ("a",))

    assert str(caught.value) == 'the document has no member "a"; it has none'


def places_in(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    yield path, value
    if isinstance(value, dict):
        for name, member in value.items():
            yield from places_in(member, (*path, name))
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from places_in(item, (*path, index))


@given(VALUES)
def test_a_pointer_built_from_a_path_finds_the_value_at_that_path(document: object) -> None:
    for path, value in places_in(document):
        tokens = parse(build(path))

        assert tokens == tuple(map(str, path))
        assert resolve(document, tokens) is value
