"""Files as people have them, made for the tests of the parsers."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Any

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT_W = "http://purl.oclc.org/ooxml/wordprocessingml/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
PROSE = (
    "The heat pump starts by itself as soon as the oil is warm enough for the compressor to run without harm, "
    "and it stops when the water has reached the temperature that was set on the display by the operator."
)


def a_pdf(*pages: str, font: str = "Helvetica", size: int = 11, **options: Any) -> bytes:
    """A PDF with a page for each text; lines are drawn where the text has newlines."""
    target = BytesIO()
    canvas = Canvas(target, pagesize=(595, 842), **options)
    if font == "STSong-Light":
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    for page in pages:
        canvas.setFont(font, size)
        text = canvas.beginText(72, 770)
        text.textLines(page)
        canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def an_encrypted_pdf(text: str, *, user_password: str) -> bytes:
    encryption = StandardEncryption(user_password, ownerPassword="owner", canCopy=0, strength=128)
    return a_pdf(text, encrypt=encryption)


def a_scan() -> bytes:
    """A PDF whose only page is a picture."""
    from PIL import Image

    picture = BytesIO()
    Image.new("L", (64, 64), 128).save(picture, "PNG")
    target = BytesIO()
    canvas = Canvas(target)
    canvas.drawImage(ImageReader(BytesIO(picture.getvalue())), 0, 0, 500, 700)
    canvas.save()
    return target.getvalue()


def a_zip(members: dict[str, str | bytes]) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def relations(*entries: tuple[str, str, str], extra: str = "") -> str:
    """The relationships (id, kind, target) of a part."""
    rows = "".join(f'<Relationship Id="{i}" Type="{OFFICE}/{kind}" Target="{target}"/>' for i, kind, target in entries)
    return f'<Relationships xmlns="{PACKAGE}">{rows}{extra}</Relationships>'


def part(tag: str, inner: str, *, namespace: str = W) -> str:
    return (
        f'<w:{tag} xmlns:w="{namespace}" xmlns:r="{OFFICE}" '
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
        f'xmlns:v="urn:schemas-microsoft-com:vml">{inner}</w:{tag}>'
    )


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def a_docx(body: str, *, main: str = "word/document.xml", namespace: str = W, **parts: str) -> bytes:
    """A DOCX with a body in XML; `parts` are further parts by their kind, such as `footnotes` or `numbering`."""
    folder, _, name = main.rpartition("/")
    entries = [(f"r{place}", kind, f"{kind}.xml") for place, kind in enumerate(parts)]
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>",
        "_rels/.rels": relations(("r1", "officeDocument", main)),
        main: part("document", f"<w:body>{body}</w:body>", namespace=namespace),
        f"{folder}/_rels/{name}.rels": relations(*entries),
        **{f"{folder}/{kind}.xml": content for kind, content in parts.items()},
    }
    return a_zip(members)
