"""The rule of adaptive play in plain Python, as it is written down: one pull after the other, lists and sorting."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import count, cycle, islice

import numpy as np
from scipy.special import roots_jacobi

from heats.base.randomness import Purpose, draw_bits, fold_seed


def log_gains(m: int) -> tuple[float, float]:
    return math.log(m * 0.7), math.log(m * 0.3 / (m - 1))


def gains(order: list[list[int]]) -> dict[int, float]:
    """Return what a pull adds, of arms given as groups that tie, best first: the rule, place by place."""
    found: defaultdict[int, float] = defaultdict(float)
    while len(order) > 1:
        left = [arm for group in order for arm in group]
        won, lost = log_gains(len(left))
        for arm in left:
            share = 1 / len(order[0]) if arm in order[0] else 0.0
            found[arm] += share * won + (1 - share) * lost
        order = order[1:]
    return dict(found)


def group(values: dict[int, float]) -> list[list[int]]:
    """Return arms by value, the largest first, equal ones together."""
    return [[arm for arm in values if values[arm] == value] for value in sorted(set(values.values()), reverse=True)]


def flatten(groups: list[list[int]]) -> list[int]:
    return [arm for each in groups for arm in each]


def round_value(value: float) -> float:
    """Return a value as far as it counts when arms are dealt."""
    return round(value * 2**14) / 2**14


class Plain:
    """The rule where company decides, as it is written down: one pull after the other, with lists and sorting."""

    def __init__(self, n: int, k: int, seed: int) -> None:
        self.n, self.k = n, k
        self.pulls = [0] * n
        self.sets: defaultdict[frozenset[int], defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
        self.seed = fold_seed(seed)

    def luck(self, lap: int) -> list[int]:
        """Return which of equal arms come first, the smaller the sooner."""
        luck: list[int] = draw_bits(self.seed, Purpose.DEAL, lap, np.arange(self.n)).tolist()
        return luck

    def score(self, arm: int) -> float:
        """Return log P(all is as it is | it is the best) − log P(… | it is another, as strong as may be)."""
        chances = [
            math.exp(gained[arm]) / sum(math.exp(gained[each]) for each in members)
            for members, gained in self.sets.items()
            if arm in members
        ]
        return score_sets(chances, self.k)

    def deal_first(self, pulls: int) -> list[set[int]]:
        """Deal everybody lap by lap; who fills up the last heat of a lap is whoever's turn it is, in the first order."""
        pulled, dealt = [0] * self.n, list[set[int]]()
        turns = cycle(sorted(range(self.n), key=self.luck(0).__getitem__))
        for lap in count():
            twice, luck = list(islice(turns, -self.n % self.k)), self.luck(lap)
            order = sorted(range(self.n), key=lambda arm: (pulled[arm], arm not in twice, luck[arm]))
            order += order[: len(twice)]
            for start in range(0, len(order), self.k):
                dealt.append(set(order[start : start + self.k]))
                if len(dealt) == pulls:
                    return dealt
            for arm in order:
                pulled[arm] += 1
        raise AssertionError

    def deal(self, pulls: int) -> list[set[int]]:
        if not any(self.pulls):
            return self.deal_first(pulls)
        score, pulled, heats_dealt = [round(self.score(arm), 12) for arm in range(self.n)], list(self.pulls), []
        luck = self.luck(0)
        for _ in range(pulls):
            heat = sorted(range(self.n), key=lambda arm: (-round_value(score[arm]), pulled[arm], luck[arm]))
            heat = heat[: self.k]
            total = sum(math.exp(score[arm]) for arm in heat)
            won, lost = log_gains(self.k)
            chances = {arm: math.exp(score[arm]) / total for arm in heat}
            for arm in heat:
                score[arm] = round_value(score[arm] + chances[arm] * won + (1 - chances[arm]) * lost)
                pulled[arm] += 1
            heats_dealt.append(set(heat))
        return heats_dealt

    def tell(self, arms: tuple[int, ...], order: list[list[int]]) -> None:
        members = self.sets[frozenset(arms)]
        for arm in arms:
            self.pulls[arm] += 1
        for arm, gain in gains(order).items():
            members[arm] += gain


def score_sets(chances: list[float], size: int) -> float:
    """Return the score of an arm that tops its sets with these chances."""
    points, weights = roots_jacobi(8, size - 2, 0)
    another = 0.0
    for point, weight in zip((1 + points) / 2, weights / weights.sum(), strict=True):
        explained = (size * (point * p + (1 - point) * (1 - p) / (size - 1)) for p in chances)
        another += weight * math.prod(explained)
    return sum(math.log(size * chance) for chance in chances) - math.log(another)


