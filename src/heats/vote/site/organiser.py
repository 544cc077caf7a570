"""The organiser's pages: how far it is, orders, links, files, and the report."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from heats.base.frames import Column
from heats.engine.adaptive import Adaptive
from heats.errors import InvalidArgument
from heats.journal import Log
from heats.reports.frames import list_results, write_csv
from heats.reports.page import render_page
from heats.reports.result import summarise
from heats.vote.desk.desk import Desk
from heats.vote.desk.ledger import Ledger
from heats.vote.poll.people import Link, list_links
from heats.vote.site.guard import (
    PAGE_HEADERS,
    REPORT_HEADERS,
    Refused,
    check_source,
    check_ticket,
    make_ticket,
    read_form,
    read_number,
)
from heats.vote.site.overview import Overview, look_round, survey
from heats.vote.site.site import NO_PAGE, Site
from heats.vote.site.tally import list_votes, write_votes_csv, write_votes_json

SURVEY_SECONDS = 1.0  # between two looks of the organiser at the whole, which take time
LONGEST_TEXT = 2_000  # of a candidate that is added
LONGEST_NUMBER = 18  # digits


class Organiser:
    """The organiser's pages."""

    def __init__(self, site: Site) -> None:
        self.site, self.office = site, site.office
        self._survey: tuple[float, Overview] | None = None

    def list_routes(self) -> list[Route]:
        """Return where the pages are."""
        return [
            Route("/o/{token}", self.show_overview, methods=["GET"]),
            Route("/o/{token}/do", self.take_order, methods=["POST"]),
            Route("/o/{token}/links", self.show_links, methods=["GET"]),
            Route("/o/{token}/report", self.show_report, methods=["GET"]),
            Route("/o/{token}/media/{arm}", self.show_media, methods=["GET"]),
            Route("/o/{token}/{name}", self.download, methods=["GET"]),
        ]

    async def show_overview(self, request: Request) -> Response:
        """Show how far the poll is."""
        token = self._check_organiser(request)
        return self.site.page(
            "organiser.html",
            base=f"/o/{token}",
            view=await self._survey_now(),
            ticket=make_ticket(token, "order"),
            said="Done." if request.query_params.get("said") == "done" else "",
            is_adaptive=isinstance(self.office.desk.journal.machine, Adaptive),
            is_open=self.office.roster.names is None,
            address=str(request.base_url),
            has_files=self.office.poll.has_files,
            journal=str(self.office.path),
        )

    async def take_order(self, request: Request) -> Response:
        """Do what the organiser says."""
        token = self._check_organiser(request)
        check_source(request)
        fields = {name: values[0] for name, values in (await read_form(request)).items()}
        check_ticket(fields.get("ticket", ""), token, "order")
        order = self._read_order(fields)
        await self.site.ask(order)
        self._survey = None
        return RedirectResponse(f"/o/{token}?said=done", HTTPStatus.SEE_OTHER, PAGE_HEADERS)

    async def show_links(self, request: Request) -> Response:
        """Show all links of voters with codes to scan, to be printed."""
        self._check_organiser(request)
        import segno

        codes = [
            (name, link, Markup(segno.make(link).svg_inline(scale=4, border=2, dark="#000", light="#fff")))
            for name, link, _ in self._list_links(request)
        ]
        return self.site.page("links.html", codes=codes, is_open=self.office.roster.names is None)

    async def show_report(self, request: Request) -> Response:
        """Show the report as it is now; before the end it names no winner."""
        self._check_organiser(request)
        page = await self.site.read(_write_report)
        return HTMLResponse(page, headers=REPORT_HEADERS)

    async def show_media(self, request: Request) -> Response:
        """Show the file of a candidate."""
        self._check_organiser(request)
        return await self.site.send_media(request.path_params["arm"])

    async def download(self, request: Request) -> Response:
        """Hand over votes, standings, result or links as a file."""
        self._check_organiser(request)
        name = request.path_params["name"]
        if name == "links.csv":
            content = self._write_links(request)
        elif name in FILES:
            content = await self.site.read(FILES[name])
        else:
            raise Refused(404, NO_PAGE)
        kind = "application/json" if name.endswith("json") else "text/csv; charset=utf-8"
        held = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=kind, headers=PAGE_HEADERS | held)

    # How it is done.

    def _check_organiser(self, request: Request) -> str:
        token: str = request.path_params["token"]
        if not self.office.roster.is_organiser(token):
            raise Refused(404, "This link is not known here.")
        return token

    async def _survey_now(self) -> Overview:
        """Return what the organiser sees, at most a second old or ten times what it took to find out."""
        now = time.monotonic()
        if self._survey is None or now > self._survey[0]:
            listed = self.office.roster.names
            busy = await self.site.ask(lambda desk: look_round(desk, listed or ()))
            view = await self.site.read(partial(survey, busy=busy, listed=listed))
            took = time.monotonic() - now
            self._survey = time.monotonic() + max(SURVEY_SECONDS, 10 * took), view
        return self._survey[1]

    def _list_links(self, request: Request) -> list[Link]:
        """Return the links of voters, at the address that the organiser came by."""
        return list_links(str(request.base_url), self.office.roster.names, self.office.tokens)

    def _write_links(self, request: Request) -> bytes:
        links = self._list_links(request)
        columns = [
            Column("name", str, [each.name for each in links]),
            Column("link", str, [each.link for each in links]),
        ]
        return write_csv(columns, spreadsheet=True)

    def _read_order(self, fields: dict[str, str]) -> Callable[[Desk], Any]:
        """Return what the organiser wants done, or refuse what is no order."""
        order = fields.get("order", "")
        said = fields.get("text" if order == "add" else "who", "").strip()[:LONGEST_TEXT]
        if order == "pause":
            return lambda desk: desk.journal.pause()
        if order == "open":
            return lambda desk: desk.journal.reopen()
        if order == "close":
            return lambda desk: desk.journal.close_stage(fields.get("why", "")[:200] or "closed by the organiser")
        if order == "void" and said:
            return lambda desk: _void(desk, fields["who"])
        if order == "extend":
            votes = _read_votes(fields.get("pulls", ""))
            return lambda desk: self.office.extend(desk, votes)
        if order == "add" and said:
            return lambda desk: self.office.add(desk, said)
        if order == "join" and said:
            return lambda desk: self.office.join(desk, said)
        raise Refused(400, "Nothing was said to be done.")


