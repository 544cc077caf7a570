"""Results as data: one table, whether it is a frame of pandas, one of polars or a CSV file."""

from __future__ import annotations

import csv
import inspect
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.base.frames import Column
from heats.cli.app import run
from heats.cli.root import app
from heats.errors import InvalidArgument
from heats.reports.frames import write_csv
from tests.journal.runs import find, told

SEARCH = [{"C": 10.0**arm, "kernel": kernel, "deep": {"n": arm}} for arm in range(4) for kernel in ("rbf", "poly")]
STANDINGS = ["place", "arm", "name", "chance", "strength", "low", "high", "pulls"]


def search(journal: Path | None = None, **options: Any) -> heats.Found:
    """Return what was found among candidates with parameters."""
    return heats.find_best(SEARCH, lambda heat: [each["C"] for each in heat], budget=40, journal=journal, **options)


def read_csv(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def as_text(frame: Any) -> list[list[str]]:
    """Return a frame as CSV has it: titles, then cells, empty where they are null."""
    rows = [["" if value is None else str(value) for value in row] for row in frame.rows()]
    return [frame.columns, *rows]


def test_standings_have_a_row_per_candidate_and_a_column_per_parameter() -> None:
    """Best first, with names; parameters within parameters by their path, numbers as numbers."""
    found = search()
    frame = found.to_frame()
    assert list(frame.columns) == [*STANDINGS, "mean_lead", "left", "C", "kernel", "deep.n"]
    assert frame["place"].tolist() == list(range(1, 9))
    assert frame["arm"].tolist() == [row.arm for row in found.standings.rows]
    assert frame["name"].tolist() == [found.names[arm] for arm in frame["arm"]]
    assert frame["C"].tolist() == [SEARCH[arm]["C"] for arm in frame["arm"]]
    assert frame["deep.n"].dtype == "int64"


MEASURES = {
    "wins": lambda heat: heats.Winner(max(heat)),
    "mean_place": lambda heat: heats.Ranking(sorted(heat, reverse=True)),
    "mean_lead": lambda heat: [float(each) for each in heat],
}


@pytest.mark.parametrize("measure", MEASURES)
def test_only_the_measure_that_suits_the_feedback_is_there(measure: str) -> None:
    """Of wins, mean place and mean lead."""
    compare: Callable[[Any], Any] = MEASURES[measure]
    report = heats.find_best(range(6), compare, budget=20).report
    assert [title for title in report.to_frame().columns if title in MEASURES] == [measure]
    assert "name" not in report.to_frame().columns


def test_a_parameter_may_be_called_like_a_column() -> None:
    """Then its title says that it is a parameter."""
    candidates = [{"strength": arm, "name": f"n{arm}"} for arm in range(4)]
    frame = heats.find_best(candidates, lambda heat: [each["strength"] for each in heat], budget=12).to_frame()
    assert frame["strength (parameter)"].tolist() == frame["arm"].tolist()
    assert frame["name (parameter)"].tolist() == [f"n{arm}" for arm in frame["arm"]]


def silent_at_times(heat: tuple[int, ...], query: heats.Query) -> Any:
    return heats.NoVerdict("asleep") if query.id % 5 == 0 else [float(each) for each in heat]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_pulls_have_a_row_per_pull_and_arm(library: str) -> None:
    """All that were told, in the order of their ids; without a verdict the observation is null, without a journal by."""
    found = heats.find_best(range(9), silent_at_times, budget=30, heat_size=3)
    for source in (found, found.report):
        frame = source.pulls_frame(library)
        rows = frame.to_dicts() if library == "polars" else frame.to_dict("records")
        assert list(dict.fromkeys(row["pull"] for row in rows)) == list(range(30))
        for row in rows:
            query = found.played.query(row["pull"])
            assert (row["round"], row["heat"]) == (query.round, query.heat)
            assert row["arm"] in query.arms
            assert row["name"] == (f"arm {row['arm']}" if source is found.report else found.names[row["arm"]])
            assert row["by"] is None
        silent = frame["observation"].is_null() if library == "polars" else frame["observation"].isna()
        assert silent.to_list() == [row["pull"] % 5 == 0 for row in rows]
        assert len(rows) == sum(len(found.played.query(pull).arms) for pull in range(30))


def test_a_report_of_an_unfinished_run_has_the_pulls_of_its_time() -> None:
    """And keeps them when the run goes on."""
    machine = heats.Tournament(heats.plan(8, 4, 30), seed=1)
    for query in machine.ask(3):
        machine.tell(query, [float(arm) for arm in query.arms])
    report = machine.report()
    while not machine.done:
        for query in machine.ask(99):
            machine.tell(query, [float(arm) for arm in query.arms])
    assert report.pulls_frame()["pull"].nunique() == 3
    assert machine.report().pulls_frame()["pull"].nunique() == 30
    assert heats.Tournament(heats.plan(8, 4, 30)).report().pulls_frame().empty


def test_races_observe_who_won() -> None:
    """Times stay in the journal."""
    found = heats.find_best(range(4), lambda heat: heats.Race({max(heat): 2.5}), budget=8)
    assert set(found.pulls_frame()["observation"]) == {0.0, 1.0}


def test_a_report_read_from_json_has_no_pulls() -> None:
    """It says so, and where they are; its standings are all there."""
    report = find().report
    again = msgspec.json.decode(report.to_json(), type=heats.Report)
    assert again.to_frame().equals(report.to_frame())
    with pytest.raises(InvalidArgument, match="read from JSON, which does not hold the pulls"):
        again.pulls_frame()


def test_a_journal_says_who_answered_and_after_how_long(tmp_path: Path) -> None:
    """Read when the frame is asked for; where the journal is gone, or holds another run by now, that is not known."""
    path = tmp_path / "run.jsonl"
    found = find(path)
    frame = found.pulls_frame("polars")
    assert frame["by"].null_count() == 0
    assert (frame["seconds"] >= 0).all()
    assert sorted(set(frame["pull"])) == sorted(told(path))
    path.unlink()
    assert found.pulls_frame("polars")["by"].null_count() == len(frame)
    find(path, seed=6)
    assert found.pulls_frame("polars")["seconds"].null_count() == len(frame)


def test_csv_files_are_the_frames(tmp_path: Path) -> None:
    """Title by title and cell by cell."""
    path, standings, pulls = tmp_path / "run.jsonl", tmp_path / "standings.csv", tmp_path / "pulls.csv"
    found = search(path)
    assert run(["report", str(path), "--csv", str(standings), "--pulls", str(pulls)]) == 0
    assert read_csv(standings) == as_text(found.to_frame("polars"))
    assert read_csv(pulls) == as_text(found.pulls_frame("polars"))


def test_equal_runs_give_equal_csv(tmp_path: Path) -> None:
    """To the byte in the standings; pulls differ in who answered and how long that took."""
    tables = []
    for number in range(2):
        path, standings, pulls = (tmp_path / f"{number}.{name}" for name in ("jsonl", "csv", "pulls"))
        search(path, seed=3)
        assert run(["report", str(path), "--csv", str(standings), "--pulls", str(pulls)]) == 0
        tables.append((standings.read_bytes(), [row[:6] for row in read_csv(pulls)]))
    assert tables[0] == tables[1]


def test_nothing_but_a_table_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No journal, no file of others, no folder, no place that is not there, nor two tables in one file."""
    path, table, mine = tmp_path / "run.jsonl", tmp_path / "table.csv", tmp_path / "mine.py"
    find(path)
    mine.write_text("print('mine')")
    before = path.read_bytes()
    for arguments, said in (
        (["--csv", str(path)], "is the journal of a run; give another file."),
        (["--csv", str(mine)], "is there and is not a table that heats wrote; give another file."),
        (["--pulls", str(mine)], "is there and is not a table that heats wrote; give another file."),
        (["--csv", str(tmp_path)], "is a folder; give the name of a file."),
        (["--pulls", str(tmp_path / "no" / "pulls.csv")], "cannot be written: there is no folder"),
        (["--csv", str(table), "--pulls", str(table)], "are one file; give each its own."),
    ):
        assert run(["report", str(path), *arguments]) == 2
        shown = capsys.readouterr()
        assert said in " ".join(shown.err.split())
        assert arguments[-2] in shown.err
    assert path.read_bytes() == before
    assert mine.read_text() == "print('mine')"
    assert not table.exists()
    for what, begins in (("--csv", "place,arm,name,"), ("--csv", "place,arm,name,"), ("--pulls", "round,heat,pull,")):
        assert run(["report", str(path), what, str(table)]) == 0
        assert table.read_text().startswith(begins)


def read_back(columns: list[Column], **said: bool) -> list[list[str]]:
    return list(csv.reader(io.StringIO(write_csv(columns, **said).decode(), newline="")))


@given(st.lists(st.text(max_size=6), min_size=1, max_size=5))
def test_all_text_comes_back_as_it_was_and_is_no_formula_in_spreadsheets(texts: list[str]) -> None:
    """Only with ``spreadsheet`` has what would be computed an apostrophe before it; numbers stay numbers."""
    columns = [Column("n", int, [-1] * len(texts)), Column("t", str, texts)]
    assert read_back(columns) == [["n", "t"], *(["-1", text] for text in texts)]
    rows = read_back(columns, spreadsheet=True)
    assert [row[0] for row in rows] == ["n", *["-1"] * len(texts)]
    for (_, cell), text in zip(rows[1:], texts, strict=True):
        assert cell in (text, f"'{text}")
        assert (cell != text) == (text[:1] in ("=", "+", "-", "@", "\t", "\r") and not is_number(text))


def is_number(text: str) -> bool:
    return text.lstrip("+-").replace(".", "", 1).isdigit() and text.isascii() and text[-1:] != "." and ".." not in text


@pytest.mark.parametrize("text", ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x")', "-1+1"])
def test_formulas_are_disarmed(text: str) -> None:
    """In names and in titles."""
    assert read_back([Column(text, str, [text])], spreadsheet=True) == [[f"'{text}"], [f"'{text}"]]


def test_flags_of_solvers_are_written_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By every command that writes tables; ``--spreadsheet`` is for those who open them in one, and needs a table."""
    journal, table, pulls = tmp_path / "run.jsonl", tmp_path / "table.csv", tmp_path / "pulls.csv"
    heats.find_best(["-luby", "+x", "=1+1"], lambda heat: heats.Winner(heat[0]), budget=6, heat_size=2, journal=journal)
    for options, begin in (([], ""), (["--spreadsheet"], "'")):
        assert run(["report", str(journal), "--csv", str(table), "--pulls", str(pulls), *options]) == 0
        for path, place in ((table, 2), (pulls, 4)):
            names = {row[place] for row in read_csv(path)[1:]}
            assert names == {f"{begin}-luby", f"{begin}+x", f"{begin}=1+1"}
        assert run(["resume", str(journal), "--csv", str(table), *options]) == 0
        assert {row[2][:1] for row in read_csv(table)[1:]} == ({"'"} if begin else {"-", "+", "="})
    capsys.readouterr()
    for command in ("report", "resume"):
        assert run([command, str(journal), "--spreadsheet"]) == 2
        assert "--spreadsheet is about a table" in capsys.readouterr().err


def test_every_command_that_writes_tables_writes_them_for_spreadsheets_too() -> None:
    """A new one is not forgotten."""
    commands = [
        inspect.signature(command.callback).parameters for command in app.registered_commands if command.callback
    ]
    tabular = [each for each in commands if {"csv", "pulls"} & each.keys()]
    assert len(tabular) == 4
    assert all("spreadsheet" in each for each in tabular)


def test_frames_are_of_either_library() -> None:
    """Also by keyword, and of standings alone."""
    import pandas
    import polars

    found = find()
    assert isinstance(found.to_frame("polars"), polars.DataFrame)
    assert isinstance(found.pulls_frame(library="pandas"), pandas.DataFrame)
    assert found.standings.to_frame().equals(found.report.to_frame())
