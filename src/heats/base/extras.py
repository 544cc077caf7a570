"""What an extra installs and is not there → what went wrong, and the command that installs it for this very heats."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

CHECKOUT = Path(__file__).parents[3]  # if heats runs from one


def explain_missing(needs: str, extra: str, error: ImportError) -> str:
    """Return a sentence: ``needs`` as in "a page needs starlette", the reason it cannot be imported, the way out."""
    return f"{needs}, which cannot be imported ({' '.join(str(error).split())}); {advise_install(extra)}"


def advise_install(extra: str) -> str:
    """Return how to install an extra: from where this heats was installed from, a folder mostly, else from an index."""
    return f"install it with: pip install {_find_requirement(extra)}"


def _find_requirement(extra: str) -> str:
    """Return what pip is given, quoted for a shell."""
    origin = _read_origin()
    url, name = str(origin.get("url", "")), f"heats[{extra}]"
    local = Path(url2pathname(urlsplit(url).path)) if urlsplit(url).scheme == "file" else None
    if local is None and not origin and (CHECKOUT / "pyproject.toml").is_file():
        local = CHECKOUT  # never installed, it is only on the path
    if local is not None and not local.exists():
        return shlex.quote(name)
    if local is not None and local.is_dir():
        is_editable = origin.get("dir_info", {}).get("editable", False)
        return f"{'-e ' if is_editable else ''}{shlex.quote(f'{local}[{extra}]')}"
    if "vcs_info" in origin:
        url = f"{origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"
    return shlex.quote(f"{name} @ {url}" if url else name)


def _read_origin() -> dict[str, Any]:
    """Return where pip installed heats from, as PEP 610 has it; nothing if that was an index."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = json.loads(distribution("heats").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
