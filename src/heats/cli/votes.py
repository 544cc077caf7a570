"""``heats vote``: a page where people vote."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from heats.base.extras import explain_missing
from heats.base.interrupts import take_sigterm_as_interrupt
from heats.base.text import count_things
from heats.cli.options import spell_option
from heats.cli.root import app
from heats.errors import InvalidArgument

HOST, PORT = "127.0.0.1", 8321
OPEN = (
    "heats: WARNING: everybody who can reach {host} can open these pages, and what is sent is not encrypted; put a "
    "reverse proxy with TLS before it, and say --proxy."
)
ANYWHERE = ("0.0.0.0", "::")  # all addresses of this machine, and none that a browser elsewhere could open
UNREACHED = (
    "heats: the links above work on this machine only; say how others reach it, as --address http://NAME:{port}/"
)


@app.command(epilog="Example: heats vote names.txt -k 3 -B 120")
def vote(
    scenario: Annotated[
        str, typer.Argument(help="A scenario in TOML, a folder of files, or a text file with a candidate per line.")
    ],
    heat_size: Annotated[int | None, typer.Option("-k", "--heat-size", help="How many are shown at once.")] = None,
    budget: Annotated[int | None, typer.Option("-B", "--budget", help="How many votes there are in all.")] = None,
    voters: Annotated[
        str | None, typer.Option(help="A CSV file with names, a secret link each; or how many are expected.")
    ] = None,
    votes_each: Annotated[int | None, typer.Option(help="How many votes everybody has.")] = None,
    question: Annotated[str | None, typer.Option(help="What is asked.")] = None,
    answer: Annotated[
        str | None, typer.Option(help="What voters say: winner, ranking or best-worst; left out: winner.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Equal seeds deal equal heats.")] = None,
    journal: Annotated[
        str | None, typer.Option(help="Where votes are kept; left out: NAME.votes.jsonl beside the scenario.")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to serve at; 0.0.0.0 lets other machines in.")] = HOST,
    port: Annotated[int, typer.Option(help="The port to serve at; 0 for any that is free.")] = PORT,
    proxy: Annotated[bool, typer.Option("--proxy", help="A reverse proxy on this machine is before it.")] = False,
    address: Annotated[str | None, typer.Option(help="How voters reach it, as https://vote.example.org/.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Say what it takes of everybody; serve nothing.")] = False,
) -> None:
    """Serve a page where people vote. Links are printed, votes kept in a journal; the same command goes on with it."""
    try:
        from heats.vote.desk.office import Office
        from heats.vote.desk.reading import read_in_process
        from heats.vote.poll.scenario import is_address, load_poll
        from heats.vote.site.server import find_address, is_loopback, open_port, serve
    except ImportError as error:
        raise InvalidArgument(explain_missing("heats vote needs Starlette and others", "vote", error)) from None
    given: dict[str, Any] = {"heat_size": heat_size, "budget": budget, "votes_each": votes_each, "seed": seed}
    given |= {"question": question, "answer": answer, "voters": None if voters is None else _read_voters(voters)}
    poll = load_poll(scenario, given)
    if not 0 <= port <= 65535:
        raise InvalidArgument("{port} must be from 0 to 65535.", port=port)
    if address is not None and not (is_address(address) and urlsplit(address).path in ("", "/")):
        raise InvalidArgument(
            "{address} must be an address that begins with https:// or http://, without a path.", address=address
        )
    if check:
        typer.echo(
            f"{len(poll.candidates)} candidates, {poll.heat_size} at a time, {count_things(poll.budget, 'vote')}."
        )
        typer.echo(poll.turnout or "Open to everybody; with --voters 12 it is said what it takes of each of so many.")
        return
    path = Path(journal) if journal is not None else poll.source.with_name(f"{poll.source.stem}.votes.jsonl")
    with take_sigterm_as_interrupt():
        try:
            with contextlib.ExitStack() as opened:
                listener = opened.enter_context(open_port(host, port))
                port = listener.getsockname()[1]
                shown = find_address(listener, host) if address is None else f"{address.rstrip('/')}/"
                office = opened.enter_context(
                    contextlib.closing(Office(poll, path, address=shown, reader=read_in_process))
                )
                typer.echo(_say_links(office, shown))
                if not is_loopback(host):
                    typer.echo(OPEN.format(host=host), err=True)
                if host in ANYWHERE and address is None:
                    typer.echo(UNREACHED.format(port=port), err=True)
                serve(office, listener, proxy=proxy)
        except KeyboardInterrupt:
            given |= {"journal": path, "host": None if host == HOST else host, "port": None if port == PORT else port}
            given |= {"proxy": proxy or None, "address": address}
            typer.echo(f"heats: all votes are kept; go on with: {_say_again(scenario, given)}", err=True)
            raise


def _read_voters(said: str) -> str | int:
    """Return how many voters are expected, or the file with their names, which is looked for where we are."""
    return int(said) if re.fullmatch(r"[+-]?[0-9]{1,18}", said) else str(Path(said).absolute())


def _say_again(scenario: str, given: Mapping[str, Any]) -> str:
    """Return the command that goes on with a poll as it was said, and where it was served: links stay as they are."""
    said = [
        spell_option(name, value if value is True else shlex.quote(str(value)))
        for name, value in given.items()
        if value is not None
    ]
    return " ".join(["heats vote", shlex.quote(scenario), *said])


def _say_links(office: Any, address: str) -> str:
    """Return the links of the organiser and of all voters, as CSV."""
    from heats.vote.poll.people import EVERYBODY, ORGANISER

    tokens, names = office.tokens, office.roster.names
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("who", "link"))
    rows.writerow((ORGANISER, f"{address}o/{tokens['']}" if "" in tokens else "as printed when it began"))
    if names is None:
        rows.writerow((EVERYBODY, address))
    else:
        rows.writerows((name, f"{address}v/{tokens[name]}" if name in tokens else "as printed") for name in names)
    return f"{text.getvalue()}\nThe journal is {office.path}\nCtrl-C ends it; the same command goes on."
