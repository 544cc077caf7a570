"""Results → a page that says how often runs that stopped early are right, and what they save."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from heats.experiments.shared.markdown import make_header, make_row, wrap_prose
from heats.experiments.standings.worlds import ARMS, FAMILY, SHARES, World
from heats.experiments.sure.runs import SURE, TIMES, Outcome, add_up

LEAST_RIGHT = 0.94  # of those that stopped
LEAST_BESIDE_DECOY = 0.92
LEAST_TAIL = 0.0228  # beyond two standard errors of a normal variable; families may have few runs that stopped


def make_sure_page(results: Mapping[World, Outcome], reps: int, seed: int) -> str:
    """Return sure.md; every number is from the CSV file beside it."""
    lines = [
        f"# Stopping early: are runs that stop at {SURE:g} right that often?",
        "",
        *wrap_prose(_explain(reps, seed)),
        *wrap_prose(_judge(results)),
        *("## Family by family", ""),
        *make_header("told", "shape", "runs", "stopped", "right of these", "tail", "saved", "if known", "verdict"),
        *(_tell_family(*family, outcome) for family, outcome in _add_up_families(results).items()),
        "",
        *("## World by world", ""),
        *make_header("told", "shape", "n", "k", "B", "runs", "stopped", "right of these", "saved", "if known"),
        *(make_row(*world[1:], outcome.runs, *_show(outcome)) for world, outcome in results.items()),
    ]
    return "\n".join(lines) + "\n"


def _explain(reps: int, seed: int) -> str:
    return (
        f"Made by `heats reproduce sure --reps {reps} --seed {seed}`: in every run one of the worlds of "
        "[standings.md](standings.md) is drawn, and adaptive play with 15 batches and a budget of "
        f"{TIMES} comparisons per candidate ends after the first batch at which the standings give the candidate that "
        f"would win a chance of {SURE:g} or more to be the best. {reps} runs per consistent world "
        f"({max(1, reps // 2)} for n = {ARMS[-1]}), {int(reps * SHARES['adaptive'])} per world of the paper's family, "
        "which is contextual. Right is who is truly the best; saved is the mean share of the budget over all runs, "
        "those that never stopped included; *if known* is what would be saved if stopping knew which "
        "kind of world it is in. All numbers in `sure.csv`."
    )


def _judge(results: Mapping[World, Outcome]) -> str:
    whole, families = add_up(list(results.values())), _add_up_families(results)
    within = sum(_find_tail(shape, each) >= LEAST_TAIL for (_, shape), each in families.items())
    return (
        f"**Of {whole.runs:,} runs {whole.stopped / whole.runs:.0%} stopped early; {whole.right:.1%} of these were "
        f"right, and {whole.saved / whole.runs:.0%} of all budgets was saved**; {whole.known / whole.runs:.0%} would "
        f"be if it were known for stopping which kind of world it is. Asked for are {LEAST_RIGHT:.0%} over all "
        f"({LEAST_BESIDE_DECOY:.0%} with a decoy), and no family in which that cannot be: {within} of {len(families)} "
        "are within it, by the exact binomial tail (how likely so few are right if that many are; too sure below "
        f"{LEAST_TAIL:.1%}, as two standard errors are). The chance is used as it stands, without a correction for "
        "checking often: a posterior does not depend on why the comparisons ended. Among near equals (sd 0.3) few runs "
        "ever are that sure, so least is known of these."
    )


def _add_up_families(results: Mapping[World, Outcome]) -> dict[tuple[str, str], Outcome]:
    """Return the outcomes by what is told and the shape of strengths."""
    families = dict.fromkeys((world.kind, world.shape) for world in results)
    return {
        each: add_up([outcome for world, outcome in results.items() if (world.kind, world.shape) == each])
        for each in families
    }


def _find_tail(shape: str, outcome: Outcome) -> float:
    """Return how likely it is that so few are right if each is with the chance that is asked for."""
    from scipy.special import bdtr

    least = LEAST_BESIDE_DECOY if FAMILY.get(shape) else LEAST_RIGHT
    return float(bdtr(outcome.successes, outcome.stopped, least)) if outcome.stopped else 1.0


def _tell_family(kind: str, shape: str, outcome: Outcome) -> str:
    stopped, right, *saved = _show(outcome)
    tail = _find_tail(shape, outcome)
    verdict = "within" if tail >= LEAST_TAIL else "too sure"
    return make_row(kind, shape, outcome.runs, stopped, right, f"{tail:.3f}", *saved, verdict)


def _show(outcome: Outcome) -> Iterator[str]:
    yield f"{outcome.stopped / outcome.runs:.0%}"
    yield f"{outcome.successes} of {outcome.stopped} ({outcome.right:.1%})" if outcome.stopped else "–"
    yield f"{outcome.saved / outcome.runs:.0%}"
    yield f"{outcome.known / outcome.runs:.0%}"
