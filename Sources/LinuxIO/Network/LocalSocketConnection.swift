import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization

/// One connection of the control socket, either side.
final class LocalSocketConnection: LineConnection {
    /// Bytes of a line from a client; a longer one ends the connection.
    static let requestMax = 64 * 1_024
    /// Bytes waiting to be sent; a peer that lets more wait loses the connection.
    ///
    /// So the station sends no longer line, and its clients take one of this length: the status of
    /// 128 channels is longer than 64 KiB.
    static let outgoingMax = 256 * 1_024
    private static let chunk = 4_096

    /// Hands bytes to the kernel; a test puts something else in its place.
    typealias Transmit = @Sendable (_ descriptor: Int32, _ bytes: [UInt8]) -> Int

    private struct State {
        var descriptor: OwnedDescriptor?
        /// Arrived and not handed out: at most one line and one chunk.
        var arrived: [UInt8] = []
        /// How much of it is known to hold no newline.
        var searched = 0
        var outgoing: [UInt8] = []
        var isAtEnd = false
    }

    let peer: PeerCredentials?
    private let path: String
    private let lineMax: Int
    private let watched: Watched
    private let state: Mutex<State>
    private let transmit: Transmit

    init(
        _ descriptor: OwnedDescriptor,
        path: String,
        on loop: EventLoop,
        lineMax: Int = requestMax,
        transmit: @escaping Transmit = { Glibc.send($0, $1, $1.count, Int32(MSG_NOSIGNAL)) }
    ) throws(LocalSocketError) {
        guard let peer = PeerCredentials(of: descriptor.raw) else {
            throw .system(call: "SO_PEERCRED", errno: errno, path: path)
        }
        self.peer = peer
        watched = try LocalSocket.register(descriptor, path: path, on: loop)
        (self.path, self.transmit, self.lineMax) = (path, transmit, lineMax)
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { close() }

    func nextLine() async throws -> String? {
        while true {
            try Task.checkCancellation()
            switch try state.withLock({ state throws(LocalSocketError) in try step(&state) }) {
            case .line(let line): return line
            case .end: return nil
            case .more: continue
            case .wait:
                do { _ = try await watched.readable() } catch LinuxError.closed { return nil }
            }
        }
    }

    func send(_ line: String) throws(LocalSocketError) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        let mustWait = try state.withLock { (state) throws(LocalSocketError) in
            guard state.descriptor != nil else { throw .closed }
            let isWaiting = !state.outgoing.isEmpty
            state.outgoing += bytes
            if !isWaiting { try flush(&state) }
            return state.outgoing.isEmpty ? 0 : state.outgoing.count
        }
        guard mustWait <= Self.outgoingMax else {
            close()
            throw .tooSlow(byteCount: mustWait)
        }
        if mustWait > 0 { sendLater() }
    }

    func close() {
        watched.close()
        state.withLock { state in
            try? flush(&state)
            state.outgoing.removeAll()
            state.descriptor = nil
        }
    }

    private enum Step {
        case line(String)
        case end
        case more
        case wait
    }

    private func step(_ state: inout State) throws(LocalSocketError) -> Step {
        if let newline = state.arrived[state.searched...].firstIndex(of: UInt8(ascii: "\n")) {
            guard newline <= lineMax else { throw .lineTooLong(byteCount: lineMax) }
            let line = String(decoding: state.arrived[..<newline], as: UTF8.self)
            state.arrived.removeFirst(newline + 1)
            state.searched = 0
            return .line(line)
        }
        state.searched = state.arrived.count
        guard state.arrived.count <= lineMax else {
            throw .lineTooLong(byteCount: lineMax)
        }
        guard let descriptor = state.descriptor, !state.isAtEnd else { return .end }
        var received = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, count in
            received = recv(descriptor.raw, buffer.baseAddress, Self.chunk, 0)
            count = max(received, 0)
        }
        if received > 0 {
            state.arrived += bytes
            return .more
        }
        switch received == 0 ? 0 : errno {
        case EAGAIN: return .wait
        case EINTR: return .more
        case 0, ECONNRESET:
            state.isAtEnd = true  // Half a line without its newline is not a line.
            return .end
        default: throw .system(call: "recv", errno: errno, path: path)
        }
    }

    private func flush(_ state: inout State) throws(LocalSocketError) {
        guard let descriptor = state.descriptor, !state.outgoing.isEmpty else { return }
        let sent = transmit(descriptor.raw, state.outgoing)
        guard sent < 0 else { return state.outgoing.removeFirst(sent) }
        switch errno {
        case EAGAIN, EINTR: return
        case EPIPE, ECONNRESET:
            state.outgoing.removeAll()
            throw .closed
        default:
            let code = errno
            state.outgoing.removeAll()
            throw .system(call: "send", errno: code, path: path)
        }
    }

    /// Sends the rest when the peer reads; a connection that cannot send is closed.
    private func sendLater() {
        // A connection that was closed meanwhile has nothing left to send.
        try? watched.onceWritable { [weak self] in
            guard let self else { return }
            do throws(LocalSocketError) {
                let isWaiting = try state.withLock { state throws(LocalSocketError) in
                    try flush(&state)
                    return !state.outgoing.isEmpty
                }
                if isWaiting { sendLater() }
            } catch {
                // `epoll` would report room again at once, in an endless loop.
                close()
            }
        }
    }
}

extension PeerCredentials {
    /// Reads the credentials of a connection's other end; nil where the kernel reports none.
    init?(of descriptor: Int32) {
        var (process, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
        guard clinux_unix_peer(descriptor, &process, &user, &group) == 0 else { return nil }
        self.init(processID: process, userID: user, groupID: group)
    }
}

extension LocalUsers {
    /// The users of this computer, seen by this process.
    package static var ofSystem: LocalUsers {
        LocalUsers(own: geteuid()) { name in getpwnam(name).map { $0.pointee.pw_uid } }
    }
}
