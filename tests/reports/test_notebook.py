"""What notebooks and shells show: short lines, tables, drawings, all of it escaped; bars that move."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from typing import Any

import pytest

import heats
from heats.errors import InvalidArgument
from tests.journal.runs import NASTY, find, one

CELLS = [
    "import heats\nheats.plan(8, 4, 30)",
    "found = heats.find_best(list('abcdefgh'), lambda heat: [ord(x) for x in heat], budget=30, progress=True)\nfound",
    "found.report",
    "found.standings",
    "heats.simulate(heats.plan(8, 4, 30), heats.environments.Gaussian(8), reps=50)",
    "%matplotlib inline\nfound.plot();",
]


class Tags(HTMLParser):
    """Counts tags, and keeps the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.count: dict[str, int] = {}
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_data(self, data: str) -> None:
        self.text += data


def nasty() -> heats.Found:
    return heats.find_best(NASTY, one, budget=60, names=NASTY)


def test_a_notebook_shows_tables_a_drawing_a_bar_and_a_picture() -> None:
    """Executed by a real kernel, without a traceback or a warning."""
    import nbclient
    import nbformat

    make: Any = nbformat.v4
    notebook = make.new_notebook(cells=[make.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(notebook, timeout=120).execute()
    outputs = [cell["outputs"] for cell in notebook.cells]
    assert not [out for cell in outputs for out in cell if out["output_type"] in ("error", "stream")]
    shown = [[out["data"] for out in cell] for cell in outputs]
    for cell in (0, 2, 3, 4):
        assert "<table>" in shown[cell][-1]["text/html"]
    bar, found = shown[1]
    assert '<progress style="width:16em;vertical-align:middle" max="30" value="30">' in bar["text/html"]
    assert "30/30 · adaptive, 13 batches · winner h" in bar["text/html"]
    assert Tags(found["text/html"]).count["svg"] == 1
    assert Tags(found["text/html"]).count["table"] == 2  # the standings, the batches
    assert found["text/plain"] == "<Found: winner 'h', chance over 99%, 30 of 30 pulls>"
    assert shown[5][-1]["image/png"]


def test_what_is_shown_is_escaped() -> None:
    """No tag, no line break and no control character of a name reaches a page or a notebook."""
    found = nasty()
    for text in (found._repr_html_(), found.to_html()):
        assert "<script" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
        assert "\x1b" not in text
    plan = heats.Plan(2, 2, 1, (heats.Round(1, 2, 1, 1),), strategy="<script>", schedule="<script>")
    simulation = heats.simulate(plan, heats.environments.Gaussian(2), reps=5)
    for shown in (plan, found.report, found.standings, simulation):
        text = shown._repr_html_()
        assert "<script" not in text
        assert Tags(text).count["table"] >= 1
    assert "&lt;script&gt;" in plan._repr_html_()


def test_reprs_are_one_short_line() -> None:
    """Of whatever a shell may show, however long names are."""
    long = heats.find_best([{f"a_long_parameter_{key}": arm for key in range(9)} for arm in range(4)], one, budget=9)
    plan = heats.plan(10**6, 1000, 10**7, "csh")
    many = heats.simulate(heats.plan(8, 4, 30), heats.environments.Gaussian(8), reps=50)
    machine = heats.Tournament(heats.plan(8, 4, 30))
    robin = heats.RoundRobin(5, 2, 10)
    shown = [nasty(), long, plan, many, machine, robin]
    for each in [*shown, long.report, long.standings, machine.report(), robin.report(), robin.standings()]:
        text = repr(each)
        assert len(text) <= 110
        assert text.isprintable()
        assert text.startswith(f"<{type(each).__name__}: ")
    assert repr(machine.report()) == "<Report: not decided yet, 0 of 30 pulls>"


def test_a_page_needs_no_journal() -> None:
    """It has the winner, the drawing and the plan; nothing that only a journal knows."""
    found = find(n=20, budget=150)
    text = found.to_html()
    assert f"The best of 20 candidates {found.winner} " in " ".join(Tags(text).text.split())
    assert "150 of 150" in text
    assert "<footer>seed 5, statistic mean.</footer>" in text
    assert "<dt>workers" not in text
    assert Tags(text).count["svg"] >= 2


@pytest.mark.parametrize("n_arms", [5, 40])
def test_a_picture_has_a_row_per_arm(n_arms: int) -> None:
    """Best first from the top, at most 30, with names as they are; it can be drawn into another one."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    found = find(n=n_arms, budget=90, names=[f"${arm}$ and more" for arm in range(n_arms)])
    figure, ax = pyplot.subplots()
    assert found.plot(ax=ax) is ax
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels == [found.names[row.arm] for row in found.standings.rows[:30]]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert f"arm {found.standings.rows[0].arm}" == found.report.plot().get_yticklabels()[0].get_text()
    figure.canvas.draw()
    pyplot.close("all")


def test_a_picture_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matplotlib, and Axes to draw on."""
    found = find()
    with pytest.raises(InvalidArgument, match="ax=3 must be the Axes of matplotlib"):
        found.plot(3)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        InvalidArgument, match=r"a picture needs matplotlib, which .*; install it with: pip install .*\[plot\]'$"
    ):
        found.plot()


def test_completion_shows_public_names_only() -> None:
    """Those included that are imported when first asked for."""
    assert dir(heats) == sorted(heats.__all__)
    assert {"simulate", "theory", "environments"} <= set(dir(heats))
