"""The rule of adaptive play in plain Python, as it is written down: one pull after the other, lists and sorting."""

from __future__ import annotations

import math
from itertools import count, cycle, islice

import numpy as np

from heats.base.randomness import Purpose, draw_bits, fold_seed

WIN_CHANCES = (0.55, 0.65, 0.75, 0.85, 0.95)  # of the best arm
SHAPE = 0.5  # of the prior of shares


def group(values: dict[int, float]) -> list[list[int]]:
    """Return arms by value, the largest first, equal ones together."""
    return [[arm for arm in values if values[arm] == value] for value in sorted(set(values.values()), reverse=True)]


def flatten(groups: list[list[int]]) -> list[int]:
    return [arm for each in groups for arm in each]


def round_value(value: float) -> float:
    """Return a value as far as it counts when arms are dealt."""
    return round(value * 2**14) / 2**14


def log_dirichlet(tallies: list[float]) -> float:
    """Return log DM(w): of wins one after the other, where each arm wins with a share that nobody knows."""
    found = math.lgamma(SHAPE * len(tallies)) - math.lgamma(SHAPE * len(tallies) + sum(tallies))
    return found + sum(math.lgamma(SHAPE + won) - math.lgamma(SHAPE) for won in tallies)


def log_beta(came: float, missed: float, left: int) -> float:
    """Return the logarithm of the chance to come there so often if that is as likely as for all others left."""
    a, b = SHAPE, SHAPE * (left - 1)
    found = math.lgamma(a + came) + math.lgamma(b + missed) - math.lgamma(a + b + came + missed)
    return found - math.lgamma(a) - math.lgamma(b) + math.lgamma(a + b)


def log_mean(logs: list[float]) -> float:
    return math.log(sum(map(math.exp, logs)) / len(logs))


class PlainSet:
    """All that was told of one set of arms: first places, and choices among those left after them."""

    def __init__(self, arms: frozenset[int]) -> None:
        self.first = dict.fromkeys(arms, 0.0)
        self.later: list[tuple[list[int], list[int]]] = []  # who was left, who of them was chosen

    def tell(self, order: list[list[int]]) -> None:
        """Take in arms given as groups that tie, best first; where all are left that tie, nothing is chosen."""
        for place in range(len(order) - 1):
            left = flatten(order[place:])
            if place:
                self.later.append((left, order[place]))
            else:
                for arm in order[0]:
                    self.first[arm] += 1 / len(order[0])

    def compare(self, arm: int, p: float) -> float:
        """Return R_Q(arm; p) of equation (1)."""
        won, times = self.first[arm], sum(self.first.values())
        others = [each for other, each in self.first.items() if other != arm]
        ratio = won * math.log(p) + (times - won) * math.log(1 - p)
        return ratio + log_dirichlet(others) - log_dirichlet(list(self.first.values()))

    def compare_later(self, arm: int, p: float) -> float:
        """Return the same of the later places of rankings, place by place."""
        ratio = 0.0
        for left in {len(left) for left, _ in self.later}:
            chosen = [chosen for those, chosen in self.later if len(those) == left and arm in those]
            came = sum(each.count(arm) / len(each) for each in chosen)
            missed = len(chosen) - came
            usual = log_beta(came, missed, left)
            ratio += came * math.log(p) + missed * math.log(1 - p) - usual
        return ratio


