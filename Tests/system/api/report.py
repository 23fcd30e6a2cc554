"""What a client knows of a station: a program over what openapi-python-client makes of /api/v1/openapi.json.

`scripts/check api` runs it, and mypy proves that each value has its type: nothing here is cast, and nothing is `Any`.
"""

import sys
from typing import TypeVar

from roost_client import AuthenticatedClient
from roost_client.api.default import get_alerts, get_devices, get_settings
from roost_client.models import Problem
from roost_client.types import Unset

Answer = TypeVar("Answer")


def answered(answer: Answer | Problem | None) -> Answer:
    """The answer, where it is no refusal."""
    if answer is None:
        raise SystemExit("an answer that the description does not have")
    if isinstance(answer, Problem):
        raise SystemExit(f"refused: {answer.title}: {answer.detail}")
    return answer


def figure(value: float | Unset | None) -> str:
    """A number, or a dash where there is none."""
    return "-" if value is None or isinstance(value, Unset) else f"{value:g}"


def devices(client: AuthenticatedClient) -> None:
    for device in answered(get_devices.sync(client=client)).devices:
        print("device", device.name, device.model, figure(device.interval_seconds), *device.channels)
        for mute in device.mutes:
            print("mute", mute.target)


def alerts(client: AuthenticatedClient) -> None:
    for alert in answered(get_alerts.sync(client=client)).alerts:
        print("alert", alert.key, alert.severity, alert.state, figure(alert.limit), figure(alert.value))


def settings(client: AuthenticatedClient) -> None:
    answer = answered(get_settings.sync(client=client))
    origins = answer.origins.additional_properties
    for key, value in sorted(answer.values.additional_properties.items()):
        print("setting", key, origins[key].value, value)


def main(base: str, cookie: str) -> None:
    # A program has a token, in the header that the client would choose; settings are for an owner's session.
    client = AuthenticatedClient(base_url=base, token=cookie, prefix="", auth_header_name="Cookie")
    devices(client)
    alerts(client)
    settings(client)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
