"""Deterministic data, and fixtures with the command and the versions that made them."""

import importlib.metadata
import json
import pathlib
import platform
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "fixtures"


class Uniforms:
    """Numbers (s >> 16 + 1/2)/65536 of s = 1664525 s + 1013904223 mod 2**32: exact in 32-bit floats too."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return ((self.state >> 16) + 0.5) / 65536

    def between(self, bound):
        return bound * (2 * self.next() - 1)

    def bell(self):
        """Nearly a standard normal number: twelve uniforms, added up without rounding."""
        return sum(self.next() for _ in range(12)) - 6


def finish(name, packages, figures):
    """Writes fixtures/<name>.json or, with --check, compares what is there with what was computed."""
    versions = {"python": platform.python_version()}
    versions.update({package: importlib.metadata.version(package) for package in packages})
    command = f"python3 test/cross-checks/make/{name}.py"
    result = json.loads(json.dumps({"command": command, "versions": versions, **figures}))
    path = FOLDER / f"{name}.json"
    if "--check" in sys.argv:
        same = json.loads(path.read_text()) == result
        print("as before" if same else "different")
        sys.exit(0 if same else 1)
    path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
