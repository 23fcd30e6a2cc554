import Core
import FileIO
import Glibc
import LinuxIO
import RoostCourier
import Synchronization

/// Watches the machine's routes, and asks NetworkManager whether they are paid by volume.
package final class KernelRoutes: RouteWatch {
    /// Routes change in bursts: the state is read once a burst is over.
    private static let settling: Duration = .seconds(2)

    private let loop: EventLoop
    private let disk: DiskThread
    private let socket: RouteSocket
    private let last = Mutex<RouteState?>(nil)

    /// - Parameters:
    ///   - loop: Where changes are waited for.
    ///   - disk: Where NetworkManager is asked, which may take seconds.
    /// - Throws: `LinuxError` when the kernel gives no socket.
    package init(on loop: EventLoop, disk: DiskThread) throws(LinuxError) {
        socket = try RouteSocket(on: loop)
        (self.loop, self.disk) = (loop, disk)
    }

    package func next() async throws -> RouteState {
        while true {
            let known = last.withLock { $0 }
            if known != nil {
                try await socket.change()
                try await loop.clock.sleep(for: Self.settling, tolerance: .seconds(1))
                socket.drain()
            }
            let now = try await disk.run {
                RouteState(
                    gateways: KernelRouteTable.gateways(),
                    isMetered: NetworkManager.isMetered()
                )
            }
            last.withLock { $0 = now }
            if now != known { return now }
        }
    }
}

/// Reader of the kernel's tables of routes.
enum KernelRouteTable {
    /// Bytes of a table that are read at most.
    private static let limit = 256 << 10

    /// Returns the gateways of default routes, with their interfaces.
    static func gateways() -> Set<String> {
        var found: Set<String> = []
        for line in lines("/proc/net/route") {
            // Columns: Iface Destination Gateway Flags RefCnt Use Metric Mask …, in hexadecimal.
            guard line.count >= 8, line[1] == "00000000", line[7] == "00000000" else { continue }
            found.insert("\(line[0]) \(line[2])")
        }
        for line in lines("/proc/net/ipv6_route") {
            // Columns: destination, its length, source, its length, next hop, metric, …, device.
            guard line.count >= 10, line[1] == "00", line[9] != "lo",
                line[0].allSatisfy({ $0 == "0" })
            else { continue }
            found.insert("\(line[9]) \(line[4])")
        }
        return found
    }

    private static func lines(_ path: String) -> [[Substring]] {
        let lines = Files.text(path, limit: limit)?.split(separator: "\n") ?? []
        return lines.map { $0.split(whereSeparator: \.isWhitespace) }
    }
}

/// NetworkManager's state of the connection, asked by systemd's `busctl`.
///
/// An own connection to the bus would need libsystemd for one number that is asked only at the
/// start and when a route changes.
enum NetworkManager {
    private static let command =
        "/usr/bin/busctl --system --timeout=4 get-property org.freedesktop.NetworkManager "
        + "/org/freedesktop/NetworkManager org.freedesktop.NetworkManager Metered 2>/dev/null"

    /// Whether the primary connection is paid by volume, or probably; false without NetworkManager.
    ///
    /// - Source: NetworkManager D-Bus reference, `NMMetered`: 1 yes, 3 probably yes.
    static func isMetered() -> Bool {
        // The program ends by itself after four seconds.
        guard let pipe = popen(command, "re") else { return false }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = fread(&buffer, 1, buffer.count, pipe)
        guard pclose(pipe) == 0 else { return false }
        let words = String(decoding: buffer[..<count], as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        return words == ["u", "1"] || words == ["u", "3"]
    }
}
