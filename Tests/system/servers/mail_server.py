"""A mail server (aiosmtpd) that demands STARTTLS and a log-in, for the check `targets`.

Prints `ready`, then each message that it took as a line of JSON, until standard input ends.
"""

import json
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Box:
    async def handle_DATA(self, server, session, envelope):
        print(json.dumps({"from": envelope.mail_from, "to": envelope.rcpt_tos, "encrypted": session.ssl is not None,
                          "text": envelope.content.decode()}), flush=True)
        return "250 OK"


def main(port, certificate, key, name, password):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def authenticate(server, session, envelope, mechanism, data):
        # `handled` is false: the server itself says 235 or 535.
        return AuthResult(success=(data.login, data.password) == (name.encode(), password.encode()), handled=False)

    controller = Controller(Box(), hostname="127.0.0.1", port=int(port), tls_context=context, require_starttls=True,
                            authenticator=authenticate, auth_required=True)
    controller.start()
    print("ready", flush=True)
    sys.stdin.read()
    controller.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
