"""claims.md: the claims about the synthetic experiments, then those of Section 6."""

from __future__ import annotations

from pathlib import Path

from heats.experiments.experiment import Context
from heats.experiments.saps.page import make_race_section
from heats.experiments.saps.runs_table import find_table, load_table
from heats.experiments.synthetic.claims import list_claim_cells
from heats.experiments.synthetic.page import make_claims_page
from heats.experiments.writers.saps import EQUAL_CSV, RACE_CSV


def write_claims(context: Context) -> list[Path]:
    """Check all claims; the numbers of the races are beside the page."""
    command = f"heats reproduce {' '.join(context.asked) or 'all'} --reps {context.reps} --seed {context.seed}"
    results = {cell: context.results[cell] for cell in list_claim_cells()}
    page = make_claims_page(results, context.reps, context.seed, command)
    section = make_race_section(context.races, context.equal, load_table(find_table(context.out)))
    path = context.out / "claims.md"
    path.write_text(f"{page}\n{section}", encoding="utf-8")
    return [context.out / RACE_CSV, context.out / EQUAL_CSV, path]
