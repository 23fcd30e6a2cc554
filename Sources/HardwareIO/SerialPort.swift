import Core

/// How to open a serial line; always eight data bits, no parity, one stop bit, no flow control.
package struct SerialSettings: Hashable, Sendable {
    /// Baud, one of 9 600, 19 200, 38 400, 57 600, 115 200.
    package let baud: Int

    package init(baud: Int) { self.baud = baud }
}

/// One open serial line, held exclusively; or a connection that stands in for one.
///
/// DTR and RTS are never touched: an Arduino or a printer behind the same kind of adapter resets on
/// DTR. One task reads at a time.
package protocol SerialPort: Sendable {
    /// Reads what has arrived, waiting for `count` bytes or the deadline.
    ///
    /// `count` is a hint that saves wake-ups: fewer bytes may come back at any time.
    ///
    /// - Parameters:
    ///   - count: Bytes that complete what is awaited, 1…255.
    /// - Returns: At least one byte, or nil when the deadline passed with nothing.
    /// - Throws: `SerialError.disconnected`; `CancellationError`.
    func read(atLeast count: Int, until deadline: MonotonicInstant) async throws -> [UInt8]?

    /// Hands what arrives to `receiver` until it waits no longer, or its time is up.
    ///
    /// A port of the loop calls it in the dispatch of `epoll_wait`, before any task is resumed, so
    /// that a light does not wait for one. It is called from here alone, and not after the end.
    ///
    /// - Parameters:
    ///   - receiver: Gets the bytes, and says what to wait for after them.
    ///   - first: The first wait.
    /// - Returns: true when the receiver waits no longer; false when the deadline of the last wait
    ///   passed.
    /// - Throws: As the other `read`.
    func read(into receiver: any SerialReceiver, _ first: SerialWait) async throws -> Bool

    /// Queues bytes for sending, at once when the line accepts them. Bound: 4 KiB wait at most.
    ///
    /// - Throws: `SerialError.disconnected`, `.backlog`.
    func write(_ bytes: [UInt8]) throws(SerialError)

    /// Throws away what has arrived and was not read.
    func discardInput() throws(SerialError)

    /// Releases the line. Safe to call twice; a waiting read throws `disconnected`.
    func close()
}

/// Bytes or deadline that a reader of a serial line waits for.
package struct SerialWait: Hashable, Sendable {
    /// Bytes that complete what is awaited, 1…255: a hint, as of `SerialPort.read`.
    package let count: Int
    /// Instant at which the wait ends.
    package let deadline: MonotonicInstant

    package init(count: Int, until deadline: MonotonicInstant) {
        (self.count, self.deadline) = (count, deadline)
    }
}

/// Handles bytes in the moment in which they arrive.
package protocol SerialReceiver: AnyObject, Sendable {
    /// Must be quick and never wait. It may write to its port and discard the port's input.
    ///
    /// - Parameter bytes: In stream order, not empty.
    /// - Returns: The next wait; nil ends the reading.
    func receive(_ bytes: Span<UInt8>) -> SerialWait?
}

extension SerialPort {
    /// In the reader's own task: for ports that are not dispatched by a loop.
    package func read(
        into receiver: any SerialReceiver,
        _ first: SerialWait
    ) async throws -> Bool {
        var wait = first
        while true {
            let arrived = try await read(atLeast: wait.count, until: wait.deadline)
            guard let bytes = arrived else { return false }
            guard let next = receiver.receive(bytes.span) else { return true }
            wait = next
        }
    }
}

/// Failures of a serial line.
///
/// Each names the path and what the next step needs.
package enum SerialError: Error, Hashable, Sendable {
    /// No such file.
    case absent(path: String)
    /// Not a serial line: a file, a directory, another kind of device.
    case notASerialLine(path: String)
    /// Another process has opened it; named when the kernel reports its id.
    case busy(path: String, holder: String?)
    /// No permission: who owns it and what to do.
    case noPermission(path: String, owner: String, group: String, mode: String)
    /// The device went away: EIO, ENXIO, hang-up, end of file.
    case disconnected(path: String)
    /// The other side accepts nothing: 4 KiB wait.
    case backlog(path: String)
    /// No gpsd listens at the address, or none answers.
    case noServer(path: String)
    /// An earlier reading of a part on a bus has not come back.
    case hanging(path: String)
    /// Each exchange with a part on I²C ends with a time-out, also after it was opened anew.
    case stuck(path: String)
    /// A connection sends more than any receiver does.
    case flooded(path: String)
    /// Not one of the rates above.
    case unsupportedBaud(Int)
    /// Any other failure of a system call.
    case system(call: String, errno: Int32, path: String)
}

/// A device at the far end of a serial line, as a pure value: what it answers and when it speaks.
///
/// The same value runs in memory under simulated time and on a real pseudo-terminal.
package protocol SerialPeer: Sendable {
    /// Handles bytes that the host sent at `now`; returns what the device answers at once.
    mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8]

    /// When the device will next do something by itself, or nil for never.
    var nextActivity: MonotonicInstant? { get }

    /// Does everything due by `now`; returns what the device sends.
    mutating func advance(to now: MonotonicInstant) -> [UInt8]
}

extension SerialError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .absent(let path): "\(path): no such port; plug the sensor in, or correct `port`"
        case .notASerialLine(let path):
            "\(path): not a serial line; name a tty such as /dev/ttyUSB0"
        case .busy(let path, let holder):
            "\(path): in use by \(holder ?? "another program"); stop it, or give Roost another port"
        case .noPermission(let path, let owner, let group, let mode):
            "\(path): no permission (owner \(owner), group \(group), mode \(mode)); "
                + "run `sudo usermod -aG \(group) USER` and log in again"
        case .disconnected(let path): "\(path): disconnected"
        case .backlog(let path): "\(path): accepts nothing, 4 KiB wait to be sent"
        case .noServer(let path):
            "\(path): no gpsd answers; start it (sudo systemctl start gpsd), or correct `port`"
        case .hanging(let path):
            "\(path): a reading has not come back, so its bus hangs; look at the wires, or take "
                + "the power from the parts for a moment"
        case .stuck(let path):
            "\(path): each exchange ends with a time-out, so its bus hangs, or the part holds it; "
                + "look at the wires, or take the power from the parts for a moment"
        case .flooded(let path):
            "\(path): sends more than 64 KiB a second, as no receiver does; correct `port`"
        case .unsupportedBaud(let baud):
            "\(baud) baud is not one of 9600, 19200, 38400, 57600, 115200"
        case .system(let call, let errno, let path): "\(path): \(call) failed with errno \(errno)"
        }
    }
}
