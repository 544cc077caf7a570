"""The pages of voters: what they are asked about, their votes, and undoing the last one."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heats.vote.answers import read_answer
from heats.vote.desk import Desk, Handed, Nothing, Outcome
from heats.vote.guard import PAGE_HEADERS, Rate, Refused, check_source, check_ticket, make_ticket, read_form
from heats.vote.people import make_token, name_stranger
from heats.vote.site import NO_PAGE, Site

COOKIE = "heats_voter"
COOKIE_SECONDS = 180 * 86_400
PARTICIPANT = re.compile(r"[A-Za-z0-9_-]{1,64}")  # as panels of paid raters name people

SAID = {
    "counted": "Your vote is counted.",
    "repeated": "You had voted on that already; your first vote counts.",
    "late": "Your vote came too late to count: somebody else was first, or the round was over. It is kept as late.",
    "paused": "Voting is paused: your vote was not counted. Vote again when it goes on.",
    "skipped": "Somebody else is asked about that one.",
    "undone": "Your last vote is taken back. Vote again.",
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


class Booth:
    """The pages of voters."""

    def __init__(self, site: Site) -> None:
        self.site, self.table = site, site.table
        self._roster, self._is_open = site.office.roster, site.office.roster.names is None
        self._votes, self._newcomers = Rate(30, 5), Rate(100, 5)

    def list_routes(self) -> list[Route]:
        """Return where the pages are: below a secret link each, or, in an open poll, at the top."""
        top = "" if self._is_open else "/v/{token}"
        routes = [
            Route(top or "/", self.show_vote, methods=["GET"]),
            Route(f"{top}/vote", self.take_vote, methods=["POST"]),
            Route(f"{top}/undo", self.take_undo, methods=["POST"]),
            Route(f"{top}/media/{{arm:int}}", self.show_media, methods=["GET"]),
        ]
        return [*routes, Route("/begin", self.begin, methods=["POST"])] if self._is_open else routes

    async def show_vote(self, request: Request) -> Response:
        """Show what a voter is asked about; a newcomer to an open poll is asked to begin."""
        voter = self._find_voter(request)
        if voter is None:
            participant = request.query_params.get("PROLIFIC_PID", "")
            return self.site.page("begin.html", participant=participant if PARTICIPANT.fullmatch(participant) else "")
        handed, mine, last, following = await self.site.ask(lambda desk: self._look(desk, voter.name))
        share = self.site.office.poll.share
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
            return self.site.page(
                "nothing.html",
                state=reason.value,
                why=NOTHING[reason],
                is_over=is_over,
                can_go_on=isinstance(handed, Handed),
                thanks=self.table.thanks if is_over else "",
                done_url=self.table.done_url if is_over else None,
                **common,
            )
        query = handed.query
        return self.site.page(
            "vote.html",
            cards=[
                (place, self.site.show(arm, place, voter.base), self.site.name(arm))
                for place, arm in enumerate(query.arms, 1)
            ],
            number=query.id,
            ticket=make_ticket(voter.token, "vote", query.id, query.arms),
            is_last=handed.is_last,
            following=[] if following is None else self.site.list_media(following.arms, voter.base),
            **common,
        )

    async def take_vote(self, request: Request) -> Response:
        """Take a vote, or that somebody cannot say."""
        voter, fields = await self._receive(request)
        number = _read_number(fields)
        query = await self.site.ask(lambda desk: desk.journal.machine.query(number))
        check_ticket(fields.get("ticket", [""])[0], voter.token, "vote", query.id, query.arms)
        said = fields.get("say", [""])[0]
        if said == "skip" and self.table.skip:
            outcome = await self.site.ask(lambda desk: desk.skip(voter.name, number))
            return self._go_on(request, voter, "skipped" if outcome is Outcome.COUNTED else outcome.value)
        feedback = read_answer(fields, query.arms, self.table)
        outcome = await self.site.ask(lambda desk: desk.answer(voter.name, number, feedback))
        return self._go_on(request, voter, outcome.value)

    async def take_undo(self, request: Request) -> Response:
        """Take back a voter's last vote."""
        voter, fields = await self._receive(request)
        number = _read_number(fields)
        check_ticket(fields.get("ticket", [""])[0], voter.token, "undo", number)
        await self.site.ask(lambda desk: desk.undo(voter.name, number))
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
        """Show the file of a candidate, to voters only."""
        if self._find_voter(request) is None:
            raise Refused(404, NO_PAGE)
        return self.site.send_media(request.path_params["arm"])

    # How it is done.

    def _look(self, desk: Desk, who: str) -> Any:
        """Return what somebody is asked about, how many votes they gave, which can be undone, and what comes next."""
        handed = desk.hand_out(who)
        person = desk.ledger.people.get(who)
        last = desk.find_last(who) if desk.can_undo(who) else None
        following = desk.peek(who) if isinstance(handed, Handed) else None
        return handed, 0 if person is None else person.answered, last, following

    def _find_voter(self, request: Request) -> Voter | None:
        """Return who is asking: by the link, or in an open poll by the cookie; None for a newcomer."""
        if not self._is_open:
            token = request.path_params["token"]
            name = self._roster.find_voter(token)
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


def _read_number(fields: dict[str, list[str]]) -> int:
    said = fields.get("number", [""])[0]
    if not (said.isascii() and said.isdigit() and len(said) < 16):
        raise Refused(400, "This form does not say what it is about.")
    return int(said)
