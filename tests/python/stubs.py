"""The type stub of the module that makes its verbs by a loop: stubs.py compares it, stubs.py --write writes it."""
import inspect
import os
import re
import sys

import pixmpi.comm as module

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "pixmpi", "comm.pyi")
HEAD = '''# Made by tests/python/stubs.py --write.
from typing import Any, Iterable, Optional
from .compositor import Compositor
from .files import File
from .operations import Op
from .regions import RegionLike
from .requests import Request, progress as progress

'''

def signature(function, hidden=()) -> str:
    """As it stands in a stub, with defaults left out."""
    parts, starred = [], False
    for name, one in inspect.signature(function).parameters.items():
        if name in hidden:
            continue
        if one.kind is one.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        text = "" if one.annotation is one.empty else f": {one.annotation}"
        parts.append(name + text + ("" if one.default is one.empty else " = ..."))
    return ", ".join(parts)


def lines():
    for name in ("attach", "icopy", "copy_init"):
        result = "Comm" if name == "attach" else "Request"
        yield f"def {name}({signature(getattr(module, name))}) -> {result}: ..."
    yield f"def copy({signature(module.icopy)}) -> Any: ..."
    for cls in (module.Comm, module.Message):
        yield f"\nclass {cls.__name__}:"
        yield from ("    mpi: Any", "    rank: int", "    size: int") if cls is module.Comm else ("    status: Any",)
        for name, function in vars(cls).items():
            if name.startswith("_") and name != "__init__" or not callable(function):
                continue
            base = re.sub(r"^i(?!mprobe|probe)|_init$", "", name)
            hidden, source = ("form",), getattr(cls, "_" + base, None)
            if source is None or cls is module.Message:
                source = getattr(cls, "i" + base, function) if not name.startswith("i") and hasattr(
                    cls, "i" + base) and name == base and "probe" not in name else function
            result = "Request" if name != base else "Any"
            result = {"detach": "None", "set_codec": "None", "composite": "None", "route": "str", "open": "File",
                      "compositor": "Compositor", "__init__": "None", "mprobe": "Message",
                      "improbe": "Optional[Message]"}.get(name, result)
            yield f"    def {name}({signature(source, hidden)}) -> {result}: ..."


text = HEAD + "\n".join(lines()) + "\n"
if sys.argv[1:] == ["--write"]:
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(text)
else:
    with open(PATH, encoding="utf-8") as file:
        if file.read() != text:
            sys.exit("comm.pyi is not what comm.py has: stubs.py --write writes it anew")
    print("comm.pyi is right")