class PlainWinners(Plain):
    """All of the rule where winners are told: it also finds out whether strengths last, and then goes by these."""

    def __init__(self, n: int, k: int, budget: int, seed: int) -> None:
        super().__init__(n, k, seed)
        self.budget, self.batch, self.lasts = budget, 0, False
        self.wins: defaultdict[frozenset[int], dict[int, int]] = defaultdict(dict)
        self.theta, self.sharp = [0.0] * n, [1.0] * n

    def tell_winner(self, arms: tuple[int, ...], winner: int) -> None:
        self.tell(arms, [[winner], [arm for arm in arms if arm != winner]])
        tallies = self.wins[frozenset(arms)]
        for arm in arms:
            tallies[arm] = tallies.get(arm, 0) + (arm == winner)

    def look(self) -> None:
        """A batch is over: ask, where that is due, what kind of world it is."""
        self.batch += 1
        told = sum(self.pulls)
        if told < self.n * max(3, 0.75 * self.k):
            self.lasts = False
        elif self.lasts or self.batch % 3 == 0:
            self.decide((0.75, 3.0, 10.0), odds=1.0)

    def find_winner(self) -> int:
        """Decide once more, and for good; of equals, luck."""
        self.decide((0.75, 3.0, 10.0, 30.0), odds=20.0)
        merits = [theta - 0.5 / math.sqrt(sharp) for theta, sharp in zip(self.theta, self.sharp, strict=True)]
        values = merits if self.lasts else [self.score(arm) for arm in range(self.n)]
        luck = self.luck(0)
        return min(range(self.n), key=lambda arm: (-round(values[arm], 12), luck[arm]))

    def decide(self, priors: tuple[float, ...], odds: float) -> None:
        likely, self.theta, self.sharp = max((self.fit(prior) for prior in priors), key=lambda found: found[0])
        self.lasts = likely + math.log(odds) > self.weigh_company()

    def fit(self, prior: float) -> tuple[float, list[float], list[float]]:
        """Return the log-likelihood of all winners by Laplace's method, θ, and the curvature of each."""
        gamma = [1.0] * self.n
        won = [prior + sum(tallies.get(arm, 0) for tallies in self.wins.values()) for arm in range(self.n)]
        for _ in range(100_000):
            rates = {
                each: sum(tallies.values()) / sum(gamma[arm] for arm in each) for each, tallies in self.wins.items()
            }
            expected = [2 * prior / (1 + gamma[arm]) for arm in range(self.n)]
            for each, rate in rates.items():
                for arm in each:
                    expected[arm] += rate
            before, gamma = gamma, [w / e for w, e in zip(won, expected, strict=True)]
            if all(abs(new - old) <= 1e-13 * old for new, old in zip(gamma, before, strict=True)):
                break
        hessian = np.diag([2 * prior * each / (1 + each) ** 2 for each in gamma])
        beta = 2 * math.lgamma(prior) - math.lgamma(2 * prior)
        peak = sum(prior * math.log(each) - 2 * prior * math.log1p(each) - beta for each in gamma)
        for each, tallies in self.wins.items():
            total, times = sum(gamma[arm] for arm in each), sum(tallies.values())
            for arm in each:
                chance = gamma[arm] / total
                peak += tallies[arm] * math.log(chance)
                for other in each:
                    hessian[arm, other] += times * chance * ((arm == other) - gamma[other] / total)
        likely = peak + self.n / 2 * math.log(2 * math.pi) - float(np.linalg.slogdet(hessian)[1]) / 2
        return likely, [math.log(each) for each in gamma], np.diag(hessian).tolist()

    def weigh_company(self) -> float:
        """Return the log-likelihood if every set has shares of its own, and one arm tops all of its sets."""
        found, tops = 0.0, [0.0] * self.n
        chances: dict[frozenset[int], dict[int, float]] = {}
        for each, tallies in self.wins.items():
            m = len(each)
            found += math.lgamma(m / 2) - math.lgamma(m / 2 + sum(tallies.values()))
            found += sum(math.lgamma(0.5 + won) - math.lgamma(0.5) for won in tallies.values())
            total = sum(math.exp(self.sets[each][arm]) for arm in each)
            chances[each] = {arm: math.log(m * math.exp(self.sets[each][arm]) / total) for arm in each}
            for arm in each:
                tops[arm] += chances[each][arm]
        best = tops.index(max(tops))
        decoys = [
            sum(said[arm] for each, said in chances.items() if arm in each and best not in each)
            for arm in range(self.n)
        ]
        one, two = (sum(map(math.exp, logs)) / self.n for logs in (tops, decoys))
        return found + math.log(one) + math.log((1 + two) / 2)

    def deal(self, pulls: int) -> list[set[int]]:
        if not self.lasts:
            return super().deal(pulls)
        ahead = 6 - 5 * sum(self.pulls) / self.k / self.budget
        sharp, pulled, luck, dealt = list(self.sharp), list(self.pulls), self.luck(0), []
        close = sum(
            theta + 1 / math.sqrt(known) >= max(self.theta) for theta, known in zip(self.theta, sharp, strict=True)
        )
        best_places = min(max(close, 2), self.k) if sum(pulled) / self.n >= 16 else self.k
        for _ in range(pulls):
            reach = [theta + ahead / math.sqrt(known) for theta, known in zip(self.theta, sharp, strict=True)]
            order = sorted(range(self.n), key=lambda arm: (-round_value(reach[arm]), pulled[arm], luck[arm]))
            heat = order[:best_places]
            guests = sorted(order[best_places:], key=lambda arm: (pulled[arm], luck[arm]))
            heat += guests[: self.k - best_places]
            total = sum(math.exp(self.theta[arm]) for arm in heat)
            for arm in heat:
                chance = math.exp(self.theta[arm]) / total
                sharp[arm] += max(chance * (1 - chance), 0.05)
                pulled[arm] += 1
            dealt.append(set(heat))
        return dealt
