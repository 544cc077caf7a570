"""``heats plan`` and ``heats bounds``: what a tournament costs and promises, before anything is run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated, Any

import msgspec
import typer

import heats
from heats.base.checks import one_of
from heats.base.text import count_things, format_table
from heats.cli import options
from heats.cli.root import app
from heats.engine.adaptive.batches import BATCHES, divide
from heats.engine.adaptive.dealing.repeats import MOST_BUDGET as MOST_LIMITED
from heats.errors import InvalidArgument
from heats.planning.build import lay_out
from heats.planning.explain import explain_plan
from heats.planning.needed import EVERY_BUDGET_UP_TO
from heats.planning.request import check_request
from heats.planning.voters import SECONDS, Turnout, check_most, check_sets, check_voters, count_turnout, find_budget
from heats.running.progress import count_progress

SIGMA = 0.5  # of rewards within an interval of 1
SLOW_SECONDS = 0.5  # until a bar is worth showing
MOST_SIZES = 20  # of batches, in a sentence


@app.command(epilog="Example: heats plan -n 100 -k 4 -B 500 --feedback winner; heats plan -n 12 -k 3 --chance 0.95")
def plan(
    n_arms: options.Arms,
    heat_size: options.HeatSize,
    budget: options.MaybeBudget = None,
    chance: Annotated[
        float | None,
        typer.Option(help="Instead of a budget: the smallest whose modelled chance is at least this."),
    ] = None,
    strategy: Annotated[
        str, typer.Option(help="planned, csws (winner stays), csr (last leaves), csh (better half stays) or adaptive.")
    ] = "planned",
    schedule: options.Schedule = "exact",
    record: options.Record = None,
    blind: options.Blind = False,
    voters: Annotated[
        int | None, typer.Option(help="How many people vote: no heat is pulled more often than that.")
    ] = None,
    votes_each: Annotated[int | None, typer.Option(help="Instead of a budget: how often each of them votes.")] = None,
    seconds: Annotated[float | None, typer.Option(help="How long a vote takes; left out: 20.")] = None,
    batches: options.Batches = None,
    feedback: Annotated[
        str | None, typer.Option(help="What will be told: reward, winner or ranking. Without, planned for any.")
    ] = None,
    edge: options.Edge = None,
    guaranteed: options.Guaranteed = False,
    delta: Annotated[float | None, typer.Option(help="Add the gap each round resolves but for delta.")] = None,
    sigma: options.Sigma = None,
    json: options.Json = False,
) -> None:
    """Show every round of a tournament, what it costs and how likely the best survives it, before anything is run."""
    one_of("strategy", strategy.lower(), (*options.STRATEGIES, "adaptive"))
    check_batches(strategy, batches)
    budget = find_budget(budget, check_voters(voters, votes_each), votes_each)
    if seconds is not None and voters is None:
        raise InvalidArgument("{seconds} are a vote's; say {voters}, too, or leave it out.", seconds=seconds, voters=12)
    if sigma is not None and (delta is None or feedback != "reward"):
        said = {"sigma": sigma, "delta": 0.05 if delta is None else delta, "feedback": "reward"}
        raise InvalidArgument("{sigma} is of rewards: say {delta} and {feedback}, too, or leave it out.", **said)
    pause = SECONDS if seconds is None else seconds
    if strategy.lower() == "adaptive":
        of_plans: dict[str, object] = {
            "chance": chance,
            "record": record,
            "feedback": feedback,
            "edge": edge,
            "delta": delta,
        }
        _refuse_of_plans(of_plans | {"guaranteed": guaranteed or None, "blind": blind or None})
        many = BATCHES if batches is None else batches
        _show_adaptive(n_arms, heat_size, budget, many, voters, votes_each, pause, json=json)
        return
    asked = check_request(
        *(n_arms, heat_size, strategy),
        feedback=feedback,  # type: ignore[arg-type]  # checked there
        edge=edge,
        guaranteed=guaranteed or delta is not None,
        schedule=schedule,  # type: ignore[arg-type]  # checked there
        record=record,  # type: ignore[arg-type]  # checked there
        blind=blind,
        voters=voters,
    )
    with _show_if_slow("ranges of budgets") as tick:
        made = lay_out(asked, budget, chance, tick)
    survival = heats.chances(made, *asked.hints) if json or chance is not None else ()
    modelled = {"chance": math.prod(survival), "chances": survival}
    told: dict[str, Any] = {} if chance is None else {"wanted": chance, "budget": made.budget}
    turnout = None if voters is None else count_turnout([each.cost for each in made.rounds], voters, pause)
    told |= {} if turnout is None else {"voters": turnout}
    if delta is not None:
        _show_guarantee(made, feedback, delta, SIGMA if sigma is None else sigma, told | modelled, json=json)
    elif json:
        typer.echo(encode(told | modelled | ({"plan": made} if told else msgspec.to_builtins(made))))
    else:
        typer.echo(explain_plan(made, *asked.hints, voters))
    if turnout is not None and not json:
        typer.echo(f"\n{turnout}")
    if chance is not None and not json:
        budget_of = "budget" if made.budget <= EVERY_BUDGET_UP_TO else "budget of three digits"
        smallest = f"{made.budget} pulls are the smallest {budget_of} with a modelled chance of at least {chance:.12g}"
        typer.echo(f"\n{smallest}; theirs is {_format_chance(math.prod(survival))}.")


class AdaptiveOutline(msgspec.Struct, frozen=True):
    """What adaptive play will take: how many comparisons every batch has, and what that means for voters."""

    n_arms: int
    heat_size: int
    budget: int
    batches: tuple[int, ...]
    voters: Turnout | None

    def __str__(self) -> str:
        sizes = ", ".join(f"{size:,}" for size in self.batches[:MOST_SIZES])
        more = f" and {len(self.batches) - MOST_SIZES} more" if len(self.batches) > MOST_SIZES else ""
        problem = f"adaptive: {self.n_arms} candidates, heats of {self.heat_size}, {count_things(self.budget, 'pull')}"
        said = f"{problem} in {count_things(len(self.batches), 'batch')} of {sizes}{more}"
        if self.voters is None:
            return said
        return f"{said}; no set of candidates is compared more than {self.voters.voters} times\n\n{self.voters}"


def _show_adaptive(
    n_arms: int,
    heat_size: int,
    budget: int | None,
    batches: int,
    voters: int | None,
    votes_each: int | None,
    seconds: float,
    *,
    json: bool,
) -> None:
    """Print what adaptive play will take."""
    if budget is None:
        raise InvalidArgument("say how many pulls may be made, as {budget}.", budget=100)
    if voters is not None:
        check_sets(n_arms, heat_size, budget, voters, votes_each)
        check_most(budget, MOST_LIMITED, voters, votes_each, play="adaptive play", strategy="--strategy planned")
    machine = heats.Adaptive(n_arms, heat_size, budget, batches=batches, most_per_set=voters)
    sizes = divide(n_arms, heat_size, budget, batches)
    turnout = None if voters is None else count_turnout(sizes, voters, seconds)
    outline = AdaptiveOutline(n_arms, heat_size, machine.budget, sizes, turnout)
    typer.echo(encode(outline) if json else str(outline))


def check_batches(strategy: str, batches: int | None) -> None:
    """Refuse batches of what has none."""
    if batches is not None and strategy.lower() != "adaptive":
        raise InvalidArgument("{batches} is for {strategy} only; leave it out.", batches=batches, strategy="adaptive")


def _refuse_of_plans(said: dict[str, object]) -> None:
    """Refuse what belongs to plans."""
    for name, value in said.items():
        if value is not None:
            raise InvalidArgument(
                f"{{{name}}} belongs to a plan, and adaptive play has none; leave it out, or plan.", **{name: value}
            )


def _format_chance(chance: float) -> str:
    """Return a chance with three digits more than tell it from 1."""
    places = 3 + math.ceil(-math.log10(max(1 - chance, 1e-16)))
    return f"{chance:.{places}f}"


@contextmanager
def _show_if_slow(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function of (done, total) that keeps a bar up to date, which is shown after a second."""
    began = time.monotonic()
    bars: list[Callable[[int, int], None]] = []
    with ExitStack() as stack:

        def tick(done: int, total: int) -> None:
            if not bars and time.monotonic() - began > SLOW_SECONDS:
                bars.append(stack.enter_context(count_progress(what)))
            for show in bars:
                show(done, total)

        yield tick


