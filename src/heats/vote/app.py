"""The pages: those of voters, those of the organiser. A GET changes nothing; a POST comes from here, with a ticket."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import time
from collections.abc import Callable
from http import HTTPStatus
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from heats.engine.adaptive import Adaptive
from heats.errors import HeatsError, InvalidArgument, JournalFailed
from heats.reports.frames import list_kept_pulls, list_results, write_csv
from heats.reports.page import render_page
from heats.reports.result import summarise
from heats.vote.answers import read_answer
from heats.vote.desk import Desk, Handed, Nothing, Outcome
from heats.vote.guard import (
    MEDIA_HEADERS,
    PAGE_HEADERS,
    REPORT_HEADERS,
    Rate,
    Refused,
    check_source,
    check_ticket,
    make_ticket,
    read_form,
)
from heats.vote.office import Office
from heats.vote.overview import Overview, survey
from heats.vote.people import make_token, name_stranger
from heats.vote.showing import render_candidate, render_markdown

T = TypeVar("T")

COOKIE = "heats_voter"
COOKIE_SECONDS = 180 * 86_400
PARTICIPANT = re.compile(r"[A-Za-z0-9_-]{1,64}")  # as panels of paid raters name people
SURVEY_SECONDS = 1.0  # between two looks of the organiser at the whole: they take time that voters wait for
LONGEST_TEXT = 2_000  # of a candidate that is added

SAID = {
    "counted": "Your vote is counted.",
    "repeated": "You had voted on that already; your first vote counts.",
    "late": "Your vote came too late to count: somebody else was first, or the round was over. It is kept as late.",
    "paused": "Voting is paused: your vote was not counted. Vote again when it goes on.",
    "skipped": "Somebody else is asked about that one.",
    "undone": "Your last vote is taken back. Vote again.",
    "done": "Done.",
}
NOTHING = {
    Nothing.DONE: "The poll is over.",
    Nothing.PAUSED: "Voting is paused. Come back later.",
    Nothing.VOID: "The organiser has left your votes out, so there is nothing for you to do.",
    Nothing.ENOUGH: "You have given all the votes that were asked of you.",
    Nothing.WAIT: "There is nothing for you now: you have seen all that is open. Come back later.",
}


class Voter(NamedTuple):
    """Who is asking: a name in the journal, the secret that their tickets are made with, and where their pages are."""

    name: str
    token: str
    base: str


class Pages:
    """All pages of one poll."""

    def __init__(self, office: Office) -> None:
        self.office, self.table = office, office.poll.table
        self._votes, self._newcomers = Rate(30, 5), Rate(100, 5)
        self._survey: tuple[float, Overview] | None = None
        self._templates = Environment(
            loader=PackageLoader("heats.vote", "pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
        )

    def make_app(self) -> Starlette:
        """Return the application."""
        voter = [
            Route("/", self.show_vote, methods=["GET"]),
            Route("/vote", self.take_vote, methods=["POST"]),
            Route("/undo", self.take_undo, methods=["POST"]),
            Route("/media/{arm:int}", self.show_media, methods=["GET"]),
        ]
        organiser = [
            Route("/o/{token}", self.show_overview, methods=["GET"]),
            Route("/o/{token}/do", self.take_order, methods=["POST"]),
            Route("/o/{token}/links", self.show_links, methods=["GET"]),
            Route("/o/{token}/report", self.show_report, methods=["GET"]),
            Route("/o/{token}/media/{arm:int}", self.show_media, methods=["GET"]),
            Route("/o/{token}/{name}", self.download, methods=["GET"]),
        ]
        listed = [
            Route(f"/v/{{token}}{route.path.rstrip('/')}", route.endpoint, methods=list(route.methods or ()))
            for route in voter
        ]
        return Starlette(
            routes=[
                *(
                    listed
                    if self.office.roster.names is not None
                    else [*voter, Route("/begin", self.begin, methods=["POST"])]
                ),
                *organiser,
                Route("/static/{name}", self.show_static, methods=["GET"]),
            ],
            exception_handlers={
                Refused: self.refuse,
                HTTPException: self.refuse,
                HeatsError: self.refuse,
                Exception: self.refuse,
            },
        )

    # Voters.

    async def show_vote(self, request: Request) -> Response:
        """Show what a voter is asked about; a newcomer to an open poll is asked to begin."""
        voter = self._find_voter(request)
        if voter is None:
            participant = request.query_params.get("PROLIFIC_PID", "")
            return self._page("begin.html", participant=participant if PARTICIPANT.fullmatch(participant) else "")
        handed, mine, last, following = await self._ask(lambda desk: self._look(desk, voter.name))
        share = self.office.poll.share
        is_enough = share is not None and mine >= share and "more" not in request.query_params
        common = {
            "said": SAID.get(request.query_params.get("said", ""), ""),
            "voter": voter,
            "mine": mine,
            "share": share,
            "undo": None if last is None else (last, make_ticket(voter.token, "undo", last)),
            "more": "more" in request.query_params,
        }
        if isinstance(handed, Nothing) or is_enough:
            reason = handed if isinstance(handed, Nothing) else Nothing.ENOUGH
            is_over = reason in (Nothing.DONE, Nothing.ENOUGH)
            return self._page(
                "nothing.html",
                why=NOTHING[reason],
                is_over=is_over,
                can_go_on=isinstance(handed, Handed),
                thanks=self.table.thanks if is_over else "",
                done_url=self.table.done_url if is_over else None,
                **common,
            )
        query = handed.query
        return self._page(
            "vote.html",
            cards=[
                (place, self._show(arm, place, voter.base), self._name(arm)) for place, arm in enumerate(query.arms, 1)
            ],
            number=query.id,
            ticket=make_ticket(voter.token, "vote", query.id, query.arms),
            is_last=handed.is_last,
            following=[] if following is None else self._list_media(following.arms, voter.base),
            **common,
        )

    async def take_vote(self, request: Request) -> Response:
        """Take a vote, or that somebody cannot say."""
        voter, fields = await self._receive(request)
        number = _read_number(fields)
        query = await self._ask(lambda desk: desk.journal.machine.query(number))
        check_ticket(fields.get("ticket", [""])[0], voter.token, "vote", query.id, query.arms)
        said = fields.get("say", [""])[0]
        if said == "skip" and self.table.skip:
            outcome = await self._ask(lambda desk: desk.skip(voter.name, number))
            return self._go_on(request, voter, "skipped" if outcome is Outcome.COUNTED else outcome.value)
        feedback = read_answer(fields, query.arms, self.table)
        outcome = await self._ask(lambda desk: desk.answer(voter.name, number, feedback))
        return self._go_on(request, voter, outcome.value)

    async def take_undo(self, request: Request) -> Response:
        """Take back a voter's last vote."""
        voter, fields = await self._receive(request)
        number = _read_number(fields)
        check_ticket(fields.get("ticket", [""])[0], voter.token, "undo", number)
        await self._ask(lambda desk: desk.undo(voter.name, number))
        return self._go_on(request, voter, "undone")

    async def begin(self, request: Request) -> Response:
        """Give a newcomer to an open poll a cookie to be known by."""
        check_source(request)
        self._newcomers.spend(request.client.host if request.client else "")
        fields = await read_form(request)
        participant = fields.get("participant", [""])[0]
        secret = make_token() + (f"~{participant}" if PARTICIPANT.fullmatch(participant) else "")
        response = RedirectResponse("/", HTTPStatus.SEE_OTHER, PAGE_HEADERS)
        is_safe = request.url.scheme == "https"
        response.set_cookie(COOKIE, secret, COOKIE_SECONDS, httponly=True, samesite="lax", secure=is_safe)
        return response

    async def show_media(self, request: Request) -> Response:
        """Show the file of a candidate, to voters and the organiser only."""
        if "token" in request.path_params and "/o/" in request.url.path:
            self._check_organiser(request)
        elif self._find_voter(request) is None:
            raise Refused(404, "There is no such page.")
        arm, known = request.path_params["arm"], self.office.poll.candidates
        path = known[arm].path if arm < len(known) else None
        if path is None or path.is_symlink() or path.resolve() != path or not path.is_file():
            raise Refused(404, "There is no such file, or not any more.")
        return FileResponse(path, media_type=known[arm].media_type, headers=MEDIA_HEADERS)

    # The organiser.

    async def show_overview(self, request: Request) -> Response:
        """Show how far the poll is."""
        token = self._check_organiser(request)
        return self._page(
            "organiser.html",
            base=f"/o/{token}",
            view=await self._survey_now(),
            ticket=make_ticket(token, "order"),
            said=SAID.get(request.query_params.get("said", ""), ""),
            is_adaptive=isinstance(self.office.desk.journal.machine, Adaptive),
            is_open=self.office.roster.names is None,
            address=str(request.base_url),
            journal=str(self.office.path),
        )

    async def take_order(self, request: Request) -> Response:
        """Do what the organiser says."""
        token = self._check_organiser(request)
        check_source(request)
        fields = {name: values[0] for name, values in (await read_form(request)).items()}
        check_ticket(fields.get("ticket", ""), token, "order")
        order = self._read_order(fields)
        await self._ask(order)
        self._survey = None
        return RedirectResponse(f"/o/{token}?said=done", HTTPStatus.SEE_OTHER, PAGE_HEADERS)

    async def show_links(self, request: Request) -> Response:
        """Show all links of voters with codes to scan, to be printed."""
        self._check_organiser(request)
        import segno

        links = self._list_links(str(request.base_url))
        codes = [
            (name, link, Markup(segno.make(link).svg_inline(scale=4, border=2, dark="#000", light="#fff")))
            for name, link in links
        ]
        return self._page("links.html", codes=codes, is_open=self.office.roster.names is None)

    async def show_report(self, request: Request) -> Response:
        """Show the report as it is now; before the end it names no winner."""
        self._check_organiser(request)
        page = await self._ask(lambda desk: render_page(desk.journal.log, _summarise(desk)))
        return HTMLResponse(page, headers=REPORT_HEADERS)

    async def download(self, request: Request) -> Response:
        """Hand over votes, standings, result or links as a file."""
        self._check_organiser(request)
        name = request.path_params["name"]
        makers: dict[str, Callable[[Desk], bytes]] = {
            "votes.csv": lambda desk: write_csv(list_kept_pulls(desk.journal.log)),
            "standings.csv": _write_standings,
            "result.json": lambda desk: _summarise(desk).to_json().encode(),
            "links.csv": lambda _: self._write_links(str(request.base_url)),
        }
        if name not in makers:
            raise Refused(404, "There is no such page.")
        content = await self._ask(makers[name])
        kind = "application/json" if name.endswith("json") else "text/csv; charset=utf-8"
        held = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=kind, headers=PAGE_HEADERS | held)

    # Everybody.

    async def show_static(self, request: Request) -> Response:
        """Show our style sheet or our script."""
        name = request.path_params["name"]
        kinds = {"vote.css": "text/css", "vote.js": "text/javascript"}
        if name not in kinds:
            raise Refused(404, "There is no such page.")
        content = files("heats.vote").joinpath("pages", name).read_bytes()
        return Response(content, media_type=kinds[name], headers=PAGE_HEADERS | {"Cache-Control": "max-age=3600"})

    async def refuse(self, _: Request, error: Exception) -> Response:
        """Say on a page why something was not done."""
        status, why = _explain(error)
        return self._page("problem.html", status, why=why)

    # How it is done.

    async def _ask(self, job: Callable[[Desk], T]) -> T:
        return await asyncio.wrap_future(self.office.do(job))

    def _look(self, desk: Desk, who: str) -> Any:
        """Return what somebody is asked about, how many votes they gave, which can be undone, and what comes next."""
        handed = desk.hand_out(who)
        person = desk.ledger.people.get(who)
        last = desk.find_last(who) if desk.can_undo(who) else None
        following = desk.peek(who) if isinstance(handed, Handed) else None
        return handed, 0 if person is None else person.answered, last, following

    def _find_voter(self, request: Request) -> Voter | None:
        """Return who is asking: by the link, or in an open poll by the cookie; None for a newcomer."""
        if self.office.roster.names is not None:
            token = request.path_params["token"]
            name = self.office.roster.find_voter(token)
            if name is None:
                raise Refused(404, "This link is not known here. Look at it again, or ask for a new one.")
            return Voter(name, token, f"/v/{token}")
        token = request.cookies.get(COOKIE, "")
        if not token:
            return None
        participant = token.partition("~")[2]
        is_named = PARTICIPANT.fullmatch(participant) is not None
        return Voter(f"participant {participant}" if is_named else name_stranger(token), token, "")

    async def _receive(self, request: Request) -> tuple[Voter, dict[str, list[str]]]:
        """Return who sent a form, and its fields; or refuse it."""
        check_source(request)
        voter = self._find_voter(request)
        if voter is None:
            raise Refused(403, "It is not known who you are: cookies are needed to vote here. Nothing was counted.")
        self._votes.spend(voter.name)
        return voter, await read_form(request)

    def _go_on(self, request: Request, voter: Voter, said: str) -> Response:
        more = "&more=1" if "more" in request.query_params else ""
        return RedirectResponse(f"{voter.base or '/'}?said={said}{more}", HTTPStatus.SEE_OTHER, PAGE_HEADERS)

    def _check_organiser(self, request: Request) -> str:
        token: str = request.path_params["token"]
        if not self.office.roster.is_organiser(token):
            raise Refused(404, "This link is not known here.")
        return token

    def _page(self, template: str, status: int = 200, **values: Any) -> Response:
        table = self.table
        text = self._templates.get_template(template).render(
            question=table.question,
            introduction=Markup(render_markdown(table.introduction)),  # cleaned
            table=table,
            **values,
        )
        return HTMLResponse(text, status, PAGE_HEADERS)

    def _show(self, arm: int, place: int, base: str) -> Markup:
        shown = self.office.show(arm)
        return Markup(render_candidate(shown, place, f"{base}/media/{arm}", named=self.table.show_names))

    def _name(self, arm: int) -> str:
        shown = self.office.show(arm)
        return shown.name if self.table.show_names and shown.name != shown.text else ""

    def _list_media(self, arms: tuple[int, ...], base: str) -> list[str]:
        return [f"{base}/media/{arm}" for arm in arms if self.office.show(arm).kind == "image"]

    async def _survey_now(self) -> Overview:
        """Return what the organiser sees, at most a second old or ten times what it took to find out."""
        now = time.monotonic()
        if self._survey is None or now > self._survey[0]:
            view = await self._ask(lambda desk: survey(self.office, desk))
            took = time.monotonic() - now
            self._survey = time.monotonic() + max(SURVEY_SECONDS, 10 * took), view
        return self._survey[1]

    def _list_links(self, address: str) -> list[tuple[str, str]]:
        names = self.office.roster.names
        if names is None:
            return [("everybody", address)]
        tokens = self.office.tokens
        return [(name, f"{address}v/{tokens[name]}") for name in names if name in tokens]

    def _write_links(self, address: str) -> bytes:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([("name", "link"), *self._list_links(address)])
        return text.getvalue().encode()

    def _read_order(self, fields: dict[str, str]) -> Callable[[Desk], Any]:
        """Return what the organiser wants done, or refuse what is no order."""
        order = fields.get("order", "")
        if order in ("pause", "open"):
            return lambda desk: setattr(desk, "is_paused", order == "pause")
        if order == "close":
            return lambda desk: desk.journal.close_stage(fields.get("why", "")[:200] or "closed by the organiser")
        if order == "void" and fields.get("who"):
            return lambda desk: _void(desk, fields["who"])
        if order == "extend":
            said = fields.get("pulls", "")
            pulls = int(said) if said.isascii() and said.isdigit() and len(said) < 8 else 0
            return lambda desk: desk.journal.extend(pulls)
        if order == "add" and fields.get("text", "").strip():
            if any(each.path is not None for each in self.office.poll.candidates):
                raise Refused(400, "Only texts can be added, and the candidates of this poll are files.")
            return lambda desk: desk.journal.add(fields["text"].strip()[:LONGEST_TEXT])
        raise Refused(400, "Nothing was said to be done.")


