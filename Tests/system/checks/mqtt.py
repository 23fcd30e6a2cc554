"""The courier's MQTT against a real mosquitto: its own reason codes, wills, deaths and access lists.

N motions (10 000) go to a broker that is killed 50 times within the run: each id arrives once or more
and in order. A topic that the access list forbids is held; the station says online, announces itself,
and says offline when it ends. On a free port of loopback.
"""

import os

from ..check import Skipped, swift_test

TESTS = True
BUILD = "release"
NEEDS = "mosquitto"


def arguments(parser):
    parser.add_argument("--motions", type=int, default=10_000, help="motions (10000), at least 20")
    parser.add_argument("--deaths", type=int, default=50, help="how often the broker is killed (50)")


def run(check, options):
    if not os.access("/usr/sbin/mosquitto", os.X_OK):
        raise Skipped("mosquitto is not installed: apt install mosquitto")
    deaths = max(1, options.deaths)
    # Whole spans of at least two, so that each death falls within one.
    motions = max(20, options.motions // deaths * deaths, 2 * deaths)
    swift_test("CourierIOTests.BrokerT", options, ROOST_MQTT_MOTIONS=motions, ROOST_MQTT_DEATHS=deaths)
    check.say(f"{motions} motions over {deaths} deaths of the broker, each once or more and in order")
