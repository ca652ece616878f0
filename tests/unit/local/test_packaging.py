from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from infra.local.packaging import Packager, load_template, zip_folder

TEMPLATE = """
Resources:
  Parts:
    Type: AWS::Serverless::Application
    Properties: {Location: infra/parts.yaml, Parameters: {Name: !Ref AWS::StackName}}
  Layer:
    Type: AWS::Serverless::LayerVersion
    Properties: {ContentUri: layers/big/}
  Parse:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: functions/parse/, Role: !GetAtt Parts.Outputs.Role}
Outputs:
  Id: {Value: !If [IsLocal, !Sub "${Api}-x", !Select [1, [a, b]]]}
"""


@pytest.fixture
def template(tmp_path: Path) -> Path:
    (tmp_path / "infra").mkdir()
    (tmp_path / "infra" / "parts.yaml").write_text("Resources: {Queue: {Type: AWS::SQS::Queue}}")
    (tmp_path / "functions" / "parse" / "__pycache__").mkdir(parents=True)
    (tmp_path / "functions" / "parse" / "app.py").write_text("answer = 42\n")
    (tmp_path / "functions" / "parse" / "__pycache__" / "app.pyc").write_bytes(b"old")
    path = tmp_path / "template.yaml"
    path.write_text(TEMPLATE)
    return path


def pack(template: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the packed template and everything that was uploaded, by key."""
    uploaded: dict[str, bytes] = {}
    packager = Packager(bucket="b", bucket_url="http://s3/b", upload=uploaded.__setitem__)
    url = packager.pack(template)
    return json.loads(uploaded[url.removeprefix("http://s3/b/")]), uploaded


def test_short_forms_are_written_out(template: Path) -> None:
    loaded = load_template(template)

    assert loaded["Resources"]["Parse"]["Properties"]["Role"] == {"Fn::GetAtt": ["Parts", "Outputs.Role"]}
    assert loaded["Outputs"]["Id"]["Value"] == {
        "Fn::If": ["IsLocal", {"Fn::Sub": "${Api}-x"}, {"Fn::Select": [1, ["a", "b"]]}]
    }


def test_function_becomes_an_archive_of_its_folder_without_compiled_files(template: Path) -> None:
    packed, uploaded = pack(template)

    uri = packed["Resources"]["Parse"]["Properties"]["CodeUri"]
    archive = zipfile.ZipFile(io.BytesIO(uploaded[uri.removeprefix("s3://b/")]))
    assert archive.namelist() == ["app.py"]
    assert archive.read("app.py") == b"answer = 42\n"


def test_nested_template_is_uploaded_and_named_by_its_url(template: Path) -> None:
    packed, uploaded = pack(template)

    location = packed["Resources"]["Parts"]["Properties"]["Location"]
    assert (
        json.loads(uploaded[location.removeprefix("http://s3/b/")])["Resources"]["Queue"]["Type"] == "AWS::SQS::Queue"
    )


def test_layer_is_a_placeholder_and_its_folder_need_not_be_there(template: Path) -> None:
    packed, uploaded = pack(template)

    uri = packed["Resources"]["Layer"]["Properties"]["ContentUri"]
    assert len(uploaded[uri.removeprefix("s3://b/")]) < 1000


def test_template_on_disk_stays_as_it_is(template: Path) -> None:
    pack(template)

    assert template.read_text() == TEMPLATE


def test_equal_folders_give_equal_archives(template: Path, tmp_path: Path) -> None:
    folder = template.parent / "functions" / "parse"
    before = zip_folder(folder)

    (folder / "app.py").touch()

    assert zip_folder(folder) == before


def test_dates_of_policies_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("Version: 2012-10-17")

    assert load_template(path) == {"Version": "2012-10-17"}


def test_real_template_can_be_packed() -> None:
    repository = Path(__file__).resolve().parents[3]

    packed, uploaded = pack(repository / "template.yaml")

    functions = [r for r in packed["Resources"].values() if r["Type"] == "AWS::Serverless::Function"]
    assert functions
    assert all(f["Properties"]["CodeUri"].removeprefix("s3://b/") in uploaded for f in functions)
