import Glibc

/// Listening sockets that systemd opened for this process (`sd_listen_fds(3)`).
package enum InheritedSockets {
    /// The descriptors, from 3 on; empty when none are meant for this process.
    ///
    /// Takes them out of the environment, so that no child believes that they are its own.
    package static func inherit() -> [CInt] {
        guard let pid = getenv("LISTEN_PID").map({ String(cString: $0) }),
            let count = getenv("LISTEN_FDS").flatMap({ Int32(String(cString: $0)) }),
            pid == String(getpid()), (1...16).contains(count)
        else { return [] }
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        let sockets = (3..<(3 + count)).map { CInt($0) }
        for socket in sockets { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
        return sockets
    }

    /// Whether a descriptor is a Unix socket: that of `roost claim`, not the page's.
    package static func isLocal(_ descriptor: CInt) -> Bool {
        address(of: descriptor)?.ss_family == sa_family_t(AF_UNIX)
    }

    /// The port that an internet socket listens on.
    package static func port(of descriptor: CInt) -> Int? {
        guard var address = address(of: descriptor),
            [sa_family_t(AF_INET), sa_family_t(AF_INET6)].contains(address.ss_family)
        else { return nil }
        // Both kinds have it at the same place, in the network's order.
        return withUnsafeBytes(of: &address) { Int($0[2]) << 8 | Int($0[3]) }
    }

    private static func address(of descriptor: CInt) -> sockaddr_storage? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        return code == 0 ? address : nil
    }
}
