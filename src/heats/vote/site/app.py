"""All pages as one application. A GET changes nothing; a POST comes from here, with a ticket."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route

from heats.errors import HeatsError
from heats.vote.desk.office import Office
from heats.vote.site.booth import Booth
from heats.vote.site.guard import Refused
from heats.vote.site.organiser import Organiser
from heats.vote.site.site import Site


def make_app(office: Office) -> Starlette:
    """Return the pages of a poll as an application for any server that speaks ASGI."""
    site = Site(office)
    return Starlette(
        routes=[
            *Booth(site).list_routes(),
            *Organiser(site).list_routes(),
            Route("/static/{name}", site.show_static, methods=["GET"]),
        ],
        exception_handlers=dict.fromkeys((Refused, HTTPException, HeatsError, Exception), site.refuse),
    )
