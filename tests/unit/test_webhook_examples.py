"""The examples of docs/webhooks.md, run as a receiver would run them, by whichever interpreters are there."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from knowledge_base.domain.signatures import new_secret, sign

PAGE = Path(__file__).parents[2] / "docs" / "webhooks.md"
BODY = '{"documents": [{"name": "价格 ✓.pdf"}]}\r\n'.encode()

# Each reads deliveries from its standard input, one a line, and says of each whether it is genuine.
MAIN = {
    "python": """
import sys
for line in sys.stdin:
    secret, *said, body = line.rstrip("\\n").split("\\t")
    print(str(verify(secret, *said, base64.b64decode(body))).lower())
""",
    "javascript": """
for (const line of require("node:fs").readFileSync(0, "utf8").trimEnd().split("\\n")) {
  const [secret, id, timestamp, signatures, body] = line.split("\\t");
  console.log(String(verify(secret, id, timestamp, signatures, Buffer.from(body, "base64"))));
}
""",
    "java": """
class Main {
  public static void main(String[] arguments) throws Exception {
    for (String line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\\n")) {
      String[] said = line.split("\\t");
      byte[] body = Base64.getDecoder().decode(said[4]);
      System.out.println(Webhooks.verify(said[0], said[1], said[2], said[3], body));
    }
  }
}
""",
}
RUN = {"python": (sys.executable, "example.py"), "javascript": ("node", "example.js"), "java": ("java", "Main.java")}


def example(language: str) -> str:
    [code] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return str(code)


def a_delivery(secrets: Sequence[str], *, held: str, age: int = 0, body: bytes = BODY, signed: bytes = BODY) -> str:
    stamp = int(time.time()) - age
    headers = sign(secrets, "msg-1", stamp, signed)
    said = (held, "msg-1", str(stamp), headers["webhook-signature"], base64.b64encode(body).decode())
    return "\t".join(said)


@pytest.mark.parametrize("language", MAIN)
def test_the_example_of_the_page_takes_what_is_genuine_and_nothing_else(language: str, tmp_path: Path) -> None:
    interpreter, file = RUN[language]
    if shutil.which(interpreter) is None:
        pytest.skip(f"{interpreter} is not on this machine")
    old, new, foreign = new_secret(), new_secret(), new_secret()
    deliveries = {
        a_delivery([new], held=new): "true",
        a_delivery([new, old], held=old): "true",
        a_delivery([new, old], held=new, age=200): "true",
        a_delivery([new], held=foreign): "false",
        a_delivery([new], held=new, body=BODY.strip()): "false",
        a_delivery([new], held=new, age=400): "false",
        a_delivery([new], held=new, age=-400): "false",
        a_delivery([new], held=new).replace("msg-1", "msg-2"): "false",
        a_delivery([new], held=new).replace("\tv1,", "\tv1,A"): "false",
    }
    imports, _, rest = example(language).partition("final class")
    program = (
        imports + MAIN["java"] + "final class" + rest if language == "java" else example(language) + MAIN[language]
    )
    (tmp_path / file).write_text(program, encoding="utf-8")
    done = subprocess.run(
        [interpreter, file], input="\n".join(deliveries), cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(deliveries.values())
