"""Every answer that a person or a program reads is as it was: help, --json, each GET and SSE item, lives' hashes.

Asks every command of every program and every GET of the dashboard again and compares with the goldens in
Tests/system/net/goldens, one file a question: planted stores to the digit, a running station by keys, types and words.
A command, a route or a kind of item without a golden fails, and so does a golden without a question. A key that got
another name on purpose is a row of Tests/system/net/renamed.md. Nothing here depends on the hour, the zone or the load.

  scripts/check net                    prints a difference for each file that is not as it was
  scripts/check net --update           writes the goldens anew, and prints what changed
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor

from ..net import cards, commands, facts, found, moments, routes, streams
from ..net.goldens import Goldens
from ..net.stage import Stage, Web

PRODUCTS = ("roost", "roostd", "roost-web", "roost-courier", "roost-eyes", "roost-lab")
WORKERS = 3


def arguments(parser):
    parser.add_argument("--update", action="store_true", help="write the goldens anew")


def planted(check, goldens):
    """Lives, cards, and what is asked of them; how many questions."""
    with ThreadPoolExecutor(WORKERS) as pool:
        seeds = pool.submit(cards.plant, check)
        lives = list(pool.map(lambda life: cards.live(check, life, goldens), cards.LIVES))
        goldens.look("lives/hashes", [*lives, f"planted: {cards.plain(check, seeds.result()).strip()}"])
        answers = {name: pool.submit(cards.question, check, name) for name in cards.COMMANDS}
        answers |= {one.__name__: pool.submit(one, check) for one in (cards.status, cards.export, cards.copies)}
        answers |= {f"web-{name}": pool.submit(over, check, name, *rest) for name, *rest in (
            ("house", "sds011/pm25", routes.RANGE, routes.CARD), ("car", "bgeigie-nano/cpm", routes.RANGE, routes.DRIVE),
            ("planted", "dust/pm25", routes.WEEK, routes.CAUSES))}
        for name, lines in answers.items():
            goldens.look(f"store/{name.replace(' ', '-')}", lines.result())
    return len(answers)


def over(check, name, *rest):
    """What roost-web says over one card."""
    web = Web(check, "--store", check.path(name), "--name", name, "--open")
    web.start()
    lines = routes.card(check, web, *rest)
    return lines + (routes.causes(check, web) if name == "planted" else [])


def running(stage, goldens):
    """Everything that a running station is asked; the numbers of commands, routes and items."""
    stage.start()
    with ThreadPoolExecutor(1) as pool:
        followers = pool.submit(streams.followers, stage, goldens)
        route_count = routes.live(stage, goldens)
        look_count, bases = commands.looks(stage, goldens)
        streams.picture(stage, goldens)
        followers.result()
    item_count = streams.live(stage, goldens)
    act_count = commands.acts(stage, goldens, bases)
    for name in commands.uncovered(stage.check, stage):
        stage.check.demand(False, f"{name} --json: no golden: ask it in Tests/system/net/commands.py, then "
                           "scripts/check net --update")
    return look_count + act_count, route_count, item_count


def run(check, options):
    os.environ.update(TZ="UTC", LC_ALL="C.UTF-8", ROOST_SOCKET=check.path("no-station"),
                      ROOST_COURIER_SOCKET=check.path("no-courier"))
    time.tzset()
    for problem in facts.problems() + moments.problems():
        check.demand(False, problem)
    goldens = Goldens(check, options.update)
    with ThreadPoolExecutor(3) as pool:
        demo = pool.submit(streams.demo, check, goldens)
        live, cellar = pool.submit(running, Stage(check), goldens), pool.submit(found.run, check, goldens)
        helps = sum(commands.help_of(check, program, goldens) for program in commands.PROGRAMS)
        cards_count = planted(check, goldens)
        command_count, route_count, item_count = live.result()
        command_count += cellar.result() + demo.result()
    goldens.finish()
    if options.update:
        check.say(f"{len(goldens.changed)} goldens changed: {', '.join(sorted(goldens.changed)) or 'none'}")
    return (f"{helps} help texts, {command_count} commands at a station, {cards_count} questions of stores, {route_count} addresses, "
            f"{item_count} stream items, {len(cards.LIVES)} lives; {goldens.key_count} keys in {len(goldens.asked)} goldens")