def _show_guarantee(
    made: heats.Plan, said: str | None, delta: float, sigma: float, more: dict[str, Any], *, json: bool
) -> None:
    """Print the plan with the gap that each of its rounds resolves, of winners unless another feedback is said."""
    feedback = "winner" if said is None else said
    if feedback == "ranking":
        raise InvalidArgument("{delta} knows bounds for winner and reward feedback only; leave it out.", delta=delta)
    from heats.theory import guarantee
    from heats.theory.tables import rate_of_plan

    promised = guarantee(made, rate_of_plan(made, feedback, delta, sigma))  # type: ignore[arg-type]  # checked there
    if json:
        told = {"delta": delta, "feedback": feedback, "sigma": sigma, "weakest_round": promised.weakest_round}
        typer.echo(encode({**more, "plan": made, "gaps": promised.gaps, "gap": promised.gap, **told}))
        return
    typer.echo(made.describe({"gap resolved": [f"{gap:.3g}" for gap in promised.gaps]}))
    typer.echo(
        f"\nWith probability {1 - delta:g} the best candidate wins if it leads, in every heat it is in, the first one "
        f"that leaves by more than {promised.gap:.3g} (round {promised.weakest_round + 1} is the weakest)."
    )
    if said is None:
        typer.echo("That is a gap of shares of wins: for one of rewards say --feedback reward.")
    if feedback == "winner" and promised.gap >= 1:
        typer.echo(
            "Shares of wins differ by 1 at most, so this promises nothing yet: heats bounds says what one costs."
        )


