"""A relay of TCP connections to a server of this computer, for outages of the way to it."""

import socket
import threading

from ..browser.dashboard import free_port


class Relay:
    """A way to the broker that can be refused, while the broker and who listens there go on."""

    def __init__(self, target):
        self.port, self.target = free_port(), target
        self.open()

    def open(self):
        self.listener, self.links = socket.create_server(("127.0.0.1", self.port)), []
        threading.Thread(target=self.serve, args=(self.listener, self.links), daemon=True).start()

    def serve(self, listener, links):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            links += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=pump, args=pair, daemon=True).start()

    def close(self):
        for link in [self.listener, *self.links]:
            shut(link)
            link.close()


def pump(source, sink):
    try:
        while data := source.recv(65_536):
            sink.sendall(data)
    except OSError:
        pass
    shut(source)
    shut(sink)


def shut(link):
    try:
        link.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # It is not connected any more.
