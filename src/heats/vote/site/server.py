"""The pages, served: on this machine unless it is said otherwise, until Ctrl-C."""

from __future__ import annotations

import errno
import gc
import ipaddress
import socket
import sys

import uvicorn

from heats.engine.adaptive import Adaptive
from heats.engine.feedback import Winner
from heats.errors import InvalidArgument
from heats.vote.desk.office import Office
from heats.vote.site.app import make_app

BACKLOG = 2048  # connections that wait
MOST_HEADER_BYTES = 32 * 1024
SWITCH_SECONDS = 0.001  # after which the organiser's long look makes room for a vote


def open_port(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, or say why not in a sentence."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError, OverflowError):
        raise _refuse_host(host) from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise _refuse_host(host) from None
        raise InvalidArgument(
            f"{{port}} cannot be had on {host}: {error.strerror}. Give another one, or 0 for any that is free.",
            port=port,
        ) from None
    return listener


def _refuse_host(host: str) -> InvalidArgument:
    return InvalidArgument(
        "{host} is no address of this machine; give one that is, or 0.0.0.0 for all of them.", host=host
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def find_address(listener: socket.socket, host: str) -> str:
    """Return how the pages are reached, ending in a slash."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}/"


def serve(office: Office, listener: socket.socket, *, proxy: bool) -> None:
    """Serve the pages until the process is told to end; with ``proxy`` one on this machine says who is asking."""
    warm_up()
    gc.freeze()  # what is there by now stays: looking through all of it takes time that voters wait for
    sys.setswitchinterval(SWITCH_SECONDS)
    config = uvicorn.Config(
        make_app(office),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        proxy_headers=proxy,
        forwarded_allow_ips="127.0.0.1,::1" if proxy else "",
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        timeout_graceful_shutdown=5,
    )
    uvicorn.Server(config).run(sockets=[listener])


def warm_up() -> None:
    """Play a small run: what is imported at the end of a batch takes seconds, for which no voter should wait."""
    machine = Adaptive(4, 2, 8, batches=2)
    while query := machine.ask():
        machine.tell(query, Winner(query.arms[0]))
    machine.standings()
