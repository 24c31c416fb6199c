"""Expectations. Each failure says what was expected and what came, in one sentence."""

import re
import time


class Failure(Exception):
    """The program under test did not do what the case expects, or a peer is missing."""


def check(condition, sentence: str):
    if not condition:
        raise Failure(sentence)


def equal(actual, expected, what: str):
    if actual != expected:
        raise Failure(f"{what}: expected {_short(expected)}, got {_short(actual)}")


def contains(text, part, what: str):
    if part not in text:
        raise Failure(f"{what}: expected it to contain {_short(part)}, got {_short(text)}")


def lacks(text, part, what: str):
    if part in text:
        raise Failure(f"{what}: expected it not to contain {_short(part)}, got {_short(text)}")


def matches(text: str, pattern: str, what: str) -> re.Match:
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise Failure(f"{what}: expected a match of {pattern!r}, got {_short(text)}")
    return found


def between(value, low, high, what: str):
    if not low <= value <= high:
        raise Failure(f"{what}: expected {low} to {high}, got {value}")


def eventually(question, seconds: float, what: str):
    """Asks until the answer is true; returns it."""
    end = time.monotonic() + seconds
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(0.02)


def _short(value, limit: int = 2000) -> str:
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit // 2]} ... {text[-limit // 2:]}"
