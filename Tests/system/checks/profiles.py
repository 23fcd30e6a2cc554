"""The shipped profiles by Python's jsonschema, and the udev rules by `udevadm verify`.

  schema   every profile against hardware-profiles/profile.schema.json
  rules    every file of udev-rules; `udevadm verify` is there since systemd 254

What the machine lacks is left out, with the reason. `scripts/check fuzz profiles` spoils profiles.
"""

import glob
import json
import os
import shutil
import subprocess

from ..check import ROOT

FOLDER = os.path.join(ROOT, "hardware-profiles")


def schema(check):
    try:
        import jsonschema
    except ImportError:
        return check.skip("schema: python3 has no module jsonschema (apt install python3-jsonschema)")
    with open(os.path.join(FOLDER, "profile.schema.json"), encoding="utf-8") as file:
        text = json.load(file)
    jsonschema.Draft202012Validator.check_schema(text)
    validator = jsonschema.Draft202012Validator(text)
    paths = sorted(set(glob.glob(os.path.join(FOLDER, "*.json"))) - {file.name})
    check.demand(paths, f"there are no profiles in {FOLDER}")
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for error in validator.iter_errors(json.load(file)):
                check.demand(False, f"{os.path.basename(path)}: {error.json_path}: {error.message}")
    return check.say(f"schema: {len(paths)} profiles")


def rules(check):
    if shutil.which("udevadm") is None:
        return check.skip("rules: there is no udevadm (apt install udev)")
    if subprocess.run(["udevadm", "verify", "--help"], capture_output=True, check=False).returncode:
        return check.skip("rules: this udevadm has no verify (systemd below 254)")
    paths = sorted(glob.glob(os.path.join(ROOT, "udev-rules", "*.rules")))
    done = subprocess.run(["udevadm", "verify", *paths], check=False)
    return check.same(done.returncode, 0, "udevadm verify: exit status")


def run(check, options):
    schema(check)
    rules(check)