def make_app(office: Office) -> Starlette:
    """Return the pages of a poll as an application for any server that speaks ASGI."""
    return Pages(office).make_app()


def _void(desk: Desk, who: str) -> None:
    if who not in desk.ledger.people:
        raise InvalidArgument("nobody voted who is called {who}.", who=who)
    desk.journal.void(who)


def _summarise(desk: Desk) -> Any:
    log = desk.journal.log
    return summarise(log.machine, log.names, log)


def _write_standings(desk: Desk) -> bytes:
    log = desk.journal.log
    return write_csv(list_results(log.machine.standings(), log.names, ()))


def _read_number(fields: dict[str, list[str]]) -> int:
    said = fields.get("number", [""])[0]
    if not (said.isascii() and said.isdigit() and len(said) < 16):
        raise Refused(400, "This form does not say what it is about.")
    return int(said)


def _explain(error: Exception) -> tuple[int, str]:
    """Return a status and a sentence."""
    match error:
        case Refused():
            return error.status, str(error)
        case HTTPException():
            return (
                error.status_code,
                "There is no such page." if error.status_code == 404 else "That is not possible here.",
            )
        case JournalFailed():
            return 503, "Your vote was NOT counted: it could not be kept (the disk may be full). Try again in a while."
        case HeatsError():
            sentence = str(error)
            return 400, f"{sentence[:1].upper()}{sentence[1:]}"
    return 500, "Something went wrong here; your vote was not counted. Try again, or tell the organiser."
