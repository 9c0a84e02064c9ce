"""How many requests at a time pay, on simulated servers: no time passes, and every run is the same."""

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from random import Random
from statistics import mean

import pytest
from attrs import define, field, frozen

from gekko.run.climbing import FIRST, MOST, Climb

Latency = Callable[[Random], float]


@frozen
class Server:
    """Answers after a while; works on *slots* requests at a time, and refuses what is beyond *capacity*."""

    latency: Latency
    slots: int = 10_000
    capacity: int = 10_000


@define
class Suite:
    """So many requests, as many at a time as a climb says."""

    server: Server
    requests: int
    seed: int = 1
    now: float = 0.0
    refusals: int = 0
    limits: list[int] = field(factory=list)
    latencies: list[float] = field(factory=list)
    _climb: Climb = field(factory=lambda: Climb(0.0))

    def run(self) -> "Suite":
        """Send all requests, each again until it is answered."""
        chance, left, in_flight, number = Random(self.seed), self.requests, 0, 0
        queue: deque[float] = deque()
        ends: list[tuple[float, int, bool, float, int]] = []
        working = backed_off = 0
        while left or in_flight:
            while left and in_flight < self._climb.limit:
                left, in_flight, number = left - 1, in_flight + 1, number + 1
                if in_flight > self.server.capacity:
                    heappush(ends, (self.now + 0.001, number, False, self.now, backed_off))
                elif working < self.server.slots:
                    working += 1
                    heappush(ends, (self.now + self.server.latency(chance), number, True, self.now, backed_off))
                else:
                    queue.append(self.now)
            self.now, _, is_answer, sent_at, its_back_off = heappop(ends)
            if is_answer:
                self.latencies.append(self.now - sent_at)
                self.limits.append(self._climb.limit)
                self._climb.answered(self.now, is_used=left > 0 and in_flight >= self._climb.limit)
                if queue:
                    number += 1
                    heappush(ends, (self.now + self.server.latency(chance), number, True, queue.popleft(), backed_off))
                else:
                    working -= 1
            else:
                self.refusals, left = self.refusals + 1, left + 1
                if its_back_off == backed_off:
                    backed_off += 1
                    self._climb.refused(self.now)
            in_flight -= 1
        return self


def steady(seconds: float) -> Latency:
    return lambda _: seconds


def various(seconds: float) -> Latency:
    """Between a quarter and four times as long, as answers of a language model are."""
    return lambda chance: seconds * chance.lognormvariate(-0.245, 0.7)


def test_where_it_pays_it_gets_to_the_most_at_once() -> None:
    suite = Suite(Server(steady(0.05)), 600).run()

    assert suite.limits[:: len(suite.limits) - 1][0] == FIRST
    assert max(suite.limits) == MOST
    assert suite.now < 1.2 * 600 * 0.05 / 32


@pytest.mark.parametrize("seed", range(5))
def test_answers_that_take_different_times_do_not_mislead_it(seed: int) -> None:
    suite = Suite(Server(various(5)), 600, seed).run()

    assert mean(suite.limits[300:]) > 20
    assert suite.now < 2.5 * 600 * 5 / 32


def test_a_server_that_takes_one_after_the_other_gets_few() -> None:
    suite = Suite(Server(steady(0.02), slots=1), 300).run()

    assert max(suite.limits) <= 2 * FIRST
    assert mean(suite.limits[100:]) < FIRST
    assert mean(suite.latencies) < 4 * 0.02
    assert suite.now < 1.1 * 300 * 0.02


def test_a_server_with_so_many_slots_gets_about_as_many() -> None:
    suite = Suite(Server(steady(0.05), slots=16), 1000).run()

    assert 12 <= mean(suite.limits[200:]) <= 22
    assert suite.now < 1.15 * 1000 * 0.05 / 16


@pytest.mark.parametrize("latency", [steady(0.05), various(0.05)], ids=["steady", "various"])
def test_refusals_beyond_a_capacity_stay_few_and_it_is_used(latency: Latency) -> None:
    suite = Suite(Server(latency, capacity=8), 1000).run()

    assert 7 <= mean(suite.limits) <= 9
    assert suite.refusals < 40


def test_a_refusal_that_nothing_new_brought_about_halves_the_number() -> None:
    climb = Climb(0.0)

    found = []
    for _ in range(4):
        climb.refused(0.0)
        found.append(climb.limit)

    assert found == [2, 1, 1, 1]


def test_it_recovers_once_there_are_no_refusals_any_more() -> None:
    climb = Climb(0.0)
    for _ in range(3):
        climb.refused(0.0)

    now = 0.0
    for _ in range(400):
        now += 1 / climb.limit
        climb.answered(now, is_used=True)

    assert climb.limit > 10


def test_nothing_is_learned_from_a_limit_that_is_not_used() -> None:
    climb = Climb(0.0)

    for number in range(100):
        climb.answered(float(number), is_used=False)

    assert climb.limit == FIRST
