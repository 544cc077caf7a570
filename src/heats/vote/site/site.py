"""What all pages of a poll are made with: the office behind them, templates, files, and a page for what is wrong."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from importlib.resources import files
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from heats.errors import HeatsError, JournalFailed, show_value
from heats.journal import Log
from heats.vote.desk.desk import Desk
from heats.vote.desk.ledger import Ledger
from heats.vote.desk.office import Office
from heats.vote.site.guard import MEDIA_HEADERS, PAGE_HEADERS, Refused, read_number
from heats.vote.site.showing import render_candidate, render_markdown

T = TypeVar("T")

NO_PAGE = "There is no such page."
STATIC = {"vote.css": "text/css", "vote.js": "text/javascript", "icon.svg": "image/svg+xml"}


class MediaResponse(FileResponse):
    """A file; one that is cut or taken away while it is sent ends the answer, and is nothing to be told at length."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        with contextlib.suppress(OSError, RuntimeError):
            await super().__call__(scope, receive, send)


class Site:
    """A poll's office, and how pages about it are made."""

    def __init__(self, office: Office) -> None:
        self.office, self.table = office, office.poll.table
        self._templates = Environment(
            loader=PackageLoader("heats.vote.site", "pages"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
        )

    async def ask(self, job: Callable[[Desk], T]) -> T:
        """Have something done at the desk; the answer comes once all that it told is on the disk."""
        return await asyncio.wrap_future(self.office.do(job))

    async def read(self, job: Callable[[Log, Ledger], T]) -> T:
        """Look at all that is on the disk, while voters go on."""
        return await asyncio.wrap_future(self.office.reading.do(job))

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page."""
        table = self.table
        text = self._templates.get_template(template).render(
            question=table.question,
            introduction=Markup(render_markdown(table.introduction)),  # cleaned
            table=table,
            **values,
        )
        return HTMLResponse(text, status, PAGE_HEADERS)

    def show(self, arm: int, place: int, base: str) -> Markup:
        """Return what is seen of a candidate at a place on a page."""
        shown = self.office.show(arm)
        return Markup(render_candidate(shown, place, f"{base}/media/{arm}", named=self.table.show_names))

    def name(self, arm: int) -> str:
        """Return the name that stands below a candidate, if names are wanted."""
        shown = self.office.show(arm)
        return shown.name if self.table.show_names and shown.name != shown.text else ""

    def list_media(self, arms: tuple[int, ...], base: str) -> list[str]:
        """Return where the pictures of candidates are, to be loaded before they are needed."""
        return [f"{base}/media/{arm}" for arm in arms if self.office.show(arm).kind == "image"]

    async def send_media(self, said: str) -> Response:
        """Send the file of a candidate, in parts as the browser asks for them; only one that is still what it was."""
        refusal = Refused(404, "There is no such file, or not any more.")
        arm = read_number(said)
        if arm is None or arm >= len(self.office.shown):
            raise refusal
        shown = self.office.show(arm)
        if shown.path is None or await asyncio.to_thread(self.office.is_changed, arm):
            raise refusal
        return MediaResponse(shown.path, media_type=shown.media_type, headers=MEDIA_HEADERS)

    async def show_static(self, request: Request) -> Response:
        """Show our style sheet, our script or our icon."""
        name = request.path_params["name"]
        if name not in STATIC:
            raise Refused(404, NO_PAGE)
        content = files(__package__).joinpath("pages", name).read_bytes()
        return Response(content, media_type=STATIC[name], headers=PAGE_HEADERS | {"Cache-Control": "max-age=3600"})

    async def refuse(self, request: Request, error: Exception) -> Response:
        """Say on a page why something was not done, with a way back to the page that a form was on."""
        is_form = request.method == "POST"
        status, why = _explain(error, is_form=is_form)
        back = (request.url.path.rpartition("/")[0] or "/") if is_form else None
        return self.page("problem.html", status, why=why, back=back)


def _explain(error: Exception, *, is_form: bool) -> tuple[int, str]:
    """Return a status and a sentence."""
    match error:
        case Refused():
            return error.status, str(error)
        case HTTPException():
            return error.status_code, NO_PAGE if error.status_code == 404 else "That is not possible here."
        case JournalFailed():
            what = "This was NOT counted" if is_form else "Nothing can be counted now"
            return 503, f"{what}: votes cannot be kept at the moment (the disk may be full). Try again in a while."
        case HeatsError():
            sentence = error.spell(_spell)
            return 400, f"{sentence[:1].upper()}{sentence[1:]}"
    return 500, "Something went wrong here; nothing was counted. Try again, or tell the organiser."


def _spell(_: str, value: object) -> str:
    """Return an argument as it was typed into a form: its name in Python says nothing there."""
    return f"“{value}”" if isinstance(value, str) else show_value(value)
