"""The experiments by name. To add one, write its files in a room of its own and add its entry here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from heats.errors import InvalidArgument
from heats.experiments.claims import write_claims
from heats.experiments.experiment import Experiment
from heats.experiments.synthetic.claims import list_claim_cells
from heats.experiments.synthetic.grid import SETTINGS, list_cells
from heats.experiments.writers.beyond import count_points, write_beyond
from heats.experiments.writers.saps import make_runs, name_runs, write_race
from heats.experiments.writers.standings import count_runs, write_standings
from heats.experiments.writers.sure import count_sure_runs, write_sure
from heats.experiments.writers.synthetic import write_success, write_sufficient_budgets, write_tables
from heats.experiments.writers.times import count_times_cells, write_times

EXPERIMENTS: dict[str, Experiment] = {
    "fig-budgets": Experiment(
        "budgets that suffice, over the number of arms (Appendix F)", write_sufficient_budgets, needs_matplotlib=True
    ),
    **{
        f"fig-{name}": Experiment(
            f"success over the budget: {setting.title} (Appendix G)",
            partial(write_success, name),
            cells=partial(list_cells, name),
            needs_matplotlib=True,
        )
        for name, setting in SETTINGS.items()
    },
    "fig-race": Experiment(
        "20 parameterizations of the solver SAPS raced for the fastest (Section 6)",
        write_race,
        races=True,
        needs_matplotlib=True,
    ),
    "tables": Experiment("Tables 1 to 4 with numbers, for every n and k of the figures", write_tables),
    "claims": Experiment(
        "every claim of the paper about its experiments, with a verdict", write_claims, list_claim_cells, races=True
    ),
    "beyond": Experiment(
        "planned beside the paper's algorithms, adaptive beside planned; on tables, too",
        write_beyond,
        points=count_points,
        needs_matplotlib=True,
        takes_tables=True,
    ),
    "standings": Experiment(
        "how often the chance to be the best in standings is right (15 minutes)",
        write_standings,
        points=count_runs,
        needs_matplotlib=True,
        in_all=False,
    ),
    "sure": Experiment(
        "how often adaptive play that stops early is right, what it saves (five minutes)",
        write_sure,
        points=count_sure_runs,
        in_all=False,
    ),
    "times": Experiment(
        "whether times of races find the smallest mean more often than wins (a minute)",
        write_times,
        points=count_times_cells,
        takes_tables=True,
        in_all=False,
    ),
    "race-table": Experiment(
        "the runs behind fig-race, which come with heats, made again (ten minutes)",
        name_runs,
        prepare=make_runs,
        in_all=False,
    ),
}


def list_experiments() -> dict[str, str]:
    """Return the name of every experiment with what it is about, in one line."""
    return {name: each.about for name, each in EXPERIMENTS.items()}


def choose_experiments(names: Sequence[str]) -> dict[str, Experiment]:
    """Return the experiments called so, each once; all, or no name, stands for those that do not take long."""
    for name in names:
        if name not in (*EXPERIMENTS, "all"):
            known = ", ".join(EXPERIMENTS)
            raise InvalidArgument(f"there is no {name!r} to reproduce; choose among all, {known}.", names=names)
    everything = [name for name, each in EXPERIMENTS.items() if each.in_all] if "all" in names or not names else []
    return {name: EXPERIMENTS[name] for name in dict.fromkeys([*names, *everything]) if name != "all"}


def check_tables(wanted: dict[str, Experiment], tables: Sequence[object]) -> None:
    """Refuse recorded tables that no experiment would play on."""
    if tables and not any(each.takes_tables for each in wanted.values()):
        takers = ", ".join(name for name, each in EXPERIMENTS.items() if each.takes_tables)
        why = f"recorded tables are for {takers}; name one of these as well, or leave the tables out."
        raise InvalidArgument(why, tables=tables)
