import Logging
import NIOCore

/// Serves faces at ports of their own, beside the dashboard.
package struct FaceServers: Sendable {
    /// The sources of the faces' ports.
    package struct Sockets: Sendable {
        /// Opened by systemd, by port.
        package var inherited: [Int: CInt] = [:]
        /// Host to bind, where this process opens the ports; under systemd it may not.
        package var host: String?

        package init() {}
    }

    private let faces: Faces
    private let hosts: HostNames
    private let authenticator: any Gate.Authenticator

    package init(_ faces: Faces, hosts: HostNames, authenticator: any Gate.Authenticator) {
        (self.faces, self.hosts, self.authenticator) = (faces, hosts, authenticator)
    }

    /// One server for each port.
    ///
    /// A port that systemd did not open is left out, with a line in the log that says what to do.
    ///
    /// - Parameters:
    ///   - sockets: Where ports come from.
    ///   - template: Limits, shared with the dashboard.
    ///   - logger: For what is left out.
    /// - Returns: Servers that do not run yet.
    package func all(
        _ sockets: Sockets,
        _ template: WebServer.Settings,
        on loop: any EventLoop,
        logger: Logger
    ) -> [WebServer] {
        faces.ports.compactMap { face, port, routes in
            var settings = template
            // Their clients only speak plain HTTP.
            settings.encrypted = []
            if let socket = sockets.inherited[port] {
                settings.sockets = [.inherited(socket)]
            } else if let host = sockets.host {
                settings.sockets = [.address(host: host, port: port)]
            } else {
                logger.error(
                    """
                    systemd has not opened port \(port) for the face \(face.rawValue): run \
                    `systemctl edit roost-web.socket`, add [Socket] and ListenStream=\(port), then \
                    `systemctl restart roost-web.socket`
                    """
                )
                return nil
            }
            let gate = Gate(RouteTable(routes), hosts: hosts, authenticator: authenticator)
            return WebServer(WebResponder(gate, logger: logger), settings, on: loop, logger: logger)
        }
    }
}
