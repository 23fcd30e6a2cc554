import CMosquitto
import Glibc
import RoostCourier

/// Sees that a broker sends no packet that the station has no memory for: libmosquitto takes up to
/// 256 MiB, and any client of the broker can leave one on a topic that is heard.
///
/// A broker of MQTT 5 gets `packetMax` in the CONNECT and keeps larger ones to itself; one of 3.1.1
/// does not. So the bytes that the kernel got since a packet was whole are compared with it.
struct PacketSizes {
    /// Bytes of a packet; Home Assistant's words and our announcement have less than 64 KiB.
    static let packetMax = 256 << 10
    /// Bytes that wait in the kernel: libmosquitto reads until nothing does, and only then is the
    /// size looked at.
    private static let roomMax = 64 << 10

    private var wholeCount: UInt64 = 0

    /// Bounds what waits at a socket.
    static func bound(_ descriptor: Int32) {
        var room = Int32(roomMax)
        // A kernel that refuses leaves its own bound, some MiB.
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    }

    /// A packet came to its end.
    mutating func end(at descriptor: Int32) {
        wholeCount = cmosquitto_received_count(descriptor)
    }

    /// Returns the failure for a packet that is too large; nil while none is.
    func excess(at descriptor: Int32, of name: String) -> NetworkFailure? {
        let limit = wholeCount + UInt64(Self.packetMax + Self.roomMax)
        guard cmosquitto_received_count(descriptor) > limit else { return nil }
        let words = "\(name) sends a message of more than \(Self.packetMax >> 10) KiB"
        return NetworkFailure(.malformed, words)
    }
}
