"""Sounds and films in a real browser: they play, one at a time, and keys vote while they do."""

from __future__ import annotations

import base64
import math
import struct
import wave
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.vote.browser.served import ServedPoll, press, vote

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
Serve = Callable[..., ServedPoll]

FILM = """async (hue) => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 64, height: 48});
  const paper = canvas.getContext("2d"), parts = [];
  const recorder = new MediaRecorder(canvas.captureStream(), {mimeType: "video/webm;codecs=vp8"});
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.start();
  for (let turn = 0; turn < 12; turn++) {
    paper.fillStyle = `hsl(${hue} 80% ${20 + turn * 5}%)`;
    paper.fillRect(0, 0, 64, 48);
    await new Promise((then) => setTimeout(then, 25));
  }
  await new Promise((then) => { recorder.onstop = then; recorder.stop(); });
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}"""
READY = "all => Promise.all(all.map(each => each.readyState >= 2 || new Promise(then => each.oncanplay = then)))"
PLAY = "async each => { each.muted = true; each.loop = true; each.focus(); await each.play(); }"


def write_sound(path: Path, pitch: int) -> None:
    """Write a quarter of a second of a tone."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(b"".join(struct.pack("<h", int(9e3 * math.sin(pitch * t / 1273))) for t in range(2_000)))


def write_film(path: Path, page: Page, hue: int) -> None:
    """Write a film of a colour that gets brighter, made by the browser itself."""
    path.write_bytes(base64.b64decode(page.evaluate(FILM, hue)))


@pytest.mark.parametrize("kind", ["audio", pytest.param("video", marks=pytest.mark.slow)])
def test_sounds_and_films_play_one_at_a_time_and_keys_vote(
    serve: Serve, visit: Visit, tmp_path: Path, kind: str
) -> None:
    """Each is loaded, has a name for screen readers, and stops when another one begins."""
    folder = tmp_path / "candidates"
    folder.mkdir()
    blank = visit("about:blank") if kind == "video" else None
    for number in range(3):
        if blank is None:
            write_sound(folder / f"{number}.wav", 300 + 100 * number)
        else:
            write_film(folder / f"{number}.webm", blank, 120 * number)
    poll = serve(source=folder, budget=4)
    page = visit(poll.link("Ann"), width=375)
    shown = page.locator(f".card {kind}")
    shown.evaluate_all(READY)
    assert shown.evaluate_all("all => all.map(each => each.ariaLabel)") == ["Candidate 1", "Candidate 2", "Candidate 3"]
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    for place in (0, 1):
        shown.nth(place).evaluate(PLAY)
    assert shown.evaluate_all("all => all.map(each => each.paused)") == [True, False, True]
    vote(page, press("2"))
    assert poll.machine.spent == 1
