"""The pages of voters: what they are asked about, their votes, and undoing the last one."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heats.vote.desk.desk import Desk, Handed, Nothing, Outcome
from heats.vote.poll.identities import PARTICIPANT, name_holder
from heats.vote.site.answers import read_answer
from heats.vote.site.guard import (
    PAGE_HEADERS,
    Rate,
    Refused,
    check_source,
    check_ticket,
    find_network,
    make_ticket,
    read_form,
    read_number,
)
from heats.vote.site.site import NO_PAGE, Site

COOKIE_SECONDS = 180 * 86_400
LEAD_ON_SECONDS = 10  # after which the thank-you page leads on

SAID = {
    "counted": "Your vote is counted.",
    "repeated": "That was answered already: your first answer counts.",
    "late": (
        "Your vote came too late to count: others were first, it was waited for no longer, or a file was changed. "
        "It is kept as late."
    ),
    "paused": "Voting is paused: your vote was not counted. Vote again when it goes on.",
    "skipped": "Somebody else is asked about that one.",
    "undone": "Your last vote is taken back. Vote again.",
}
NOTHING = {
    Nothing.DONE: "The poll is over.",
    Nothing.PAUSED: "Voting is paused. Come back later.",
    Nothing.VOID: "The organiser has left your votes out, so there is nothing for you to do.",
    Nothing.ENOUGH: "You have given all the votes that were asked of you.",
    Nothing.WAIT: "There is nothing for you now: you have seen all that is open, or others are at it. Come back later.",
}


class Voter(NamedTuple):
    """Who is asking: a name in the journal, the key that their tickets are made with, and where their pages are."""

    name: str
    key: str
    base: str


class Booth:
    """The pages of voters."""

    def __init__(self, site: Site) -> None:
        self.site, self.table, self.office = site, site.table, site.office
        self._identities = site.office.identities  # None if it is listed who may vote
        self._votes, self._newcomers = Rate(30, 5), Rate(100, 5)

    def list_routes(self) -> list[Route]:
        """Return where the pages are: below a secret link each, or, in an open poll, at the top."""
        top = "/v/{token}" if self._identities is None else ""
        return [
            Route(top or "/", self.show_vote, methods=["GET"]),
            Route(f"{top}/begin", self.begin, methods=["POST"]),
            Route(f"{top}/vote", self.take_vote, methods=["POST"]),
            Route(f"{top}/undo", self.take_undo, methods=["POST"]),
            Route(f"{top}/media/{{arm}}", self.show_media, methods=["GET"]),
        ]

    async def show_vote(self, request: Request) -> Response:
        """Show what a voter was handed, which stays as it is; whoever has nothing is asked to begin."""
        voter, more = self._find_voter(request), "more" in request.query_params
        if voter is None:
            participant = request.query_params.get("PROLIFIC_PID", "")
            known = participant if PARTICIPANT.fullmatch(participant) else ""
            return self.site.page("begin.html", participant=known, base="", more=False, is_known=False)
        handed, mine, last, following = await self.site.ask(lambda desk: _look(desk, voter.name))
        common: dict[str, Any] = {
            "said": SAID.get(request.query_params.get("said", ""), ""),
            "voter": voter,
            "mine": mine,
            "share": self.office.share,
            "undo": None if last is None else (last, make_ticket(voter.key, "undo", last)),
            "more": more,
        }
        if handed in (Nothing.DONE, Nothing.ENOUGH) or self._has_done(mine, more=more):
            return self._thank(request, handed, common)
        if handed is Nothing.YET:
            return self.site.page("begin.html", participant="", base=voter.base, more=more, is_known=True)
        if isinstance(handed, Nothing):
            common |= {"is_over": False, "can_go_on": False, "thanks": "", "done_url": None}
            return self.site.page("nothing.html", state=handed.value, why=NOTHING[handed], **common)
        query = handed.query
        return self.site.page(
            "vote.html",
            cards=[
                (place, self.site.show(arm, place, voter.base), self.site.name(arm))
                for place, arm in enumerate(query.arms, 1)
            ],
            number=query.id,
            ticket=make_ticket(voter.key, "vote", query.id, query.arms),
            is_last=handed.is_last,
            following=[] if following is None else self.site.list_media(following.arms, voter.base),
            **common,
        )

    async def begin(self, request: Request) -> Response:
        """Hand something to a voter; a newcomer to an open poll gets a cookie to be known by."""
        check_source(request)
        voter = self._find_voter(request)
        if voter is not None:
            self._votes.spend(voter.name)
            await self.site.ask(lambda desk: desk.hand_out(voter.name))
            return self._go_on(request, voter)
        identities = self._identities
        assert identities is not None  # else it is known who they are, or refused
        self._newcomers.spend(find_network(request))
        identity = identities.issue((await read_form(request)).get("participant", [""])[0])
        newcomer = self._describe(identity)
        await self.site.ask(lambda desk: desk.hand_out(newcomer.name))
        response = self._go_on(request, newcomer)
        is_safe = request.scope["scheme"] == "https"
        response.set_cookie(identities.cookie, identity, COOKIE_SECONDS, httponly=True, samesite="lax", secure=is_safe)
        return response

    async def take_vote(self, request: Request) -> Response:
        """Take a vote, or that somebody cannot say, and hand out what comes next."""
        voter, fields = await self._receive(request)
        number, more = _read_number(fields), "more" in request.query_params
        is_skipped = self.table.skip and fields.get("say") == ["skip"]

        def take(desk: Desk) -> Outcome:
            query = desk.journal.machine.query(number)
            check_ticket(fields.get("ticket", [""])[0], voter.key, "vote", query.id, query.arms)
            if is_skipped:
                outcome = desk.skip(voter.name, number)
            else:
                outcome = desk.answer(voter.name, number, read_answer(fields, query.arms, self.table))
            person = desk.ledger.people.get(voter.name)
            if not self._has_done(0 if person is None else person.answered, more=more):
                desk.hand_out(voter.name)
            return outcome

        outcome = await self.site.ask(take)
        return self._go_on(request, voter, "skipped" if is_skipped and outcome is Outcome.COUNTED else outcome.value)

    async def take_undo(self, request: Request) -> Response:
        """Take back a voter's last vote."""
        voter, fields = await self._receive(request)
        number = _read_number(fields)
        check_ticket(fields.get("ticket", [""])[0], voter.key, "undo", number)
        await self.site.ask(lambda desk: desk.undo(voter.name, number))
        return self._go_on(request, voter, "undone")

    async def show_media(self, request: Request) -> Response:
        """Show the file of a candidate, to voters only."""
        if self._find_voter(request) is None:
            raise Refused(404, NO_PAGE)
        return await self.site.send_media(request.path_params["arm"])

    # How it is done.

    def _thank(self, request: Request, handed: Handed | Nothing, common: dict[str, Any]) -> Response:
        """Thank somebody who has done their share, or all there was, and lead them on if that is wanted."""
        address = self.table.done_url
        reason = Nothing.DONE if handed is Nothing.DONE else Nothing.ENOUGH
        page = self.site.page(
            "nothing.html",
            state=reason.value,
            why=NOTHING[reason],
            is_over=True,
            can_go_on=isinstance(handed, Handed) or handed is Nothing.YET,
            thanks=self.table.thanks,
            done_url=address,
            **common,
        )
        if address is not None and "stay" not in request.query_params:
            page.headers["Refresh"] = f"{LEAD_ON_SECONDS}; url={address}"
        return page

    def _has_done(self, mine: int, *, more: bool) -> bool:
        """Whether somebody has done their share, and did not say that they would do more."""
        share = self.office.share
        return share is not None and mine >= share and not more

    def _find_voter(self, request: Request) -> Voter | None:
        """Return who is asking: by the link, or in an open poll by the cookie; None for a newcomer."""
        if self._identities is not None:
            identity = request.cookies.get(self._identities.cookie, "")
            return self._describe(identity) if self._identities.check(identity) else None
        token = request.path_params["token"]
        name = self.office.roster.find_voter(token)
        if name is None:
            raise Refused(404, "This link is not known here. Look at it again, or ask for a new one.")
        return Voter(name, self._make_key(token), f"/v/{token}")

    def _describe(self, identity: str) -> Voter:
        """Return the voter of an open poll who has an identity that was issued here."""
        return Voter(name_holder(identity), self._make_key(identity), "")

    def _make_key(self, secret: str) -> str:
        """Return what a voter's tickets are made with: whoever only knows their own secret cannot make one."""
        return f"{self.office.origin.organiser} {secret}"

    async def _receive(self, request: Request) -> tuple[Voter, dict[str, list[str]]]:
        """Return who sent a form, and its fields; or refuse it."""
        check_source(request)
        voter = self._find_voter(request)
        if voter is None:
            self._newcomers.spend(find_network(request))
            raise Refused(403, "It is not known who you are: cookies are needed to vote here. Nothing was counted.")
        self._votes.spend(voter.name)
        return voter, await read_form(request)

    def _go_on(self, request: Request, voter: Voter, said: str = "") -> Response:
        asked = [*([f"said={said}"] if said else ()), *(["more=1"] if "more" in request.query_params else ())]
        address = f"{voter.base or '/'}{'?' if asked else ''}{'&'.join(asked)}"
        return RedirectResponse(address, HTTPStatus.SEE_OTHER, PAGE_HEADERS)


def _look(desk: Desk, who: str) -> Any:
    """Return what somebody was handed, how many votes they gave, which can be undone, and what may come next."""
    handed = desk.look(who)
    person = desk.ledger.people.get(who)
    last = desk.find_last(who) if desk.can_undo(who) else None
    following = desk.peek(who) if isinstance(handed, Handed) else None
    return handed, 0 if person is None else person.answered, last, following


def _read_number(fields: dict[str, list[str]]) -> int:
    number = read_number(fields.get("number", [""])[0])
    if number is None:
        raise Refused(400, "This form does not say what it is about.")
    return number
