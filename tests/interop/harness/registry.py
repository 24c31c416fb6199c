"""The cases: functions that take a Scene, marked with @case and found by importing every module of cases/."""

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Case:
    name: str
    function: Callable
    seconds: int  # ctest's TIMEOUT; the case ends itself, with its logs, a little earlier
    cores: int  # 2: nothing else should run beside it, for it measures time or moves much data
    needs_chroot: bool  # uses the newer peers that the script peers-chroot makes


_cases: dict[str, Case] = {}


def case(name: str, seconds: int = 60, cores: int = 1, needs_chroot: bool = False):
    """Registers a function as the case `name`; two cases of one name are a mistake."""

    def register(function):
        if name in _cases:
            raise ValueError(f"two cases are called {name}")
        _cases[name] = Case(name, function, seconds, cores, needs_chroot)
        return function

    return register


def all_cases() -> dict[str, Case]:
    """Every case by name. Peers' libraries are imported inside the cases, so that listing needs none of them."""
    package = importlib.import_module("cases")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"cases.{module.name}")
    return dict(_cases)
