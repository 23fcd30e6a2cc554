import CMosquitto
import Glibc
import RoostCourier

/// Detects packets that are too large for the station's memory.
///
/// libmosquitto accepts up to 256 MiB, and any client of the broker can retain one on a topic that
/// is subscribed to.
///
/// A broker of MQTT 5 gets `packetMax` in the CONNECT and sends nothing larger; MQTT 3.1.1 has no
/// such limit. So the bytes that the kernel received since the last whole packet are compared with
/// it.
struct PacketSizes {
    /// Bytes of a packet; Home Assistant's messages and our announcement have less than 64 KiB.
    static let packetMax = 256 << 10
    /// Bytes that may wait in the kernel: libmosquitto reads them before the size is checked.
    private static let roomMax = 64 << 10

    private var wholeCount: UInt64 = 0

    /// Limits the bytes that wait at a socket.
    static func bound(_ descriptor: Int32) {
        var room = Int32(roomMax)
        // If the kernel refuses, its own limit of some MiB holds.
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Records the end of a packet.
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
