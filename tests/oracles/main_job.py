"""The main job through a client that openapi-python-client makes from the API's document."""

import json
import sys
import time
from typing import TypeVar
from uuid import UUID

from placet_client import AuthenticatedClient, Client
from placet_client.api.auth import auth_sign_up
from placet_client.api.client import client_project
from placet_client.api.publish import publish_read, publish_start
from placet_client.api.vault import vault_cookies_create, vault_cookies_list, vault_projects_create
from placet_client.models import (
    CookieConfiguration,
    Problem,
    ProjectDocument,
    SignUpIn,
)


T = TypeVar("T")


def held(answer: T | Problem | None) -> T:
    if answer is None or isinstance(answer, Problem):
        raise SystemExit(f"refused: {answer}")
    return answer


def main(base: str) -> dict[str, object]:
    name = "python"
    account = SignUpIn(display_name=name, username=name, email=f"{name}@shop.example", password="a password of theirs")
    session = held(auth_sign_up.sync(client=Client(base_url=base), body=account))
    api = AuthenticatedClient(base_url=base, token=session.token)
    document = ProjectDocument(website_url="https://shop.example", title="Shop")
    project = held(vault_projects_create.sync(client=api, body=document))
    configuration = CookieConfiguration.from_dict(
        {
            "projectId": str(project.id),
            "name": "en",
            "language": "en",
            "steps": [{"name": "hello", "layout": "welcome", "title": "Cookies"}],
        }
    )
    made = held(vault_cookies_create.sync(client=api, body=configuration))
    job = held(publish_start.sync(project.id, client=api))
    while job.status.value == "started":
        time.sleep(job.timeout / 1000)
        job = held(publish_read.sync(project.id, job.field_id, client=api))
    listed = held(vault_cookies_list.sync(client=api, project_id=project.id))
    read = held(client_project.sync(project.id, client=api))
    found: list[UUID] = [one.id for one in listed]
    return {"status": job.status.value, "name": read.name, "configuration": found == [made.id]}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
