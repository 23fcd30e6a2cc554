import Core
import HardwareIO
import Synchronization

/// A USB adapter with a simulated sensor, which can be plugged into any socket.
///
/// Power comes from USB: the sensor starts anew each time it is plugged in. At another rate
/// than its own it receives and sends only noise.
package final class SimulatedAdapter: Sendable {
    private struct State {
        var line: SimulatedSerialPort<SensorPeer>?
        var openCount = 0
        var heard = 0
        /// Whether the port was opened since the adapter was last plugged in.
        var isHeld = false
        var stay = 0
        var isHanging = false
    }

    /// Name for messages.
    package let label: String
    package let usb: (vendorID: String, productID: String)
    package let serial: String?
    package let baud: Int
    private let clock: any NodeClock
    private let makePart: @Sendable (MonotonicInstant) -> any SerialPeer
    private let state = Mutex(State())

    /// An adapter that is not plugged in.
    ///
    /// - Parameters:
    ///   - serial: The adapter's serial number, when it has one.
    ///   - baud: The rate of the part.
    ///   - part: Makes what is behind it, powered at an instant.
    package init(
        _ label: String,
        usb: (vendorID: String, productID: String) = ("1a86", "7523"),
        serial: String? = nil,
        baud: Int = 9_600,
        clock: any NodeClock,
        part: @escaping @Sendable (MonotonicInstant) -> any SerialPeer
    ) {
        (self.label, self.usb, self.serial) = (label, usb, serial)
        (self.baud, self.clock, makePart) = (baud, clock, part)
    }

    /// Bytes that the host has sent to it since it was made.
    package var heardByteCount: Int {
        state.withLock { $0.heard + ($0.line?.heardByteCount ?? 0) }
    }

    /// Ports open on it now, those of earlier stays among them.
    var openCount: Int { state.withLock { $0.openCount } }
    package var isPlugged: Bool { state.withLock { $0.line != nil } }

    /// Lets a part's bus hang, or ends that: no reading comes back, and no port of it opens.
    package func hang(_ isHanging: Bool) {
        let line = state.withLock { state in
            state.isHanging = isHanging
            return state.line
        }
        line?.withPeer { peer, _ in peer.isHanging = isHanging }
    }

    func plug(at path: String) {
        let now = clock.now
        state.withLock { state in
            (state.stay, state.isHeld) = (state.stay + 1, false)
            var peer = SensorPeer(part: makePart(now))
            peer.isHanging = state.isHanging
            state.line = SimulatedSerialPort(peer, clock: clock, path: path)
        }
    }

    func unplug() {
        state.withLock { state in
            state.heard += state.line?.heardByteCount ?? 0
            state.line?.unplug()
            state.line = nil
        }
    }

    func open(_ path: String, baud: Int) throws(SerialError) -> any SerialPort {
        let (line, stay, isHeld, isHanging) = state.withLock { state in
            defer {
                if state.line != nil, !state.isHeld, !state.isHanging {
                    (state.openCount, state.isHeld) = (state.openCount + 1, true)
                }
            }
            return (state.line, state.stay, state.isHeld, state.isHanging)
        }
        guard let line else { throw .absent(path: path) }
        guard !isHanging else { throw .hanging(path: path) }
        guard !isHeld else { throw .busy(path: path, holder: "this station") }
        line.reopen()
        line.withPeer { peer, _ in peer.isRightBaud = baud == self.baud }
        return OpenPort(line: line) { [weak self] in
            self?.state.withLock { state in
                state.openCount -= 1
                if state.stay == stay { state.isHeld = false }
            }
        }
    }
}

/// A simulated sensor behind an adapter, heard through a line at the right rate or another.
package struct SensorPeer: SerialPeer {
    package var part: any SerialPeer
    var isRightBaud = true
    var isHanging = false
    var heardByteCount = 0

    package var nextActivity: MonotonicInstant? { part.nextActivity }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        heardByteCount += bytes.count
        guard !isHanging else { return [] }
        // Framing errors: nothing of it is a command.
        return isRightBaud ? part.receive(bytes, at: now) : advance(to: now)
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        let bytes = part.advance(to: now)
        return isRightBaud ? bytes : bytes.map { $0 & 0x98 | 0x80 }
    }
}

/// One opening of a line, counted until it is closed.
private final class OpenPort: SerialPort {
    private let line: SimulatedSerialPort<SensorPeer>
    private let onClose: Mutex<(@Sendable () -> Void)?>

    init(line: SimulatedSerialPort<SensorPeer>, onClose: @escaping @Sendable () -> Void) {
        self.line = line
        self.onClose = Mutex(onClose)
    }

    func read(atLeast count: Int, until deadline: MonotonicInstant) async throws -> [UInt8]? {
        try await line.read(atLeast: count, until: deadline)
    }

    func write(_ bytes: [UInt8]) throws(SerialError) { try line.write(bytes) }
    func discardInput() throws(SerialError) { try line.discardInput() }

    func close() {
        let onClose = onClose.withLock { onClose in
            defer { onClose = nil }
            return onClose
        }
        guard let onClose else { return }
        line.close()
        onClose()
    }
}

extension SimulatedSerialPort<SensorPeer> {
    fileprivate var heardByteCount: Int { withPeer { peer, _ in peer.heardByteCount } }
}
