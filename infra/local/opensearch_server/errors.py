"""Why a local OpenSearch can not run.

LocalOpenSearchError
├── ToolMissing
├── AccountMissing
├── AssemblyFailed
├── PortTaken
├── DataInUse
└── ServerStopped
"""


class LocalOpenSearchError(Exception):
    """The message says what is wrong and what to do, for the person at the terminal."""


class ToolMissing(LocalOpenSearchError):
    """Java or Maven is not installed, or is not of a usable version."""


class AccountMissing(LocalOpenSearchError):
    """There is no unprivileged account that could run the server in place of root."""


class AssemblyFailed(LocalOpenSearchError):
    """Maven could not fetch the parts of the server."""


class PortTaken(LocalOpenSearchError):
    """Another program listens on the wished port."""


class DataInUse(LocalOpenSearchError):
    """Another server runs on the same data folder."""


class ServerStopped(LocalOpenSearchError):
    """The server ended, or did not become ready in time."""
