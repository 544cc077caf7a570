"""The file of a poll, or what was said without one → a poll, with everything decided."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

import msgspec

from heats.base.checks import between, one_of, whole
from heats.base.files import is_folder, is_missing
from heats.base.text import make_printable
from heats.base.toml import read_toml
from heats.engine.adaptive import BATCHES, Adaptive
from heats.engine.adaptive.dealing.repeats import MOST_BUDGET as MOST_LIMITED
from heats.engine.adaptive.machine import MOST_BUDGET
from heats.engine.tournament import Tournament
from heats.errors import BrokenFile, InvalidArgument
from heats.planning.build import plan
from heats.planning.voters import SECONDS, Turnout, check_most, check_sets, count_turnout, find_budget
from heats.running.strategies import ADAPTIVE, STRATEGIES
from heats.vote.poll.candidates import Entry, Shown, list_candidates
from heats.vote.poll.people import read_people

Answer: TypeAlias = Literal["winner", "ranking", "best-worst"]

LISTED_BATCHES = 3  # with more, everybody would have to come back ever more often for ever fewer votes
LEASE_SECONDS = 600.0
DEFAULT_HEAT_SIZE = 3
QUESTION = "Which is best?"


class VoteTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """The [vote] table, as written; ``candidates`` may stand here or above it."""

    question: str = QUESTION
    introduction: str = ""  # Markdown
    candidates: str | None = None
    heat_size: int | None = None
    budget: int | None = None
    voters: str | int | None = None  # a file with names, or how many are expected
    votes_each: int | None = None
    answer: Answer = "winner"
    ties: bool = True
    none: bool = True
    skip: bool = True
    show_names: bool = False
    lease: float = LEASE_SECONDS
    strategy: str = "adaptive"
    batches: int | None = None
    seed: int = 0
    thanks: str = "Thank you."
    done_url: str | None = None


class VoteFile(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """The whole file, as written."""

    vote: VoteTable = VoteTable()
    candidates: str | list[Entry] | None = None


class Poll(msgspec.Struct, frozen=True, kw_only=True):
    """A poll: what is asked, about what, of whom, and how it is played."""

    table: VoteTable
    source: Path  # the scenario, or what was given instead
    folder: Path  # that files of candidates are in
    candidates: tuple[Shown, ...]
    people: tuple[str, ...] | None  # None: everybody may vote
    voters: int | None  # how many there are, or are expected
    heat_size: int
    budget: int

    @property
    def has_files(self) -> bool:
        """Whether candidates are files."""
        return any(each.file for each in self.candidates)

    def begun_with(self, voters: int) -> Poll:
        """Return the poll as it was when there were so many voters."""
        budget = find_budget(self.table.budget, voters, self.table.votes_each)
        return msgspec.structs.replace(self, voters=voters, budget=self.budget if budget is None else budget)

    def make_machine(self) -> Tournament | Adaptive:
        """Return the machine that the poll is played by, fresh."""
        n, table = len(self.candidates), self.table
        if table.strategy.lower() == ADAPTIVE:
            default = BATCHES if self.people is None else LISTED_BATCHES
            batches = default if table.batches is None else table.batches
            return Adaptive(n, self.heat_size, self.budget, batches=batches, seed=table.seed, most_per_set=self.voters)
        if table.batches is not None:
            raise InvalidArgument("{batches} are of adaptive play; leave them out with a plan.", batches=table.batches)
        hint: Any = "winner" if table.answer == "winner" else "ranking"
        return Tournament(
            plan(n, self.heat_size, self.budget, table.strategy, feedback=hint, voters=self.voters), seed=table.seed
        )

    @property
    def share(self) -> int | None:
        """How many votes are asked of everybody, if it is known of how many people."""
        if self.table.votes_each is not None:
            return self.table.votes_each
        return None if self.voters is None else -(-self.budget // self.voters)

    @property
    def turnout(self) -> Turnout | None:
        """What the poll takes of everybody, if it is known how many there are."""
        return None if self.voters is None else count_turnout(self.make_machine().stage_sizes, self.voters, SECONDS)


def load_poll(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Poll:
    """Return the poll of a scenario in TOML, of a folder of files, or of a text file with one candidate per line.

    ``overrides`` replace keys of the [vote] table where they are not None.
    """
    source = Path(path).absolute()
    said = {key: value for key, value in (overrides or {}).items() if value is not None}
    if "answer" in said:
        one_of("answer", said["answer"], get_args(Answer))
    if source.suffix.lower() == ".toml":
        written = read_toml(source, VoteFile, "vote", said, {"answer": Answer})
        if (written.vote.candidates is None) == (written.candidates is None):
            raise BrokenFile(
                f'{source}: say what people choose among, once: candidates = "folder" or a file with one per line, '
                "or [[candidates]] with a text, markdown or file each."
            )
    elif not is_missing(source):
        table = msgspec.convert({"candidates": source.name, **said}, VoteTable)
        written = VoteFile(vote=table)
    else:
        raise InvalidArgument(
            f"{make_printable(str(source))} is not there; give a scenario in TOML, a folder of files, or a text file "
            "with one candidate per line."
        )
    try:
        return _decide(written, source)
    except BrokenFile:
        raise
    except InvalidArgument as error:
        if source.suffix.lower() != ".toml" or said.keys() & error.arguments.keys():
            raise
        raise type(error)(make_printable(f"{source}: {error}")) from None


def _decide(written: VoteFile, source: Path) -> Poll:
    """Decide all that a file leaves open, or refuse what cannot be."""
    table, folder = written.vote, source.parent
    one_of("strategy", table.strategy.lower(), STRATEGIES)
    between("lease", table.lease, 1, 86_400, why="seconds that a heat is kept for somebody who opened it")
    whole("seed", table.seed, 0)
    if table.done_url is not None and not is_address(table.done_url):
        raise InvalidArgument(
            "{done_url} must be an address that begins with https://, without blanks.", done_url=table.done_url
        )
    people = read_people(folder / table.voters) if isinstance(table.voters, str) else None
    voters = table.voters if isinstance(table.voters, int) else None if people is None else len(people)
    if voters is not None:
        whole("voters", voters, 1)
    if table.votes_each is not None:
        whole("votes_each", table.votes_each, 1)
    given = written.candidates or table.candidates or []
    candidates = list_candidates(given, folder)
    size = min(DEFAULT_HEAT_SIZE, len(candidates)) if table.heat_size is None else table.heat_size
    budget = find_budget(table.budget, voters, table.votes_each)
    if budget is None:
        raise InvalidArgument(
            "say how many votes there are in all, as {budget}, or how many people vote, and how often, as {voters} "
            "with {votes_each}.",
            budget=120,
            voters=12,
            votes_each=10,
        )
    if voters is not None:
        check_sets(len(candidates), size, budget, voters, table.votes_each)
    if table.strategy.lower() == ADAPTIVE:
        most, planned = MOST_BUDGET if voters is None else MOST_LIMITED, 'strategy = "planned" in a scenario'
        check_most(budget, most, voters, table.votes_each, play="an adaptive poll", strategy=planned)
    poll = Poll(
        table=table,
        source=source,
        folder=folder / given if isinstance(given, str) and is_folder(folder / given) else folder,
        candidates=candidates,
        people=people,
        voters=voters,
        heat_size=size,
        budget=budget,
    )
    poll.make_machine()  # refuses numbers that do not go together
    return poll


def is_address(said: str) -> bool:
    """Whether it is the address of a page, of letters that stand in a header as they are."""
    is_plain = said.isascii() and said.isprintable() and " " not in said  # it becomes part of a header
    return is_plain and urlsplit(said).scheme in ("http", "https")
