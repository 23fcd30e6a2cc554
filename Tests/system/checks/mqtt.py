"""The courier's MQTT against a real mosquitto: its own reason codes, wills, deaths and access lists.

N motions (10 000) go to a broker that is killed ten times within the run: each id arrives once or more
and in order. A topic that the access list forbids is held; the station says online, announces itself,
and says offline when it ends. In release, on a free port of loopback.
"""

import os

from ..check import Skipped, swift_test

NEEDS = "mosquitto"


def arguments(parser):
    parser.add_argument("--motions", type=int, default=10_000, help="motions (10000), at least 20")


def run(check, options):
    if not os.access("/usr/sbin/mosquitto", os.X_OK):
        raise Skipped("mosquitto is not installed: apt install mosquitto")
    swift_test("CourierIOTests.BrokerT", ROOST_MQTT_MOTIONS=max(20, options.motions))