@app.command(epilog="Example: heats bounds -n 100 -k 4 --gap 0.1 --delta 0.05 --feedback winner")
def bounds(
    n_arms: options.Arms,
    heat_size: options.HeatSize,
    gap: Annotated[float, typer.Option(help="How far the best leads the first that leaves, in every heat.")] = 0.1,
    delta: Annotated[float, typer.Option(help="How likely the result may be wrong.")] = 0.05,
    feedback: Annotated[str, typer.Option(help="What bounds are about: winner or reward.")] = "winner",
    sigma: options.Sigma = None,
    tables: Annotated[bool, typer.Option("--tables", help="Print the paper's Tables 1-4 filled in.")] = False,
    json: options.Json = False,
) -> None:
    """Show how much budget surely finds the best candidate (but for delta), by the paper's theorems."""
    from heats.theory import tables as theory

    if sigma is not None and feedback == "winner":
        raise InvalidArgument(
            "{sigma} is of rewards: say {feedback}, too, or leave it out.", sigma=sigma, feedback="reward"
        )
    spread = SIGMA if sigma is None else sigma
    problem = {
        "n_arms": n_arms,
        "heat_size": heat_size,
        "gap": gap,
        "delta": delta,
        "feedback": feedback,
        "sigma": spread,
    }
    tails = f", {spread:g}-sub-Gaussian" if feedback == "reward" else ""
    about = f"{n_arms} candidates, heats of {heat_size}, gap {gap:g}, {feedback} feedback{tails}, delta {delta:g}"
    if tables:
        filled = theory.paper_tables(**problem)  # type: ignore[arg-type]  # checked there
        typer.echo(encode({**problem, "tables": filled}) if json else f"{about}\n\n{_format_tables(filled)}")
        return
    found = theory.bounds(**problem)  # type: ignore[arg-type]  # checked there
    typer.echo(encode({**problem, "bounds": found}) if json else _format_bounds(found, about))


def _format_bounds(found: Any, about: str) -> str:
    titles = ("strategy", "paper's formula", "exact constant", "exact plan", "tight constants", "lower bound")
    rows = [(b.strategy + "*" * (not b.proven), b.formula, b.printed, b.exact, b.tight, b.worst_case) for b in found]
    lines = [f"Pulls that surely find the best: {about}\n", *format_table(titles, rows)]
    if not all(b.proven for b in found):
        lines.append("\n* the printed schedule has more rounds here than its bound R: the first two promise nothing.")
    why = "no method does with fewer against adversarial scores (Theorem 1); random ones need far less"
    lines.append(f"\nThe lower bound: {why}.")
    return "\n".join(lines)


def _format_tables(tables: dict[str, Any]) -> str:
    """Return the paper's tables as text."""
    parts = []
    for title, rows in tables.items():
        titles = ("algorithm", *rows[0].values)
        numbers = [(row.algorithm, *row.values.values()) for row in rows]
        parts.append("\n".join([title, "", *format_table(titles, numbers)]))
    return "\n\n".join(parts)


def encode(value: object) -> str:
    """Return anything of ours as JSON."""
    return msgspec.json.encode(value).decode()
