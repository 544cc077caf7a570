"""Every vote is accounted for: whether it counts, and why not, on the organiser's page and in the files."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from heats.journal import Log
from heats.reports.frames import list_results, write_csv
from heats.reports.result import summarise
from heats.vote.desk import desk
from tests.vote.test_app import Poll, read_hidden
from tests.vote.test_scenario import write_pictures, write_scenario


def list_rows(poll: Poll) -> list[dict[str, Any]]:
    """Return all votes as the organiser downloads them."""
    rows: list[dict[str, Any]] = poll.client.get(f"{poll.organiser}/votes.json").json()
    return rows


def test_why_a_vote_does_not_count_is_shown(tmp_path: Path) -> None:
    """It came too late, was undone, or its voter was voided; each in the page, in CSV and in JSON."""
    poll = Poll(tmp_path)
    poll.order(order="close")
    late = poll.open("Ann") | {"say": "1"}
    poll.send("Bob", "2")
    poll.send("Cem", "none")
    page = poll.client.get(poll.base("Cem")).text
    poll.client.post(f"{poll.base('Cem')}/undo", data=read_hidden(page[page.index("/undo") - 60 :]))
    poll.send("Cem", "tie")
    poll.order(order="close", why="time is up")
    poll.client.post(f"{poll.base('Ann')}/vote", data=late)
    poll.order(order="void", who="Bob")
    found = {(row["voter"], row["counts"]): row["why_not"] for row in list_rows(poll)}
    assert found == {
        ("Ann", False): desk.CLOSED,
        ("Bob", False): desk.VOID,
        ("Cem", False): "the voter took it back",
        ("Cem", True): "",
    }
    shown = poll.client.get(poll.organiser).text
    table = list(csv.DictReader(io.StringIO(poll.client.get(f"{poll.organiser}/votes.csv").text)))
    assert [row["why_not"] for row in table] == [row["why_not"] for row in list_rows(poll)]
    assert [row["counts"] for row in table].count("yes") == 1
    for why in (desk.CLOSED, desk.VOID, "the voter took it back"):
        assert f">{why}</td>" in shown
    answers = {row["answer"] for row in list_rows(poll)}
    assert "none of these" in answers
    assert any(each.startswith("a tie: ") for each in answers)
    poll.office.close()


def test_reports_say_what_was_shown_and_no_hash_of_it(tmp_path: Path) -> None:
    """Of files their names, of texts what the names leave out; page, text, table and JSON."""
    pictures = Poll(tmp_path, source=write_pictures(tmp_path), budget=4, batches=1)
    long = "A text that is\nlonger than its name."
    (tmp_path / "texts").mkdir()
    text = "".join(f'[[candidates]]\ntext = "{each}"\n' for each in ("tea", "milk", long.replace("\n", "\\n")))
    scenario = write_scenario(tmp_path / "texts", f"[vote]\nbatches = 1\n{text}")
    texts = Poll(tmp_path / "texts", source=scenario, budget=4)
    for poll in (pictures, texts):
        while not poll.machine.done:
            poll.order(order="close")
        log = Log(poll.office.path)
        log.advance()
        result = summarise(log.machine, log.names, log)
        table = write_csv(list_results(result.report.standings, log.names, log.values)).decode()
        for said in (poll.client.get(f"{poll.organiser}/report").text, str(result), table, result.to_json()):
            assert "sha256" not in said
            assert "name (parameter)" not in said
        assert ("longer than its name" in table) == (poll is texts)
        poll.office.close()


def test_a_vote_that_others_were_faster_with_says_so(tmp_path: Path) -> None:
    """Also after the end, and after a restart."""
    poll = Poll(tmp_path, budget=2, heat_size=3, batches=1)
    pages = {who: poll.open(who) | {"say": "1"} for who in ("Ann", "Bob")}
    poll.clock.now += desk.PATIENCE
    pages["Cem"] = poll.open("Cem") | {"say": "1"}
    shared = next(who for who in ("Ann", "Bob") if pages[who]["number"] == pages["Cem"]["number"])
    for who in ("Cem", shared):
        poll.client.post(f"{poll.base(who)}/vote", data=pages[who])
    assert [row["why_not"] for row in list_rows(poll) if not row["counts"]] == [desk.SECOND]
    (other,) = {"Ann", "Bob"} - {shared}
    poll.client.post(f"{poll.base(other)}/vote", data=pages[other])
    assert poll.machine.done
    poll.office.close()
    poll = Poll(tmp_path, budget=2, heat_size=3, batches=1)
    assert [row["why_not"] for row in list_rows(poll) if not row["counts"]] == [desk.SECOND]
    poll.office.close()
