import Glibc

/// Listening sockets that systemd opened for this process (`sd_listen_fds(3)`).
package enum InheritedSockets {
    /// The descriptors, from 3 on; empty when none are meant for this process.
    ///
    /// Takes them out of the environment, so that no child believes that they are its own.
    package static func take() -> [CInt] {
        guard let pid = getenv("LISTEN_PID").map({ String(cString: $0) }),
            let count = getenv("LISTEN_FDS").flatMap({ Int32(String(cString: $0)) }),
            pid == String(getpid()), (1...16).contains(count)
        else { return [] }
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        let sockets = (3..<(3 + count)).map { CInt($0) }
        for socket in sockets { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
        return sockets
    }
}
