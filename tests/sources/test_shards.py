"""Cases are spread over shards: each is in one of them, whatever other cases there are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gekko.sources.listing import CaseKey
from gekko.sources.shards import Shard

WORDS = st.text("abcdefgh-é", min_size=1, max_size=6)
KEYS = st.tuples(st.lists(WORDS, min_size=1, max_size=3).map(tuple), WORDS)


class TestShards:
    @given(st.sets(KEYS, max_size=50), st.integers(1, 9))
    def test_together_hold_every_case_once(self, keys: set[CaseKey], count: int) -> None:
        shards = [Shard(index, count) for index in range(1, count + 1)]

        assert [[shard.holds(key) for shard in shards].count(True) for key in keys] == [1] * len(keys)

    @given(st.sets(KEYS, max_size=20), st.sets(KEYS, max_size=20), st.integers(1, 9), st.data())
    def test_keep_their_cases_when_others_are_added(
        self, keys: set[CaseKey], added: set[CaseKey], count: int, data: st.DataObject
    ) -> None:
        shard = Shard(data.draw(st.integers(1, count)), count)

        before, after = (set(filter(shard.holds, some)) for some in (keys, keys | added))

        assert after - added == before - added

    def test_are_the_same_in_every_version(self) -> None:
        """Shards of one suite may run on machines with different versions of gko."""
        keys = [(("git", "review"), name) for name in ("hardware", "software", "nothing", "network")]

        assert [[index for index in range(1, 4) if Shard(index, 3).holds(key)] for key in keys] == [[2], [1], [1], [1]]

    def test_are_of_about_one_size(self) -> None:
        keys = [(("ask",), f"case-{number}") for number in range(4000)]

        sizes = [sum(Shard(index, 4).holds(key) for key in keys) for index in range(1, 5)]

        assert [900 < size < 1100 for size in sizes] == [True] * 4

    @given(st.integers(1, 999_999_999), st.data())
    def test_are_written_as_they_are_read(self, count: int, data: st.DataObject) -> None:
        shard = Shard(data.draw(st.integers(1, count)), count)

        assert Shard.parse(str(shard)) == shard

    @pytest.mark.parametrize(
        "text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", " 1/2", "1/2\n", "½/2", "٣/4", "1/1234567890"]
    )
    def test_that_do_not_exist_are_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="expected I/N"):
            Shard.parse(text)
