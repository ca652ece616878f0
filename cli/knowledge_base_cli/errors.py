"""Every error that a person is told in one sentence instead of a traceback.

CommandError
├── WrongUse
├── Unreachable
├── StreamBroken
├── ReaderLeft
└── Refusal
    ├── KeyRefused
    ├── NotThere
    └── Busy
"""

from __future__ import annotations

FAILED = 1
"""Exit code: something was tried and did not succeed."""
WRONG_USE = 2
"""Exit code: the call itself is wrong, and nothing was tried."""
INTERRUPTED = 130
"""Exit code of Ctrl-C, as shells have it: 128 and the signal's number."""


class CommandError(Exception):
    """The root; its text is the sentence."""

    exit_code = FAILED


class WrongUse(CommandError):
    """The caller asked for something that cannot be, and can say it better."""

    exit_code = WRONG_USE


class Unreachable(CommandError):
    """Nothing answers at an address, or the connection keeps breaking."""


class StreamBroken(CommandError):
    """An answer's stream broke off and could not be taken up again."""


class ReaderLeft(CommandError):
    """Nobody reads the output any more, as after `| head`; there is nobody to be told either."""


class Refusal(CommandError):
    """The service answered, with an error; `code` is its own word for it."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message

    @property
    def concerns_all(self) -> bool:
        """Whether every other request of the same kind would be refused as well."""
        return False


class KeyRefused(Refusal):
    """The key is unknown, expired or revoked, or may not do this."""

    @property
    def concerns_all(self) -> bool:
        """A key that is refused once is refused always."""
        return True


class NotThere(Refusal):
    """What was asked for is not there; it may also be the route that the service lacks."""

    @property
    def concerns_all(self) -> bool:
        """A service that lacks the route lacks it for every document."""
        return self.code == "route_not_found"


class Busy(Refusal):
    """The service has too much to do, also after several tries."""

    @property
    def concerns_all(self) -> bool:
        """Who is turned away after several tries had better come back later with all the rest."""
        return True
