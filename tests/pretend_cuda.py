"""A pretended GPU: the numbers are worked on the CPU, but each tensor is said to lie on the device it was sent to.

    with pretending() as meetings:
        model.to("cuda")                       # .device and .is_cuda answer as they would
        model(src, tgt_in)
    assert not meetings                        # what a real GPU would have refused, and where

What lies on "cuda:0" is known by its memory, so views, slices and gradients go with it. Each operation is seen, those
of a backward pass and of an optimizer too; one that a real GPU would refuse is written down, and worked all the same.

Not seen: what another thread works, kernels that only a GPU has, memory that is pinned, CUDA's own random numbers.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

CPU, CUDA = torch.device("cpu"), torch.device("cuda", 0)
ROOT = Path(__file__).resolve().parent.parent
true_device = torch.Tensor.device.__get__  # what a tensor itself says
COPIES = {"_to_copy", "copy_"}  # go from one device to another
INDEXED = {"index", "index_put", "index_put_", "_index_put_impl_"}  # by numbers that may lie on the CPU


def device_of(x: Tensor) -> torch.device:
    """Where a tensor is said to lie."""
    true = true_device(x)
    return CUDA if true == CPU and hasattr(x.untyped_storage(), "on_gpu") else true


def put(x: Tensor, device: torch.device) -> None:
    """Say of a tensor's memory that it lies there."""
    memory = x.untyped_storage()
    if device.type == "cuda":
        memory.on_gpu = True
    elif hasattr(memory, "on_gpu"):
        del memory.on_gpu


def is_there(x: Tensor) -> bool:
    return device_of(x) == CUDA


def named(device: Any) -> torch.device:
    """A device that is asked for, as one that tensors have."""
    return CUDA if torch.device(device).type == "cuda" else torch.device(device)


def place() -> str:
    """The line of this project that is at work, or of a test."""
    frames = [frame for frame in traceback.extract_stack() if Path(frame.filename).is_relative_to(ROOT)]
    frames = [frame for frame in frames if frame.filename != __file__ and ".venv" not in frame.filename]
    return f"{Path(frames[-1].filename).relative_to(ROOT)}:{frames[-1].lineno}" if frames else "somewhere"


class Operations(TorchDispatchMode):
    """Sees each operation's tensors: what they lie on, and so what the result lies on."""

    def __init__(self, meetings: list[str]) -> None:
        super().__init__()
        self.meetings = meetings
        self.asked: torch.device | None = None  # the device that is named in the call now made
        self.around = CPU  # that of the tensors in it, where what it makes on the way lies

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = tree_leaves((args, kwargs or {}))
        tensors = [x for x in given if isinstance(x, Tensor) and true_device(x) == CPU]
        name = operation._schema.name.partition("::")[2]
        if refusal := refused(name, tensors, given):
            self.meetings.append(f"{name} at {place()}: {refusal}")
        on_gpu = any(device_of(x) == CUDA for x in tensors) if tensors else self.around == CUDA
        result = operation(*args, **(kwargs or {}))
        known = {x.untyped_storage()._cdata for x in tensors}
        if name == "_pack_padded_sequence":
            known.add(result[1].untyped_storage()._cdata)  # how many are left at each step stays on the CPU
        for x in tree_leaves(result):
            if isinstance(x, Tensor) and true_device(x) == CPU and x.untyped_storage()._cdata not in known:
                put(x, self.asked or (CUDA if on_gpu else CPU))
        return result


def refused(name: str, tensors: list[Tensor], given: list[Any]) -> str:
    """Why a GPU would not work this, or nothing."""
    devices = [device_of(x) for x in tensors]
    if CUDA not in devices or name in COPIES:
        return ""
    if any(isinstance(x, torch.Generator) for x in given):
        return "a generator of the CPU draws for a tensor on the GPU"
    if name == "_pack_padded_sequence":
        return ""  # how long the rows are stays on the CPU
    if name in INDEXED:
        if devices[0] == CPU:
            return "a tensor on the CPU is indexed from the GPU"
        tensors, devices = (tensors[:1], devices[:1]) if name == "index" else (tensors[:: len(tensors) - 1], devices)
    alone = [tuple(x.shape) for x in tensors if device_of(x) == CPU and x.dim()]  # one number may come from anywhere
    return f"{alone} on the CPU among tensors on the GPU" if alone else ""


