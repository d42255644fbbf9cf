"""Frames that reached code which no frame before them had reached: they are changed and sent again.

A guide sees which lines follow one another in minikafka while a node handles a request. It serves
one run or several; with the same first seed in a fresh process it chooses the same frames.
"""

import gc
import sys
from importlib import import_module
from inspect import CO_OPTIMIZED
from typing import NamedTuple

from minikafka.messages.api_keys import ApiKey, request_class, response_class
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import decode_request
from minikafka.serving.index import MODULES
from tests.fuzz.frames import Frame

MAX_KEPT = 1_000
LONGEST_KEPT = 16 << 10
_RECENT = 20
_WARM = 50
_ONE_IN = 20
"""A function is traced in each of its first calls, then in one of so many, until it has news."""
_CODE = "/minikafka/"
_SIMULATOR = "/minikafka/sim/"


class Kept(NamedTuple):
    """A frame worth changing, and the role of the node that it was for."""

    role: str
    frame: Frame


class Function:
    """The steps from line to line that were seen in one function."""

    __slots__ = ("calls", "code", "steps")

    def __init__(self, code):
        self.code = code
        self.steps = set()
        self.calls = 0


class Guide:
    """What code was reached, and the frames that did it."""

    def __init__(self):
        # What a first request of an API imports is no news of that request.
        for apis in MODULES.values():
            for key, (module, _, _) in apis.items():
                import_module(f"minikafka.apis.{module}")
                request_class(key)
                response_class(key)
        self.kept = []
        self.steps = 0
        self._functions = {}
        self._sent = {}

    def sent(self, role, frame):
        """Note a frame that a node may handle soon."""
        if len(frame.data) <= LONGEST_KEPT:
            self._sent[frame.number] = Kept(role, frame)
        if len(self._sent) > MAX_KEPT:
            del self._sent[next(iter(self._sent))]

    def begin(self):
        """Another cluster counts its frames from 1 again."""
        self._sent.clear()

    def step(self, step, request):
        """Call `step` for the event of a request; keep the frame if it reached something new."""
        before = self.steps
        # Generators that others left behind are closed when garbage is collected: no news either.
        collects = gc.isenabled()
        gc.disable()
        sys.settrace(self._entered)
        try:
            return step()
        finally:
            sys.settrace(None)
            if collects:
                gc.enable()
            if self.steps > before:
                found = self._sent.pop(_number_of(request.frame), None)
                if found is not None:
                    self._keep(found)

    def choose(self, rng, role):
        """A frame to change; None if there is none for this role. Half of them are recent ones."""
        kept = [each for each in self.kept if each.role == role]
        if not kept:
            return None
        return rng.choice(kept[-_RECENT:] if rng.randrange(2) else kept).frame

    def _keep(self, found):
        self.kept.append(found)
        if len(self.kept) > MAX_KEPT:
            del self.kept[0]

    def _entered(self, frame, event, arg):
        code = frame.f_code
        function = self._functions.get(id(code))
        if function is None:
            # Kept with its code, so that no other code gets its address.
            function = self._functions[id(code)] = Function(code)
            if not _is_watched(code):
                function.steps = None
        if function.steps is None:
            return None
        function.calls += 1
        if function.calls > _WARM and function.calls % _ONE_IN:
            return None
        return self._tracer(function)

    def _tracer(self, function):
        last = 0

        def line(frame, event, arg):
            nonlocal last
            if event == "line":
                now = frame.f_lineno
                if (last, now) not in function.steps:
                    function.steps.add((last, now))
                    function.calls = 0
                    self.steps += 1
                last = now
            return line

        return line


def _is_watched(code):
    """True for functions of minikafka; not for the bodies of modules and classes."""
    name = code.co_filename
    return code.co_flags & CO_OPTIMIZED and _CODE in name and _SIMULATOR not in name


def _number_of(data):
    """The correlation id of a client's request, also of one that a broker passes on."""
    if int.from_bytes(data[:2], "big") == ApiKey.ENVELOPE:
        try:
            data = decode_request(memoryview(data))[1].request_data
        except (ValueError, MalformedMessage):
            # An envelope that a client made.
            return None
    return int.from_bytes(data[4:8], "big")
