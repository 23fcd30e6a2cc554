"""schemathesis asks the routes of a description and compares each answer with its schema.

The description is closed for that: an answer must not have a key that its schema does not name.
"""

import json
import os
import re
import subprocess

from ..check import Failed

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# Routes that are not asked, each with the reason.
LEFT_OUT = {
    "GET /live": "a stream without an end", "GET /camera/live": "a stream without an end",
    "POST /update": "it would start the machine anew", "POST /update/file": "its body is no JSON",
    "POST /claim": "wrong codes lock the claim", "POST /login": "wrong passwords lock the account",
    "POST /password": "it ends the session that asks", "POST /logout": "it ends the session that asks",
    "POST /logout-everywhere": "it ends the session that asks", "DELETE /sessions/{id}": "it may end the session that asks",
}


def choosing(description, values):
    """The description in which a parameter that is a list chooses from values: schemathesis has no other way to name them."""
    def chosen(parameter):
        choice = values.get(f"{parameter['in']}.{parameter['name']}")
        if not choice or parameter["schema"].get("type") != "array":
            return parameter
        return {**parameter, "schema": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"enum": choice}}}
    return {**description, "paths": {
        path: {method: {**route, "parameters": [chosen(one) for one in route.get("parameters", [])]} for method, route in entry.items()}
        for path, entry in description["paths"].items()}}


def closed(description):
    """The description in which objects have no other keys than those that it names."""
    def close(schema):
        if isinstance(schema, list):
            return [close(one) for one in schema]
        if not isinstance(schema, dict):
            return schema
        found = {key: close(value) for key, value in schema.items()}
        return found | {"additionalProperties": False} if "properties" in found and found.get("type") == "object" else found
    schemas = {name: close(schema) for name, schema in description["components"]["schemas"].items()}
    return {**description, "components": {**description["components"], "schemas": schemas}}


class Contract:
    """One server with its description; `values` are what parameters may be besides what schemathesis makes up."""

    def __init__(self, check, packages, web, name, values, statuses=()):
        self.check, self.packages, self.web, self.name, self.values = check, packages, web, name, values
        self.folder = check.path(f"contract-{name}")
        os.makedirs(self.folder)
        lines = []
        for parameter, choice in values.items():
            word = parameter.replace(".", "-")
            lines += [f"[dictionaries.{word}]", f"values = {json.dumps(choice)}", f'[parameters."{parameter}"]',
                      f'dictionary = "{word}"', "probability = 0.8"]
        lines += ["[generation]", 'with-security-parameters = false', 'database = "none"', "[checks.not_a_server_error]",
                  f"expected-statuses = {json.dumps(['2xx', '3xx', '4xx', *statuses])}"]
        with open(os.path.join(self.folder, "schemathesis.toml"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def ask(self, description, routes, seed, examples, phases):
        """Asks the routes (methods, or `GET /me`); the report of schemathesis, and what it says of failures."""
        name = re.sub(r"[^a-z]+", "-", " ".join(routes).lower())
        place, report = os.path.join(self.folder, f"{name}.json"), os.path.join(self.folder, f"{name}-report.json")
        with open(place, "w", encoding="utf-8") as file:
            json.dump(choosing(description, self.values), file)
        words = ["run", place, "--url", f"http://127.0.0.1:{self.web.port}/api/v1", "--checks", CHECKS, "--no-color",
                 "--seed", str(seed), "--max-examples", str(examples), "--phases", phases, "--rate-limit", "auto",
                 "--continue-on-failure", "--report", "json", "--report-json-path", report]
        if cookie := self.web.cookies.get("owner"):
            words += ["--header", f"Cookie: {cookie}", "--header", f"Origin: http://127.0.0.1:{self.web.port}"]
        for route in routes:
            words += ["--include-name" if " " in route else "--include-method", route]
        for route in LEFT_OUT:
            words += ["--exclude-name", route] if route.split()[0] in routes else []
        done = subprocess.run([os.path.join(self.packages.folder, "bin", "schemathesis"), *words], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        with open(os.path.join(self.folder, f"{name}.log"), "w", encoding="utf-8") as file:
            file.write(done.stdout + done.stderr)
        if done.returncode not in (0, 1) or not os.path.exists(report):
            raise Failed(f"schemathesis ended with {done.returncode}: {(done.stdout + done.stderr)[-1000:]}")
        with open(report, encoding="utf-8") as file:
            found = json.load(file)
        return found, "" if done.returncode == 0 else failures(done.stdout)


def failures(text):
    """What schemathesis says of each failure: the route, the difference, the command that repeats it."""
    begin = text.find("FAILURES")
    end = text.find("= WARNINGS =") if "= WARNINGS =" in text else text.find("= SUMMARY =")
    return text[begin:end].strip(" =\n")


def accepted(report):
    """Routes that answered with what was asked for at least once."""
    return {route for route, phases in report["valid_rates"].items()
            if any(phase["accepted"] or phase["conflicts"] for phase in phases.values())}
