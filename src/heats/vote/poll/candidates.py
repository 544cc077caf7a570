"""A folder, a text file with one candidate per line, or tables of a scenario → what is shown to those who vote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from heats.base.files import is_folder, read_text_file
from heats.base.text import count_things, make_encodable, make_printable, split_lines
from heats.errors import BrokenFile, InvalidArgument
from heats.journal.fingerprint import Candidate
from heats.vote.poll.originals import Signature, hash_file

Kind: TypeAlias = Literal["text", "markdown", "image", "audio", "video"]

MEDIA: Mapping[str, tuple[Kind, str]] = {
    ".png": ("image", "image/png"),
    ".jpg": ("image", "image/jpeg"),
    ".jpeg": ("image", "image/jpeg"),
    ".gif": ("image", "image/gif"),
    ".webp": ("image", "image/webp"),
    ".avif": ("image", "image/avif"),
    ".svg": ("image", "image/svg+xml"),
    ".mp3": ("audio", "audio/mpeg"),
    ".ogg": ("audio", "audio/ogg"),
    ".wav": ("audio", "audio/wav"),
    ".m4a": ("audio", "audio/mp4"),
    ".flac": ("audio", "audio/flac"),
    ".mp4": ("video", "video/mp4"),
    ".webm": ("video", "video/webm"),
}
WRITTEN: Mapping[str, Kind] = {".txt": "text", ".md": "markdown"}
MOST_MEDIA_BYTES = 4 << 30  # of a file, which is sent in parts and never as a whole in memory
MOST_TEXT_BYTES = 100_000
MOST_LIST_BYTES = 16 << 20
MOST_CANDIDATES = 10_000


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """A candidate: its name, and either a text or a file of the scenario's folder, known by its hash."""

    name: str
    kind: Kind
    text: str = ""
    file: str = ""  # as it was written
    sha256: str = ""
    path: Path | None = None  # where the file is
    signature: Signature | None = None  # of the file, when it was hashed

    @property
    def media_type(self) -> str:
        """What browsers call the kind of its file."""
        return MEDIA[Path(self.file).suffix.lower()][1]

    @property
    def known_by(self) -> dict[str, str]:
        """What must be the same for a poll to go on."""
        return {"name": self.name} | ({"text": self.text} if self.text else {"sha256": self.sha256})

    @property
    def found_by(self) -> dict[str, str]:
        """The same, and where its file is."""
        return self.known_by | ({"file": self.file} if self.file else {})


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A candidate as a scenario has it: a text, Markdown, or a file; a name is hidden unless it is wanted."""

    name: str | None = None
    text: str | None = None
    markdown: str | None = None
    file: str | None = None


def list_candidates(source: str | Sequence[Entry], folder: Path) -> tuple[Shown, ...]:
    """Return the candidates of a poll: those of a folder, of a file with one per line, or of the scenario itself."""
    if isinstance(source, str):
        place = folder / source
        found = tuple(_list_folder(place) if is_folder(place) else _list_lines(place))
        where = make_printable(str(place))
    else:
        found = tuple(_read_entry(number, each, folder) for number, each in enumerate(source))
        where = "the scenario"
    if not 2 <= len(found) <= MOST_CANDIDATES:
        raise InvalidArgument(
            f"{where} has {count_things(len(found), 'candidate')}; give from 2 to {MOST_CANDIDATES:,}: one per line of "
            "a text file, one file each in a folder, or [[candidates]] in the scenario."
        )
    check_different(found)
    return found


def read_candidate(said: str, folder: Path, *, is_file: bool) -> Shown:
    """Return a candidate that comes in while the poll goes on: a text, which is its name, or a file of the folder."""
    return _read_file(said, folder / said, folder) if is_file else Shown(make_encodable(said), "text", said)


def restore_candidate(known: Candidate, folder: Path) -> Shown:
    """Return a candidate that came in while the poll went on, from what the journal knows of it."""
    value = known.value
    if not isinstance(value, dict) or "file" not in value:
        return Shown(known.name, "text", known.name)
    shown = read_candidate(value["file"], folder, is_file=True)
    if shown.known_by | {"name": known.name} != {key: each for key, each in value.items() if key != "file"}:
        raise InvalidArgument(f"the candidate {value['file']} is another file than was added; put that one back.")
    return shown


def _list_lines(path: Path) -> Iterator[Shown]:
    text = read_text_file(path, MOST_LIST_BYTES, "the candidates in {path} cannot be read: {reason}.")
    for line in split_lines(text.removeprefix("\ufeff")):
        if line.strip():
            yield Shown(line.strip(), "text", line.strip())


def _list_folder(folder: Path) -> Iterator[Shown]:
    """Return a candidate per file; hidden ones are left out, unknown kinds refused."""
    for path in sorted(folder.iterdir()):
        if not path.name.startswith("."):
            yield _read_file(path.name, path, folder)


def _read_entry(number: int, entry: Entry, folder: Path) -> Shown:
    contents = [each for each in (entry.text, entry.markdown, entry.file) if each is not None]
    if len(contents) != 1 or not contents[0].strip():
        raise BrokenFile(f"candidate #{number} must have either a text, markdown or a file, and not an empty one.")
    if entry.file is not None:
        shown = _read_file(entry.file, folder / entry.file, folder)
        return shown if entry.name is None else msgspec.structs.replace(shown, name=make_encodable(entry.name))
    text = contents[0].strip()
    name = split_lines(text)[0][:80] if entry.name is None else entry.name
    return Shown(make_encodable(name), "text" if entry.markdown is None else "markdown", text)


def _read_file(written: str, path: Path, folder: Path) -> Shown:
    """Return what a file shows, or refuse one that is not within the folder, or not for a browser."""
    said = make_printable(str(path))
    try:
        real = path.resolve(strict=True)
    except OSError as error:
        raise InvalidArgument(f"the candidate {said} cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise InvalidArgument(f"the candidate {said} cannot be read: its name has a zero byte.") from None
    if not real.is_relative_to(folder.resolve()):
        raise InvalidArgument(f"the candidate {said} is not within {folder}; only files of that folder are shown.")
    if not real.is_file():
        raise InvalidArgument(f"the candidate {said} is not a file; give one file per candidate.")
    kind, name = real.suffix.lower(), make_encodable(Path(written).stem)
    if kind in WRITTEN:
        text = read_text_file(real, MOST_TEXT_BYTES, "the candidate {path} cannot be read: {reason}.").strip()
        if not text:
            raise BrokenFile(f"the candidate {said} is empty; write something into it, or remove it.")
        return Shown(name, WRITTEN[kind], text, make_encodable(written))
    if kind not in MEDIA:
        known = ", ".join([*WRITTEN, *MEDIA])
        raise InvalidArgument(f"the candidate {said} is of no kind that can be shown: {known}.")
    try:
        size = real.stat().st_size
        if not 0 < size <= MOST_MEDIA_BYTES:
            why = f"has {size / 1e6:,.0f} MB, which nobody waits for" if size else "is empty"
            raise InvalidArgument(f"the candidate {said} {why}; give a file of up to {MOST_MEDIA_BYTES >> 20} MB.")
        digest, signature = hash_file(real)
    except OSError as error:
        raise InvalidArgument(f"the candidate {said} cannot be read: {error.strerror or error}.") from None
    return Shown(name, MEDIA[kind][0], "", make_encodable(written), digest, real, signature)


def check_different(found: Sequence[Shown]) -> None:
    """Refuse two that nobody could tell apart, or that reports could not."""
    seen: dict[tuple[str, str], str] = {}
    for each in found:
        mine = make_printable(each.file or each.name)
        for key in (("show the same", each.text or each.sha256), ("are called the same", each.name)):
            if key in seen:
                raise InvalidArgument(f"two candidates {key[0]}: {seen[key]!r} and {mine!r}; leave out or change one.")
            seen[key] = mine
