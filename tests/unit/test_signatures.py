"""Webhook signatures, against the specification's published example."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from knowledge_base.domain.signatures import new_secret, sign

PUBLISHED_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PUBLISHED = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
PUBLISHED_SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_published_example_is_signed_as_published() -> None:
    assert sign([PUBLISHED_SECRET], *PUBLISHED) == {
        "webhook-id": PUBLISHED[0],
        "webhook-timestamp": "1614265330",
        "webhook-signature": PUBLISHED_SIGNATURE,
    }


def test_two_valid_secrets_give_two_signatures_separated_by_a_space() -> None:
    other = new_secret()

    header = sign([other, PUBLISHED_SECRET], *PUBLISHED)["webhook-signature"]

    assert header.split(" ") == [sign([other], *PUBLISHED)["webhook-signature"], PUBLISHED_SIGNATURE]


@pytest.mark.parametrize("change", [("msg_other", 1614265330), ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265331)])
def test_another_id_or_time_gives_another_signature(change: tuple[str, int]) -> None:
    assert sign([PUBLISHED_SECRET], *change, PUBLISHED[2])["webhook-signature"] != PUBLISHED_SIGNATURE


def test_a_body_is_signed_byte_for_byte() -> None:
    body = "状态 ✓".encode() + b"\xff\x00"
    secret = new_secret()

    header = sign([secret], "msg_1", 1, body)["webhook-signature"]

    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = hmac.new(key, b"msg_1.1." + body, hashlib.sha256).digest()
    assert header == "v1," + base64.b64encode(expected).decode()


def test_new_secrets_are_32_bytes_and_never_the_same() -> None:
    made = {new_secret() for _ in range(20)}

    assert len(made) == 20
    assert all(len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32 for secret in made)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_!!!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
def test_a_secret_of_another_form_is_refused(secret: str) -> None:
    with pytest.raises(ValueError, match="whsec_"):
        sign([secret], *PUBLISHED)
