"""Makes a Python client of the API's document, checks it and a program with it by mypy, and runs that."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent


# Without hooks, as nobody reads what is made. Media types that the generator does not know are bytes.
BYTES = ["application/pdf", "application/x-ndjson", "application/zip", "text/csv", "text/plain"]
BYTES += [f"image/{kind}" for kind in ["avif", "jpeg", "png", "webp"]]
JSON = ["application/merge-patch+json", "application/problem+json"]
OVERRIDES = {media: "application/octet-stream" for media in BYTES} | {media: "application/json" for media in JSON}
CONFIG = json.dumps({"post_hooks": [], "content_type_overrides": OVERRIDES})


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main() -> dict[str, object]:
    asked = json.load(sys.stdin)
    with tempfile.TemporaryDirectory(prefix="placet-client-") as name:
        folder = Path(name)
        (folder / "openapi.json").write_text(json.dumps(asked["document"]))
        (folder / "config.yml").write_text(CONFIG)
        made = run(
            folder,
            *(str(BIN / "openapi-python-client"), "generate", "--path", "openapi.json"),
            *("--config", "config.yml", "--meta", "none", "--output-path", "placet_client"),
            "--fail-on-warning",
        )
        shutil.copy(HERE / "main_job.py", folder)
        types = made or run(folder, str(BIN / "mypy"), "--strict", "--no-incremental", "main_job.py")
        if types:
            return {"types": types, "job": None}
        done = subprocess.run(
            [sys.executable, "main_job.py", asked["base"]],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return {"types": "", "job": json.loads(done.stdout) if done.returncode == 0 else done.stderr}


print(json.dumps(main()))
