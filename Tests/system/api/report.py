"""What a client knows of a station: a program over what openapi-python-client makes of /api/v1/openapi.json.

`scripts/check api` runs it, and mypy proves that each value has its type: nothing here is cast, and nothing is `Any`.
"""

import sys
from datetime import datetime
from typing import TypeVar

from roost_client import AuthenticatedClient
from roost_client.api.alerts import get_alerts
from roost_client.api.devices import get_devices
from roost_client.api.events import get_events
from roost_client.api.means import get_means
from roost_client.api.readings import get_readings
from roost_client.api.settings import get_settings
from roost_client.models import GetMeansBy, ProblemView
from roost_client.types import UNSET, Unset

Answer = TypeVar("Answer")


def answered(answer: Answer | ProblemView | None) -> Answer:
    """The answer, where it is no refusal."""
    if answer is None:
        raise SystemExit("an answer that the description does not have")
    if isinstance(answer, ProblemView):
        raise SystemExit(f"refused: {answer.title}: {answer.detail}")
    return answer


def figure(value: float | Unset | None) -> str:
    """A number, or a dash where there is none."""
    return "-" if value is None or isinstance(value, Unset) else f"{value:g}"


def devices(client: AuthenticatedClient) -> None:
    for device in answered(get_devices.sync(client=client)).devices:
        print("device", device.name, device.type_, figure(device.interval_seconds))
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


def readings(client: AuthenticatedClient, channel: str, begin: datetime, end: datetime) -> None:
    """Every reading, page by page."""
    cursor: str | Unset = UNSET
    while True:
        page = answered(get_readings.sync(client=client, channel=channel, from_=begin, to=end, cursor=cursor, limit=7))
        for item in page.items:
            print("reading", item.time, figure(item.value), page.unit)
        if isinstance(page.next_, Unset):
            return
        cursor = page.next_


def means(client: AuthenticatedClient, channel: str, begin: datetime, end: datetime) -> None:
    answer = answered(get_means.sync(client=client, channel=channel, by=GetMeansBy.HOUR, zone="UTC", from_=begin, to=end))
    for item in answer.items:
        print("mean", item.from_, figure(item.mean), item.n)


def events(client: AuthenticatedClient, begin: datetime, end: datetime) -> None:
    for event in answered(get_events.sync(client=client, from_=begin, to=end, limit=1000)).items:
        print("event", event.time, event.source, event.severity, event.kind)


def main(topic: str, base: str, token: str, *words: str) -> None:
    client = AuthenticatedClient(base_url=base, token=token)
    if topic == "station":
        devices(client)
        alerts(client)
        settings(client)
    else:
        channel, begin, end = words[0], datetime.fromisoformat(words[1]), datetime.fromisoformat(words[2])
        readings(client, channel, begin, end)
        means(client, channel, begin, end)
        events(client, begin, end)


if __name__ == "__main__":
    main(*sys.argv[1:])
