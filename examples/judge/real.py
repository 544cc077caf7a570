"""The same with a real model, by any client you like: this is all that differs. It is not run by the tests."""

from pathlib import Path

import judge as example
from openai import OpenAI  # or the client of any other vendor, or of a server of your own

client = OpenAI(max_retries=0)  # heats tries again by itself


def say(text):
    """Call the model."""
    reply = client.chat.completions.create(model="gpt-4.1-mini", messages=[{"role": "user", "content": text}])
    return example.heats.Noted(reply.choices[0].message.content or "", {"cost": reply.usage.total_tokens * 1e-6})


def answer(prompt, row):
    """Run a prompt on a question."""
    return say(f"{prompt}\n\n{row['question']}")


example.ask, example.answer = say, answer
example.main(Path("real"))
