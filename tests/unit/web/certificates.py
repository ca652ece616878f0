"""A certificate authority of our own, for servers that tests start."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_NAME = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])


def server_context(name: str, folder: Path, *, expired: bool = False) -> ssl.SSLContext:
    """Return a server's context with a self-signed certificate for `name`, also left as `name.pem`."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    start = now - timedelta(days=10)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(now - timedelta(days=1) if expired else now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def client_context(name: str, folder: Path) -> ssl.SSLContext:
    """Return a client's context that trusts the certificate made for `name`, and nothing else."""
    return ssl.create_default_context(cafile=str(folder / f"{name}.pem"))
