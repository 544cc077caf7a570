"""What a run found: the candidates themselves, as values, text, JSON, tables and pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from heats.base.frames import Frame, Library, make_frame
from heats.base.naming import shorten
from heats.base.plots import Axes
from heats.base.text import make_encodable
from heats.engine.evidence.pulls import list_pulls
from heats.engine.machine import Machine
from heats.engine.report import Report, RoundReport, Sureness, summarise_report
from heats.engine.specs import outline
from heats.engine.standings import Standings, plot_standings
from heats.journal.judged import JudgeCounts
from heats.journal.reader import read_answers
from heats.reports.frames import list_results
from heats.reports.judges import JudgingFacts, collect_judging
from heats.reports.result import Result, summarise
from heats.running.candidates import describe_candidate, take_parameters


@dataclass(frozen=True, eq=False, repr=False)
class Found:
    """What ``find_best`` found: the candidates themselves, and the machine's report, which speaks of arms."""

    candidates: tuple[Any, ...]
    names: tuple[str, ...]
    played: Machine
    journal: Path | None = None  # where the run was kept
    judged: JudgeCounts | None = None  # what the notes of judges come to

    @cached_property
    def report(self) -> Report:
        """All there is to say; made when it is first read."""
        return self.played.report()

    @property
    def machine(self) -> dict[str, Any]:
        """What was played: the machine's spec, without the rounds of a plan."""
        return outline(self.played.spec)

    @property
    def winner(self) -> Any:
        """The candidate that won."""
        return self.candidates[self.played.winner]  # type: ignore[index]  # the run is done

    @property
    def runner_up(self) -> Any:
        """The candidate that came second: in the last heat or, in adaptive play, in the standings."""
        return self.candidates[self.report.runner_up]  # type: ignore[index]  # the run is done

    @property
    def rivals(self) -> tuple[Any, ...]:
        """Candidates that the whole run cannot tell apart from the winner, at most ten."""
        return tuple(self.candidates[arm] for arm in self.report.rivals or ())

    @property
    def standings(self) -> Standings:
        """All candidates, best first, by arm: an index into ``candidates``."""
        return self.report.standings

    @property
    def sureness(self) -> Sureness | None:
        """How sure the last heat is."""
        return self.report.sureness

    @property
    def rounds(self) -> tuple[RoundReport, ...]:
        """Survivors and scores of every round, by arm: an index into ``candidates``."""
        return self.report.rounds

    @property
    def spent(self) -> int:
        """How many comparisons were made."""
        return self.played.spent

    @property
    def judging(self) -> JudgingFacts | None:
        """What judges did, calls and cost included, if the comparisons were made by ``heats.judging``."""
        return None if self.judged is None else collect_judging(self.judged, self.report)

    def to_json(self) -> str:
        """Return the result as JSON (see docs/scaling.md); equal runs give equal bytes."""
        return msgspec.structs.replace(self._result, judging=None).to_json()  # calls and hits are luck

    def to_frame(self, library: Library | None = None) -> Frame:
        """Return the standings as a frame of pandas or polars: one row per candidate, best first.

        Candidates that are dicts have a column per parameter; see docs/results.md for the others. ``library`` is
        ``"pandas"`` or ``"polars"``; left out, it is pandas if that is installed, else polars.
        """
        values = tuple(map(take_parameters, self.candidates))
        return make_frame(list_results(self.standings, self.names, values), library)

    def pulls_frame(self, library: Library | None = None) -> Frame:
        """Return all pulls as a frame of pandas or polars: one row per pull and candidate, in the order of the ids.

        ``round`` and ``heat`` count from 0, as in a ``Query``, and ``pull`` is its id. ``observation`` is null where a
        pull had no verdict. ``by`` and ``seconds`` come from the journal, which is read for it; they are null where
        none was kept, or where it is gone.
        """
        machine, journal = self.played, self.journal
        answers = read_answers(journal, machine) if journal is not None and journal.exists() else None
        return make_frame(list_pulls([*machine.evidence(), *machine.silence()], self.names, answers), library)

    def to_html(self) -> str:
        """Return the page that ``heats report`` writes of a journal, without what only a journal knows."""
        from heats.reports.page import compose_page

        return compose_page(self._result, self.played, self._values)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the strengths of the best candidates, at most 30, with intervals and chances; needs matplotlib."""
        return plot_standings(self.standings, self.names, ax)

    def __repr__(self) -> str:
        winner = repr(shorten(self.names[self.played.winner]))  # type: ignore[index]  # the run is done
        return f"<Found: {summarise_report(self.report, winner)}>"

    def __str__(self) -> str:
        return str(self._result)

    def _repr_html_(self) -> str:
        from heats.reports.notebook import render_notebook

        return render_notebook(self.report, tuple(map(make_encodable, self.names)), self._values)

    @property
    def _values(self) -> tuple[Any, ...]:
        """The candidates as plain data."""
        return tuple(map(describe_candidate, self.candidates))

    @property
    def _result(self) -> Result:
        return summarise(self.played, self.names, values=self._values, judged=self.judged, report=self.report)