class Functions(TorchFunctionMode):
    """Sees each call of torch before it is an operation: the device that is asked for, and who asks where one lies."""

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self.operations = operations

    def __torch_function__(self, function: Callable, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if function == true_device:
            return device_of(args[0])
        if function == torch.Tensor.is_cuda.__get__:
            return device_of(args[0]) == CUDA
        if function in (torch.Tensor.pin_memory, torch.Tensor.is_pinned):
            return args[0] if function is torch.Tensor.pin_memory else False
        if function in (torch.Tensor.numpy, torch.Tensor.__array__) and device_of(args[0]) == CUDA:
            self.operations.meetings.append(f"numpy at {place()}: numpy cannot read a tensor on the GPU")
        if function in (torch.Tensor.cuda, torch.Tensor.cpu):
            function, args = torch.Tensor.to, (args[0], function.__name__)
        asked = None
        if function is torch.Tensor.to:
            asked, args, kwargs = moved(args, kwargs)
        elif kwargs.get("device") is not None and torch.device(kwargs["device"]).type == "cuda":
            asked, kwargs["device"] = CUDA, CPU
        elif kwargs.get("device") is not None:
            asked = named(kwargs["device"])
        tensors = (x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor))
        self.operations.asked, self.operations.around = asked, CUDA if any(map(is_there, tensors)) else CPU
        try:
            result = function(*args, **kwargs)
        finally:
            self.operations.asked, self.operations.around = None, CPU
        if function is torch.Tensor.__deepcopy__:  # of memory, past all operations
            put(result, device_of(args[0]))
        if asked and asked.type != "meta" and function in (torch.tensor, torch.as_tensor, torch.asarray):
            put(result, asked)
        return result


def moved(args: tuple, kwargs: dict[str, Any]) -> tuple[torch.device, tuple, dict[str, Any]]:
    """A call of Tensor.to: where it goes, and the call that does this on the CPU; a copy where it goes elsewhere."""
    x, *words = args
    words = [kwargs.pop("other"), *words] if "other" in kwargs else words
    asked = named(kwargs.pop("device")) if kwargs.get("device") is not None else device_of(x)
    dtypes = [word for word in words if isinstance(word, torch.dtype)]
    for word in words:
        if isinstance(word, Tensor):
            asked, dtypes = device_of(word), [word.dtype]
        elif isinstance(word, (str, torch.device)):
            asked = named(word)
    kwargs = {name: value for name, value in kwargs.items() if name in ("dtype", "memory_format")}
    there = asked if asked.type == "meta" else CPU
    copy = asked != device_of(x) and true_device(x) == CPU
    return asked, (x, there, *dtypes), kwargs | ({"copy": True} if copy else {})


def on_cpu(function: Callable) -> Callable:
    """Of torch's own functions that take a device's type as their first word: ask them of the CPU."""
    return lambda device="cpu", *args, **kwargs: function("cpu" if str(device) == "cuda" else device, *args, **kwargs)


@contextlib.contextmanager
def pretending() -> Iterator[list[str]]:
    """Inside, a GPU is to be had; gives the list of what it would have refused."""
    meetings: list[str] = []
    operations = Operations(meetings)
    fork = torch.random.fork_rng
    without = lambda devices=None, *args, **kwargs: fork([], *args, **kwargs)  # noqa: E731
    with contextlib.ExitStack() as inside:
        for owner, name, instead in (
            (torch, "autocast", on_cpu(torch.autocast)),
            (torch, "is_autocast_enabled", on_cpu(torch.is_autocast_enabled)),
            (torch, "get_autocast_dtype", on_cpu(torch.get_autocast_dtype)),
            (torch.random, "fork_rng", without),
            (torch.cuda, "is_bf16_supported", lambda including_emulation=True: True),
            (torch.cuda, "get_device_capability", lambda device=None: (8, 0)),
            (torch.backends.cudnn, "is_acceptable", lambda x: False),
        ):
            inside.enter_context(mock.patch.object(owner, name, instead))
        inside.enter_context(operations)
        inside.enter_context(Functions(operations))
        yield meetings