def _write_report(log: Log, _: Ledger) -> str:
    return render_page(log, summarise(log.machine, log.names, log))


def _write_votes_csv(log: Log, ledger: Ledger) -> bytes:
    return write_votes_csv(list_votes(log, ledger))


def _write_votes_json(log: Log, ledger: Ledger) -> bytes:
    return write_votes_json(list_votes(log, ledger))


def _write_standings(log: Log, _: Ledger) -> bytes:
    return write_csv(list_results(log.machine.standings(), log.names, ()), spreadsheet=True)


def _write_result(log: Log, _: Ledger) -> bytes:
    return summarise(log.machine, log.names, log).to_json().encode()


FILES: dict[str, Callable[[Log, Ledger], bytes]] = {  # how each is made of the journal
    "votes.csv": _write_votes_csv,
    "votes.json": _write_votes_json,
    "standings.csv": _write_standings,
    "result.json": _write_result,
}


def _void(desk: Desk, who: str) -> None:
    if who not in desk.ledger.people:
        raise InvalidArgument("nobody voted who is called {who}.", who=who)
    desk.journal.void(who)


def _read_votes(said: str) -> int:
    votes = read_number(said.strip(), LONGEST_NUMBER)
    if votes is None:
        raise Refused(400, "Say how many more votes there shall be, as a whole number such as 60.")
    return votes
