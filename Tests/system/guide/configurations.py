"""Judges the configurations that pages show, each by the program that reads it."""

import json
import os
import re
import subprocess

from ..check import ROOT
from . import exceptions
from .texts import parsed

COURIER = {"targets", "receivers", "feeds", "network", "stations", "leave"}
EYES = {"camera", "command", "live", "masks"}
STATION = {"devices", "alerts", "store", "lights", "mode", "claim", "watchdog", "detect"}
I2C_SENSOR = {"measure", "start", "rest", "serial", "check", "checkStart", "values", "valid"}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleExam anna@laptop"


class Configurations:
    def __init__(self, check):
        self.check, self.count = check, 0

    def judge(self, page):
        """Each block of JSON of a page, and its station.txt."""
        blocks = [(block, value) for block in page.blocks if (value := self.value(block)) is not None]
        profiles = self.check.path("profiles-" + page.name.replace("/", "-"))
        os.makedirs(profiles)
        for block, value in blocks:
            if "schemaVersion" in value:
                self.one(block, value, os.path.join(profiles, value["id"] + ".json"), "roost", "profiles", "check")
        for block, value in blocks:
            if "schemaVersion" not in value:
                self.by_keys(block, value, profiles)
        for block in page.blocks:
            if block.language == "text" and re.match(r"[a-z-]+=", block.text):
                self.settings(block)

    def value(self, block):
        if block.language != "json" or any(text in block.text for text in exceptions.JSON):
            return None
        try:
            return parsed(block.text)
        except ValueError as error:
            self.check.demand(False, f"{block.place}: no JSON: {error}")
            return None

    def by_keys(self, block, value, profiles):
        keys, path = set(value), self.check.path("configuration.json")
        if keys & COURIER:
            self.one(block, value, path, "roost-courier", "check")
        elif keys <= EYES | {"retentionDays"}:
            # A piece of the file, beside the camera that it is for.
            self.one(block, value if keys & {"camera", "command"} else {"camera": {}, **value}, path, "roost-eyes", "check")
        elif keys & STATION and not (keys == {"alert"}):
            self.one(block, value, path, "roostd", "--check", "--profiles", profiles, "--config")
        elif keys <= I2C_SENSOR:
            # A piece of a part by its commands, which one that is shipped gives the rest.
            with open(os.path.join(ROOT, "hardware-profiles", "aosong-aht20-direct.json"), encoding="utf-8") as file:
                profile = json.load(file)
            profile["settings"].update(value)
            self.one(block, profile, self.check.path(profile["id"] + ".json"), "roost", "profiles", "check")
        elif "faces" in block.place:
            # It reads the faces first and ends with its standard input.
            ports = {name: {key: one for key, one in face.items() if key != "port"} for name, face in value.items()}
            state = self.check.path("web")
            self.one(block, ports, path, "roost-web", "--open", "--until-eof", "--listen", "127.0.0.1:0", "--state", state,
                     "--faces")
        else:
            self.check.demand(False, f"{block.place}: no program is known for these keys: {', '.join(sorted(keys))}; "
                              "name one in guide_configurations.py, or the block in guide_exceptions.py")

    def one(self, block, value, path, program, *words):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file, ensure_ascii=False)
        done = subprocess.run([self.check.program(program), *words, path], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60, check=False)
        self.check.demand(done.returncode == 0, f"{block.place}: {program} {words[0]}: {done.stdout}{done.stderr}")
        self.count += 1

    def settings(self, block):
        """A station.txt, which `roost provision` takes whole."""
        boot, root = (self.check.path(name + re.sub(r"\W", "-", block.place)) for name in ("boot-", "root-"))
        os.makedirs(boot)
        for folder in ("etc", "run", "usr/share"):
            os.makedirs(os.path.join(root, folder))
        os.symlink("/usr/share/zoneinfo", os.path.join(root, "usr/share/zoneinfo"))
        with open(os.path.join(boot, "station.txt"), "w", encoding="utf-8") as file:
            file.write(re.sub(r"ssh-ed25519 AAAA\S*… \S+", KEY, block.text) + "\n")
        done = subprocess.run([self.check.program("roost"), "provision", "--folder", boot, "--root", root, "--json"],
                              capture_output=True, text=True, timeout=60, check=False)
        wrong = [one["sentence"] for one in json.loads(done.stdout or "{}").get("problems", [])]
        self.check.demand(done.returncode == 0 and not wrong, f"{block.place}: roost provision: {wrong or done.stderr}")
        self.count += 1
