"""Which addresses are public, whatever they are written as."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.web.addresses import follow, is_public, literal_address, read_url
from knowledge_base.adapters.web.guarded import GuardedWeb
from knowledge_base.domain.errors import AddressNotAllowed

INTERNAL = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.2.3",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]
PUBLIC = ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"]


@pytest.mark.parametrize("address", INTERNAL)
def test_an_internal_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_global_address_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001"],
)
def test_a_number_is_read_as_the_system_reads_it(host: str) -> None:
    assert literal_address(host) == "127.0.0.1"


@pytest.mark.parametrize("host", ["256.1.1.1", "1.2.3.4.5", "09.1.1.1", "4294967296", "example.1", "0xfg.0x1g.99"])
def test_a_host_that_ends_in_a_number_but_is_no_address_is_refused(host: str) -> None:
    with pytest.raises(AddressNotAllowed):
        literal_address(host)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/a",
        "file:///etc/passwd",
        "gopher://example.com/",
        "javascript:alert(1)",
        "//example.com/a",
        "example.com/a",
        "",
        "http://",
        "http:///a",
        "http://user@example.com/",
        "http://user:secret@example.com/",
        "http://example.com@127.0.0.1/",
        "http://example.com\\@127.0.0.1/",
        "http://127.0.0.1\\.example.com/",
        "http://example.com:99999/",
        "http://example.com:0/",
        "http://example.com:-1/",
        "http://exa mple.com/",
        "http://exa\tmple.com/",
        "http://example.com/\r\nX-Evil: 1",
        "http://%31%32%37.0.0.1/",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://[zz]/",
        "http://-a.example/",
        "http://a..example/",
        "http://" + "a" * 64 + ".example/",
        "http://" + "abc." * 80 + "example/",
        "http://a\u2028b/",
        "http://\ud800.example/",
    ],
)
def test_a_url_of_no_allowed_form_is_refused(url: str) -> None:
    with pytest.raises(AddressNotAllowed):
        read_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://0/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[0:0:0:0:0:ffff:7f00:1]/",
        "http://１２７.０.０.１/",
        "http://127。0。0。1/",
        "http://①②⑦.⓪.⓪.①/",
        "http://localhost/",
        "http://LOCALHOST./",
        "http://any.localhost:8000/",
        "http://169.254.169.254/latest/meta-data/",
        "https://[fd00:ec2::254]/",
    ],
)
def test_an_internal_host_is_refused_without_resolving(url: str) -> None:
    web = GuardedWeb(resolve=lambda host, port: pytest.fail("nothing may be resolved"))

    with pytest.raises(AddressNotAllowed, match=r"not a public address|no valid host"):
        web.check(url)


@pytest.mark.parametrize(
    "url",
    ["https://example.com/a.pdf", "http://8.8.8.8:8080/", "http://[2606:4700::1111]/", "https://例え.jp/文書.pdf"],
)
def test_a_public_url_passes_the_check(url: str) -> None:
    GuardedWeb().check(url)


def test_an_allowed_host_passes_only_with_its_own_port() -> None:
    web = GuardedWeb(frozenset({"127.0.0.1:8000", "localhost:80", "[::1]:9000"}))

    for url in ("http://127.0.0.1:8000/a", "http://localhost/", "http://LocalHost:80/", "http://[::1]:9000/"):
        web.check(url)
    for url in ("http://127.0.0.1:8001/a", "https://localhost/", "http://2130706433:8000/", "http://[::1]:8000/"):
        with pytest.raises(AddressNotAllowed):
            web.check(url)


def test_a_path_of_any_script_is_quoted_once() -> None:
    target = read_url("https://例え.jp/产品 说明/a%20b.pdf?名=值&x=1#part")

    assert target.host == "xn--r8jz45g.jp"
    assert target.path == "/%E4%BA%A7%E5%93%81%20%E8%AF%B4%E6%98%8E/a%20b.pdf?%E5%90%8D=%E5%80%BC&x=1"


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/other", "http://files.example:8080/other"),
        ("next?x=1", "http://files.example:8080/a/next?x=1"),
        ("//cdn.example/x", "http://cdn.example/x"),
        ("https://[2606:4700::1111]:444/x", "https://[2606:4700::1111]:444/x"),
        ("/产品".encode().decode("latin-1"), "http://files.example:8080/%E4%BA%A7%E5%93%81"),
    ],
)
def test_a_redirect_is_read_against_the_url_it_came_from(location: str, expected: str) -> None:
    assert follow(read_url("http://files.example:8080/a/b"), location).url == expected


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "http://[", "ftp://example.com/", "http://u:p@example.com/"]
)
def test_a_redirect_to_something_else_is_refused(location: str) -> None:
    with pytest.raises(AddressNotAllowed):
        follow(read_url("http://files.example/"), location)
