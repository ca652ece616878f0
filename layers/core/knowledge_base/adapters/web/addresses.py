"""Which URLs and which network addresses may be contacted."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from knowledge_base.domain.errors import AddressNotAllowed

_PORTS = {"http": 80, "https": 443}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_KEPT_IN_PATH = "/%:@!$&'()*+,;=~?[]-._|"

_UNICAST = IPv6Network("2000::/3")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_NAT64 = IPv6Network("64:ff9b::/96")
_DOCUMENTATION = IPv6Network("3fff::/20")


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart once: what is checked is what is requested.

    `host` is lower-case ASCII without brackets, `path` is ASCII and includes the query.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_port(self) -> str:
        """Host and port, the port always said; IPv6 in brackets."""
        return f"{self._bracketed}:{self.port}"

    @property
    def authority(self) -> str:
        """What a Host header says: the port only where it is not the scheme's own."""
        return self._bracketed if self.port == _PORTS[self.scheme] else self.host_port

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def read_url(url: str) -> Target:
    """Return the parts of an http or https URL; spaces and letters of any script in its path are quoted.

    Raises:
        AddressNotAllowed: it is no such URL, names a user, or has a host that no two readers agree on.
    """
    url = url.strip(" ")
    if _CONTROL.search(url) or "\\" in url:
        raise AddressNotAllowed("the URL holds characters that no URL may hold")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressNotAllowed("this is not a valid URL") from None
    return _target(parts, port)


def follow(base: Target, location: str) -> Target:
    """Return where a redirect leads.

    Raises:
        AddressNotAllowed: not to an http or https URL.
    """
    # http.client reads headers as Latin-1, servers write UTF-8.
    location = location.encode("latin-1", "replace").decode("utf-8", "replace")
    try:
        return read_url(urljoin(base.url, location))
    except ValueError:
        raise AddressNotAllowed("the redirect leads to no valid URL") from None


def literal_address(host: str) -> str | None:
    """Return the address that a host is written as, in any form that the system would read; None for a name.

    Raises:
        AddressNotAllowed: it ends in a number, so it can be no name, but it is no address either.
    """
    if ":" in host:
        return str(IPv6Address(host))
    if not _NUMBER.fullmatch(host.rpartition(".")[2]):
        return None
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        raise AddressNotAllowed("the URL's host is not a valid address") from None


def is_public(address: str) -> bool:
    """Tell whether an address is globally reachable unicast, also the IPv4 address inside an IPv6 one."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = _embedded(ip)
        return _is_public_v4(inner) if inner else _is_public_v6(ip)
    return _is_public_v4(ip)


def _target(parts: SplitResult, port: int | None) -> Target:
    if parts.scheme not in _PORTS:
        raise AddressNotAllowed("only http and https URLs may be contacted")
    if "@" in parts.netloc:
        raise AddressNotAllowed("a URL with a user name or password is not contacted")
    if port == 0:
        raise AddressNotAllowed("this is not a valid URL")
    path = quote(parts.path or "/", safe=_KEPT_IN_PATH, errors="replace")
    query = f"?{quote(parts.query, safe=_KEPT_IN_PATH, errors='replace')}" if parts.query else ""
    return Target(parts.scheme, _host(parts.hostname or ""), port or _PORTS[parts.scheme], path + query)


def _host(host: str) -> str:
    if ":" in host:
        return _ipv6(host)
    host = (host if host.isascii() else _to_ascii(host)).removesuffix(".")
    if not _NAME.fullmatch(host) or len(host) > 253:
        raise AddressNotAllowed("the URL has no valid host")
    return host


def _ipv6(host: str) -> str:
    try:
        if "%" in host:
            raise ValueError("a zone is for this machine's own links")
        return str(IPv6Address(host))
    except ValueError:
        raise AddressNotAllowed("the URL has no valid host") from None


def _to_ascii(host: str) -> str:
    import idna

    try:
        return idna.encode(host, uts46=True).decode().lower()
    except UnicodeError:
        raise AddressNotAllowed("the URL has no valid host") from None


def _embedded(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to this IPv6 address end up at: mapped, 6to4 or NAT64."""
    if ip.ipv4_mapped:
        return ip.ipv4_mapped
    if ip in _SIX_TO_FOUR:
        return ip.sixtofour
    return IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None


def _is_public_v4(ip: IPv4Address) -> bool:
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


def _is_public_v6(ip: IPv6Address) -> bool:
    # Stricter than is_global, which differs between Python versions: only what IANA hands out as
    # unicast. Teredo and IPv4-compatible addresses are not.
    return ip in _UNICAST and ip.is_global and ip not in _DOCUMENTATION
