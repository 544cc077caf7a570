"""Run a command: its exit code, and its errors in the words of the command line.

Exit codes: 0 done, 1 the run failed, 2 the request was wrong (one sentence, no traceback), 130 interrupted; of
``heats saps``, as solvers do, 10 for a model found and 20 for a formula that has none.
"""

from __future__ import annotations

import typer

from heats.base.text import end_sentence, make_lines_printable
from heats.cli import plans, races, runs, simulations, solvers, votes
from heats.cli.options import spell_option
from heats.cli.root import OnceCommand, app
from heats.errors import HeatsError, InvalidArgument

__all__ = ["app", "explain", "plans", "races", "run", "runs", "show_warning", "simulations", "solvers", "votes"]

KINDS = {"int": "a whole number in digits, such as 12", "float": "a number, such as 0.5"}  # as Pydantic's errors begin
NO_MEMORY = "this takes more memory than there is; take a smaller budget, or fewer candidates or runs."

for each in app.registered_commands:
    each.cls = OnceCommand


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; a user's mistake is one sentence on standard error."""
    try:
        code = app(arguments, prog_name="heats", standalone_mode=False) or 0
    except typer.TyperException as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "heats")
        message = _say_kind(error) or error.format_message()
        ended = message if message.endswith("?") else end_sentence(message)
        return _complain(f"{ended} See '{command} --help'.", 2)
    except (HeatsError, OSError) as error:
        return explain(error)
    except MemoryError:
        return _complain(NO_MEMORY, 2)
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    return _complain("interrupted.", code) if code == 130 else code


def _say_kind(error: typer.TyperException) -> str | None:
    """Say which value is no number, if that is what is wrong."""
    errors = getattr(error.__cause__, "errors", None)
    if not isinstance(error, typer.BadParameter) or error.param is None or errors is None:
        return None
    found = errors()[0]
    kind = next((words for word, words in KINDS.items() if found["type"].startswith(word)), None)
    said = spell_option(str(error.param.name), found["input"])
    return None if kind is None else f"{said} must be {kind}"


def explain(error: HeatsError | OSError) -> int:
    """Say what went wrong in the words of the command line, and return the exit code: 2 for a user's mistake."""
    if isinstance(error, HeatsError):
        return _complain(error.spell(spell_option), 2 if isinstance(error, InvalidArgument) else 1)
    what = "nothing more can be printed" if error.filename is None else error.filename  # standard output is full, say
    return _complain(end_sentence(f"{what}: {error.strerror or error}"), 1)


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as a sentence, without the line of code it comes from."""
    typer.echo(f"heats: {message}", err=True)


def _complain(sentence: str, code: int) -> int:
    typer.echo(f"heats: {make_lines_printable(sentence)}", err=True)
    return code
