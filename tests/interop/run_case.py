#!/usr/bin/python3
"""Runs cases of the interop suite; see README.md.

    run_case.py --list                                  every case: name,seconds,cores,needs-chroot
    run_case.py --program build/server/sshape NAME...   runs them; a NAME may be a pattern, as 'openssh-client.*'
"""

import argparse
import fnmatch
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from harness import processes  # noqa: E402
from harness.checks import Failure  # noqa: E402
from harness.program import program_under_test  # noqa: E402
from harness.registry import Case, all_cases  # noqa: E402
from harness.scene import Scene  # noqa: E402


def main() -> int:
    arguments = _arguments()
    cases = all_cases()
    if arguments.list:
        for case in cases.values():
            print(f"{case.name},{case.seconds},{case.cores},{int(case.needs_chroot)}")
        return 0
    chosen = [case for case in cases.values() if any(fnmatch.fnmatchcase(case.name, name) for name in arguments.names)]
    if not chosen:
        print(f"no case is called {' '.join(arguments.names)}", file=sys.stderr)
        return 2
    if len(chosen) == 1:
        return _run(chosen[0], arguments)
    return _run_each(chosen)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--program", help="the executable under test")
    parser.add_argument("--stand-in", choices=("dropbear", "openssh"), default=os.environ.get("SSHAPE_INTEROP_STAND_IN"),
                        help="try the suite itself: Debian's dropbear or OpenSSH instead of the program under test")
    parser.add_argument("--other-program", help="an executable of another profile, for the cases that cross two")
    parser.add_argument("--chroot", help="the folder that peers-chroot made")
    parser.add_argument("--keep", action="store_true", help="leave the case's folder")
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def _run(case: Case, arguments) -> int:
    processes.become_subreaper()
    scene, started = None, time.monotonic()

    def stop(number, _frame):
        raise Failure("the case's time is over" if number == signal.SIGALRM else "told to stop")
    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and what a test starts would ignore it too
    signal.alarm(max(5, case.seconds - 5))
    try:
        scene = Scene(program_under_test(arguments.program, arguments.stand_in))
        scene.other_program, scene.chroot = arguments.other_program, arguments.chroot
        case.function(scene)
        print(f"passed: {case.name} ({time.monotonic() - started:.1f} s)")
        return 0
    except Exception as error:
        signal.alarm(0)
        if scene:
            print(scene.report())
        if isinstance(error, Failure):
            place = traceback.extract_tb(error.__traceback__)
            lines = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in place if "/cases/" in frame.filename]
            print(f"FAILED: {case.name} at {lines[-1] if lines else '?'}: {error}")
        else:
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED: {case.name}: {error!r}")
        return 1
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        if scene:
            scene.close(arguments.keep)
            if arguments.keep:
                print(f"kept: {scene.folder}")
        sys.stdout.flush()


def _run_each(chosen: list[Case]) -> int:
    """Each case in a process of its own, as ctest runs them."""
    options = sys.argv[1:]
    for name in [word for word in options if any(fnmatch.fnmatchcase(case.name, word) for case in chosen)]:
        options.remove(name)
    failed = []
    for case in chosen:
        done = subprocess.run([sys.executable, __file__, *options, case.name], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        verdict = [line for line in done.stdout.splitlines() if line.startswith("FAILED: ")] or ["(said nothing)"]
        print(verdict[-1] if done.returncode else f"passed: {case.name}", flush=True)
        if done.returncode:
            failed.append(case.name)
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
