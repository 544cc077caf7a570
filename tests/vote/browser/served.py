"""A poll served by a thread of this process, for real browsers."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import uvicorn

from heats.vote.app import make_app
from tests.vote.test_app import Poll


class ServedPoll(Poll):
    """A poll that browsers on this machine can reach."""

    def __init__(self, folder: Path, **said: Any) -> None:
        super().__init__(folder, **said)
        config = uvicorn.Config(make_app(self.office), port=0, lifespan="off", log_level="warning", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"

    def link(self, who: str) -> str:
        """Return the secret link of a voter."""
        return f"{self.address}{self.base(who)}"

    @property
    def desk_link(self) -> str:
        """The secret link of the organiser."""
        return f"{self.address}{self.organiser}"

    def close(self) -> None:
        """End the server, and let others write the journal."""
        self._server.should_exit = True
        self._thread.join()
        self.office.close()