class Plain:
    """Play in a contextual world: scores S_i of equation (3), and heats of the arms with the largest ones."""

    def __init__(self, n: int, k: int, seed: int) -> None:
        self.n, self.k = n, k
        self.pulls = [0] * n
        self.sets: dict[frozenset[int], PlainSet] = {}
        self.seed = fold_seed(seed)

    def luck(self, lap: int) -> list[int]:
        """Return which of equal arms come first, the smaller the sooner."""
        luck: list[int] = draw_bits(self.seed, Purpose.DEAL, lap, np.arange(self.n)).tolist()
        return luck

    def tell(self, arms: tuple[int, ...], order: list[list[int]]) -> None:
        for arm in arms:
            self.pulls[arm] += 1
        self.sets.setdefault(frozenset(arms), PlainSet(frozenset(arms))).tell(order)

    def find_scores(self) -> list[float]:
        """Return S of every arm, a decoy beside it taken into account."""
        found = []
        for arm in range(self.n):
            decoys = [self.find_decoys(arm, p) for p in WIN_CHANCES]
            with_decoy = log_mean([self.sum_up(arm, p) for p in WIN_CHANCES]) + math.log(sum(decoys) / len(decoys))
            alone = log_mean([self.sum_up(arm, p) + self.sum_up_later(arm, p) for p in WIN_CHANCES])
            found.append(log_mean([alone, with_decoy, with_decoy]))  # a decoy is twice as likely as none
        return found

    def sum_up(self, arm: int, p: float, without: int | None = None) -> float:
        """Return L of an arm: R over all its sets, or over those without another arm."""
        return sum(each.compare(arm, p) for arms, each in self.sets.items() if arm in arms and without not in arms)

    def sum_up_later(self, arm: int, p: float) -> float:
        """Return what the later places of rankings add, which count only without a decoy."""
        return sum(each.compare_later(arm, p) for arms, each in self.sets.items() if arm in arms)

    def find_decoys(self, arm: int, p: float) -> float:
        """Return how much likelier the rest is if another arm is ahead in all its sets without this one, on average."""
        odds = [math.exp(self.sum_up(other, p, without=arm)) for other in range(self.n) if other != arm]
        return sum(odds) / len(odds)

    def find_chances(self) -> list[float]:
        """Return the chance of each arm to be the best, in a contextual world."""
        odds = [math.exp(score) for score in self.find_scores()]
        return [each / sum(odds) for each in odds]

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
        """Deal a batch; a pending pull counts with its expected result: the best wins 7 of 10."""
        if not any(self.pulls):
            return self.deal_first(pulls)
        score, pulled, dealt = [round(score, 12) for score in self.find_scores()], list(self.pulls), []
        luck, won, lost = self.luck(0), math.log(self.k * 0.7), math.log(self.k * 0.3 / (self.k - 1))
        for _ in range(pulls):
            heat = sorted(range(self.n), key=lambda arm: (-round_value(score[arm]), pulled[arm], luck[arm]))[: self.k]
            total = sum(math.exp(score[arm]) for arm in heat)
            chances = {arm: math.exp(score[arm]) / total for arm in heat}
            for arm in heat:
                score[arm] = round_value(score[arm] + chances[arm] * won + (1 - chances[arm]) * lost)
                pulled[arm] += 1
            dealt.append(set(heat))
        return dealt

    def deal_by_strengths(
        self, pulls: int, strengths: list[float], precision: list[float], gain: float, spent: float
    ) -> list[set[int]]:
        """Deal a batch in a consistent world: by strengths and eight standard errors, one and a half in the end.

        A pull adds ``gain`` to the precision of its arms; 0: where the first is chosen, q(1 − q), and at least 0.05.
        """
        bonus, precision, pulled, luck, dealt = 8 - 6.5 * spent, list(precision), list(self.pulls), self.luck(0), []
        far = [theta + 1 / math.sqrt(known) for theta, known in zip(strengths, precision, strict=True)]
        close = sum(each >= max(strengths) for each in far)
        best_places = min(max(close, 2), self.k) if sum(pulled) / self.n >= 16 else self.k
        for _ in range(pulls):
            reach = [theta + bonus / math.sqrt(known) for theta, known in zip(strengths, precision, strict=True)]
            order = sorted(range(self.n), key=lambda arm: (-round_value(reach[arm]), pulled[arm], luck[arm]))
            rare = sorted(order[best_places:], key=lambda arm: (pulled[arm], luck[arm]))
            heat = order[:best_places] + rare[: self.k - best_places]
            total = sum(math.exp(strengths[arm]) for arm in heat)
            for arm in heat:
                chance = math.exp(strengths[arm]) / total
                precision[arm] += gain or max(chance * (1 - chance), 0.05)
                pulled[arm] += 1
            dealt.append(set(heat))
        return dealt
