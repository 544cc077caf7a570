"""Find the best of twelve prompts, if a judge compares three answers at a time and 150 comparisons are paid for.

Runs offline, in a few seconds: the model that answers and the judge that compares are made up, with noise, latency and
failures. `real.py` has the few lines that differ with a real model. Stop it at any time and start it again: it goes on,
and nothing that was answered is asked again. It writes judge.html, run.jsonl and answers.db beside itself,
or into the folder that is given.
"""

import random
import re
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import heats

PROMPTS = [
    "Answer the question.",
    "Answer with the number only.",
    "Think step by step, then answer.",
    "Think step by step, check your result, then give the number only.",
    "You are a mathematician. Answer.",
    "You are a calculator. Print the result.",
    "Be brief.",
    "Explain it to a child.",
    "Answer in French.",
    "Answer as a poem.",
    "Guess.",
    "Do not answer.",
]
ROWS = [{"question": f"What is {a} + {b}?", "sum": a + b} for a in range(11, 41, 3) for b in (7, 25, 38, 58, 71)]
SKILL = dict(zip(PROMPTS, (0.45, 0.7, 0.6, 0.98, 0.5, 0.55, 0.45, 0.4, 0.3, 0.2, 0.1, 0.05), strict=True))
LATENCY = 0.01  # seconds

failed = Counter()


def answer(prompt, row):
    """Run a prompt on a question: right as often as the prompt is good."""
    time.sleep(LATENCY)
    draw = random.Random(f"{prompt} {row}")
    return f"It is {row['sum'] if draw.random() < SKILL[prompt] else row['sum'] + draw.randint(1, 9)}."


def ask(text):
    """Judge: likes right answers, and whatever comes first; is busy at times, and at times talks around it."""
    time.sleep(LATENCY)
    draw = random.Random(text)
    if draw.random() < 0.1 and not failed[text]:
        failed[text] += 1
        raise ConnectionError("503: too busy, come back later")
    if draw.random() < 0.03:
        return "Both have their merits."
    right = int(re.search(r'"sum": (\d+)', text)[1])
    outputs = re.findall(r"It is (\d+)\.", text)
    liking = [(int(number) == right) + draw.gauss(0, 0.25) + 0.3 * (place == 0) for place, number in enumerate(outputs)]
    return heats.Noted("ABC"[liking.index(max(liking))], {"cost": 0.0004})


def main(folder):
    """Find the best prompt; all that is kept of that goes into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    judge = heats.judging.Judge(
        ask,
        rows=ROWS,
        answer=answer,
        question="Which of these answers to the task is right? If several are, which is clearest?",
        limit=heats.judging.Limit(calls=6000, at_once=8),
        cache=folder / "answers.db",
    )
    with ThreadPoolExecutor(8) as threads:
        found = heats.find_best(
            *(PROMPTS, judge),
            budget=150,
            heat_size=3,
            feedback="winner",
            seed=1,
            executor=threads,
            retries=3,
            journal=folder / "run.jsonl",
            progress=True,
        )
    print(found)
    (folder / "judge.html").write_text(found.to_html(), encoding="utf-8")
    print(f"\nThe page is {folder / 'judge.html'}.")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
