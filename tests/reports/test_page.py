"""The HTML report: one file, nothing from outside, everything escaped, right for any size of tournament."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.base.times import say_seconds
from heats.race.result import read_race, summarise_journal
from heats.reports.drawings.bracket import MOST_ARMS_DRAWN, number
from heats.reports.page import render_page, save_page
from tests.journal.runs import NASTY, find, half_done, one

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
EMPTY = {"meta", "path", "circle", "rect"}  # tags that need no end


def page_of(path: Path) -> str:
    """Return the page of a journal."""
    log, counts = read_race(str(path))
    return render_page(log, summarise_journal(log, counts))


def save(path: Path, target: str) -> None:
    """Write it."""
    log, counts = read_race(str(path))
    save_page(target, log, summarise_journal(log, counts))


class Checker(HTMLParser):
    """Counts tags and complains about those that do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in EMPTY:
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            assert name not in ("src", "href")
            assert value is None or "http" not in value.replace("http://www.w3.org/2000/svg", "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_replaces_files_only(tmp_path: Path) -> None:
    """A pipe is written into and stays one; a draft-like file of somebody else is not touched."""
    path, target, other = tmp_path / "run.jsonl", tmp_path / "run.html", tmp_path / "run.html.new"
    find(path)
    other.write_text("mine")
    save(path, str(target))
    assert target.read_text(encoding="utf-8") == page_of(path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True, encoding="utf-8") as reader:
        save(path, str(pipe))
        assert reader.stdout is not None
        assert reader.stdout.read() == target.read_text(encoding="utf-8")
    save(path, os.devnull)
    assert pipe.is_fifo()
    assert Path(os.devnull).is_char_device()
    assert other.read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["pipe", "run.html", "run.html.new", "run.jsonl"]


def made(path: Path, **options: Any) -> tuple[heats.Found, Checker, str]:
    found = find(path, **options)
    text = page_of(path)
    return found, Checker(text), text


def test_who_met_whom_and_who_stayed(tmp_path: Path) -> None:
    """Every heat of every round is a box with its arms, and those who stay are marked; a last line leads to the winner."""
    found, seen, text = made(tmp_path / "run.jsonl", n=20, budget=150, heat_size=4)
    rounds = found.rounds
    boxes = sum(len(each.heats) + bool(each.byes) for each in rounds)
    arms = sum(sum(map(len, each.heats)) + len(each.byes) for each in rounds)
    assert text.count('class="box') == boxes + 1  # and the winner's own
    assert text.count("<circle") == arms + 2 + 20  # and one in the interval, the winner's, and those of the standings
    assert text.count(", stays</title>") == sum(len(each.survivors) for each in rounds)
    assert text.count('class="bestpath"') == len(rounds)
    assert f"The best of 20 candidates {found.winner} " in " ".join(seen.text.split())
    assert found.sureness is not None
    assert f"({found.sureness.low:.3g} to {found.sureness.high:.3g})" in seen.text
    assert seen.count["table"] == 5  # the standings, the rest of them, the final heat, the record, the plan
    assert "<script" not in text
    assert "@import" not in text


def test_adaptive_play_is_drawn_batch_by_batch(tmp_path: Path) -> None:
    """A column per batch, a ring for every candidate shown that was compared there; what was played, and the record."""
    found, seen, text = made(tmp_path / "run.jsonl", n=9, budget=40, strategy="adaptive")
    rows, batches = found.standings.rows, found.report.batches
    told = found.played.evidence()
    rings = sum(int((each.arms == row.arm).any()) for each in told for row in rows)
    assert text.count('class="gone"') == rings
    assert text.count("<g><title>compared in ") == rings
    words = " ".join(seen.text.split())
    assert f"adaptive, batches{len(batches)} of {len(batches)}" in words
    assert "The winner's record" in words
    assert f"met the runner-up, {found.runner_up}," in words.lower()
    assert "Round by round" not in text
    assert seen.count["table"] == 3  # the standings, the batches, the record


def test_many_batches_share_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The drawing stays as wide as a screen, the text as long as a page; pulls without a verdict are part of both."""

    def compare(heat: tuple[int, ...], query: heats.Query) -> Any:
        return heats.NoVerdict("left") if query.id % 3 == 0 else heats.Winner(max(heat))

    monkeypatch.setattr("heats.reports.drawings.batches.MOST_COLUMNS", 6)
    monkeypatch.setattr("heats.engine.report.report.BATCHES_SHOWN", 10)
    found = heats.find_best(range(9), compare, budget=90, seed=2)
    batches = len(found.report.batches)
    assert batches == 15
    drawn = re.findall(r'y="14" class="out" text-anchor="middle">(\d+)<', found.to_html())
    assert len(drawn) == 6
    assert "\n… 5 more …\n" in str(found)
    assert sum(each.pulls for each in found.report.batches) == found.spent == 90


def test_nasty_names_are_escaped(tmp_path: Path) -> None:
    """No tag, no line break and no control character of a candidate reaches the page."""
    path = tmp_path / "run.jsonl"
    heats.find_best(NASTY, one, budget=60, journal=path, names=NASTY)
    text = page_of(path)
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "two\\nlines" in text
    assert "\x1b" not in text
    Checker(text)


@pytest.mark.parametrize("after", [0, 1, 7, 20])
def test_an_unfinished_run(tmp_path: Path, after: int) -> None:
    """How far it came, where everybody stands, that it is not over; and nobody is named or set apart as the winner."""
    path = tmp_path / "run.jsonl"
    half_done(path, after)
    page = page_of(path)
    seen = Checker(page)
    assert "The run is not over" in seen.text
    assert f"{after} of 24 comparisons so far" in seen.text
    assert "<title>heats</title>" in page
    assert "<h1>Not decided yet: 9 candidates</h1>" in page
    assert ("Standings" in seen.text) == (after > 0)
    for mark in ('class="first"', 'class="best"', "The best of", "The winner's record", 'class="values"'):
        assert mark not in page


def test_large_and_long_tournaments_stay_readable(tmp_path: Path) -> None:
    """Rounds too large to draw show the heat of the winner; of hundreds of rounds, the first and last are drawn."""
    quick = heats.JournalFile(tmp_path / "large.jsonl", sync="system")
    find(quick, n=2000, budget=8000, heat_size=4)
    text = page_of(quick.path)
    Checker(text)
    assert len(text) < 100_000
    assert "and 499 heats not drawn" in text
    assert text.count('class="box') < MOST_ARMS_DRAWN
    quick = heats.JournalFile(tmp_path / "long.jsonl", sync="system")
    find(quick, n=120, budget=4000, heat_size=60, strategy="csr")
    text = page_of(quick.path)
    Checker(text)
    assert "rounds not drawn" in text
    assert "more …" in text


def test_blind_rounds_and_ties(tmp_path: Path) -> None:
    """What nobody looked at has no scores."""
    path = tmp_path / "run.jsonl"
    heats.find_best(range(9), one, budget=2, blind=True, journal=path)
    assert "unseen" in Checker(page_of(path)).text


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.1234, "0.123 s"), (99, "99 s"), (125, "2 min 5 s"), (7260, "2 h 1 min")]
)
def test_durations(seconds: float, said: str) -> None:
    assert say_seconds(seconds) == said


def test_numbers() -> None:
    """Never in powers of ten where whole numbers do."""
    assert [number(x) for x in (0.12345, 9999.7, 123456.0, 1e20, -3.0)] == [
        "0.1235",
        "10,000",
        "123,456",
        "1e+20",
        "-3",
    ]


def lines_of(text: str) -> list[list[str]]:
    """Return the ends of the best one's lines, strip by strip, as they are written: from x y to x y."""
    strips = re.findall(r"<svg xmlns.*?</svg>", text, re.DOTALL)
    return [re.findall(r'class="bestpath" d="M(\S+ \S+)C\S+ \S+ \S+ \S+ (\S+ \S+)"', strip) for strip in strips]


def test_the_best_one_is_led_from_the_first_heat_to_the_end(tmp_path: Path) -> None:
    """From strip to strip, where a line ends in the margin and begins there again, and into the winner's box."""
    made(tmp_path / "run.jsonl", n=14, budget=120, heat_size=3, strategy="csr")
    text = page_of(tmp_path / "run.jsonl")
    strips = re.findall(r'<svg xmlns="http://www.w3.org/2000/svg" width="(\d+)".*?</svg>', text, re.DOTALL)
    ways = lines_of(text)
    assert len(ways) == len(strips) > 1
    for width, way in zip(strips[:-1], ways[:-1], strict=True):
        assert way[-1][1].split()[0] == width
    for way in ways[1:]:
        assert way[0][0].split()[0] == "0"
    end_x, end_y = map(float, ways[-1][-1][1].split())
    box = re.findall(r'<rect class="box" x="(\S+)" y="(\S+)" width="\d+" height="(\d+)"', text)[-1]
    assert (end_x, end_y) == (float(box[0]), float(box[1]) + float(box[2]) / 2)
    assert text.count(": the winner</title>") == text.count(">winner</text>") == 1


def test_an_unfinished_drawing_has_no_winner(tmp_path: Path) -> None:
    """Those who stay are led into the margin."""
    path = tmp_path / "run.jsonl"
    half_done(path, 20)
    text = page_of(path)
    assert ">winner</text>" not in text
    assert text.count(", stays</title>") == text.count('class="path"') + text.count('class="bestpath"') > 0


SEVEN = [
    {f"a_long_parameter_{key}": math.sin(7 * arm + key) for key in range(6)} | {"kind": "abc"[arm % 3]}
    for arm in range(24)
]


def seven(path: Path, strategy: str) -> str:
    """Return the page of a run of candidates with seven parameters."""

    def compare(heat: tuple[dict[str, Any], ...]) -> list[float]:
        return [each["a_long_parameter_0"] for each in heat]

    heats.find_best(SEVEN, compare, budget=90, strategy=strategy, journal=path)
    return page_of(path)


@pytest.mark.parametrize(("strategy", "tables"), [("planned", 3), ("adaptive", 2)])
def test_candidates_with_parameters_have_labels_and_columns(tmp_path: Path, strategy: str, tables: int) -> None:
    """No name is cut off: a label stands for it, shows it when pointed at, and a table says who is who."""
    text = seven(tmp_path / "run.jsonl", strategy)
    seen = Checker(text)
    assert "…" not in text
    assert '<p class="winner"><span title="a_long_parameter_0=' in text
    assert text.count("<th>a_long_parameter_3</th>") == tables  # the standings, the rest of them, the final heat
    assert "<summary><h2>The other 14</h2></summary>" in text
    assert all(f">#{arm}</span>" in text for arm in range(24))
    assert seen.count["table"] == (5 if strategy == "planned" else 4)


def measure(folder: Path, text: str, width: int) -> tuple[int, int] | None:
    """Return how wide and high a page is in a window of that width, in a real browser."""
    inner = text.replace("&", "&amp;").replace('"', "&quot;")
    outer = (
        f'<!doctype html><body><iframe id="page" style="width:{width}px;height:800px;border:0" srcdoc="{inner}"></iframe>'
        "<script>onload = () => { const page = document.getElementById('page').contentDocument.documentElement;"
        "document.title = [page.scrollWidth, page.scrollHeight].join(); }</script></body>"
    )
    (folder / "outer.html").write_text(outer, encoding="utf-8")
    found = re.search(r"<title>(\d+),(\d+)</title>", show(folder, folder / "outer.html", 1400))
    return None if found is None else (int(found[1]), int(found[2]))


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("strategy", ["planned", "adaptive"])
def test_a_page_with_seven_parameters_fits_a_few_screens_of_a_phone(tmp_path: Path, strategy: str) -> None:
    """375 wide, and no more than four screens of 812 high."""
    size = measure(tmp_path, seven(tmp_path / "run.jsonl", strategy), 375)
    if size is None:
        pytest.skip("this chromium cannot run here")
    assert size[0] <= 375
    assert size[1] <= 4 * 812


def show(folder: Path, page: Path, width: int) -> str:
    """Return what a browser makes of a page."""
    return subprocess.run(
        [
            *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"),
            *(f"--window-size={width},900", "--virtual-time-budget=3000", "--dump-dom", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    ).stdout


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_sticks_out_in_a_real_browser(tmp_path: Path, width: int) -> None:
    """On a phone and on a screen: the page is as wide as the window; only the drawing scrolls."""
    made(tmp_path / "run.jsonl", n=20, budget=150, heat_size=4)
    text = page_of(tmp_path / "run.jsonl")
    probe = "<script>document.title = [document.documentElement.scrollWidth, innerWidth].join()</script></body>"
    (tmp_path / "page.html").write_text(text.replace("</body>", probe), encoding="utf-8")
    found = re.search(r"<title>(\d+),(\d+)</title>", show(tmp_path, tmp_path / "page.html", width))
    if found is None:
        pytest.skip("this chromium cannot run here")
    assert int(found[1]) <= int(found[2])


def test_the_standings_are_on_the_page(tmp_path: Path) -> None:
    """The best of them at once, with their intervals drawn on one axis; nobody is left out."""
    found, _, text = made(tmp_path / "run.jsonl", n=20, budget=150, heat_size=4)
    assert "<h2>Standings</h2>" in text
    assert text.count('<svg class="strength') == 20
    assert text.count('class="strength first"') == 1
    assert "The other 10" in text
    assert "with a chance of" in text
    best = found.standings.rows[0]
    assert f'aria-label="{best.strength:.2f}, from {best.low:.2f} to {best.high:.2f}"' in text


PROMPTS = [
    "Think step by step, check your result, then give the number, nothing else.",
    "Be brief.",
    "Guess, then check.",
]


def prefer(texts: Any) -> str:
    """Return the page of a run that prefers the texts in their order."""
    return heats.find_best(texts, lambda heat: [-texts.index(each) for each in heat], budget=30, seed=1).to_html()


def test_texts_are_shown_as_what_they_are() -> None:
    """The winner's whole text in large; names in tables and sentences, not numbers; nothing is said twice."""
    text = prefer(PROMPTS)
    assert f'<h1>The best of 3 candidates</h1>\n<p class="winner long">{PROMPTS[0]}</p>' in text
    assert "<pre>" not in text
    assert '<td class="text"><div class="long">Guess, then check.</div></td>' in text
    assert "Met the runner-up, “Guess, then check.”," in text or "Met the runner-up, “Be brief.”," in text
    assert "#0" not in re.sub("<style>.*?</style>", "", text, flags=re.DOTALL)


def test_a_text_too_long_for_a_heading_is_below_it() -> None:
    """With its lines as they are."""
    long = "Think step by step.\n" * 20
    text = prefer([long, *PROMPTS])
    assert f"<pre>{long}</pre>" in text
    assert '<p class="winner">Think step by step. Think' in text


def test_a_winner_with_parameters_is_not_only_a_number() -> None:
    """Its parameters in large, and the number by which tables call it above."""
    text = prefer([{"a_parameter": arm + 0.5, "another": 7 - arm} for arm in range(3)])
    assert "<h1>The best of 3 candidates is #0</h1>" in text
    assert '<p class="winner">a_parameter=0.5 another=7</p>' in text


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("width", [375, 1200])
def test_texts_fit_their_card(tmp_path: Path, width: int) -> None:
    """On a screen the standings need no scrolling; on a phone the texts leave room for their chances."""
    probe = "<script>document.title = [document.querySelector('table').scrollWidth, document.querySelector('td').offsetWidth].join()</script></body>"
    page = prefer([*PROMPTS, *(f"Answer as the {number}th of my many good friends would." for number in range(9))])
    (tmp_path / "page.html").write_text(page.replace("</body>", probe), encoding="utf-8")
    found = re.search(r"<title>(\d+),(\d+)</title>", show(tmp_path, tmp_path / "page.html", width))
    if found is None:
        pytest.skip("this chromium cannot run here")
    assert int(found[1]) < 1200
    assert int(found[2]) < width / 2
