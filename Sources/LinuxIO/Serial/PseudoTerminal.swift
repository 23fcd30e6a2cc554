import CLinux
import Core
import FileIO
import Glibc
import HardwareIO
import Synchronization

/// A simulated device on a real pseudo-terminal, which any serial program can open.
///
/// Clients come and go: the slave side is held open, so that the master never hangs up, and inotify
/// reports when it is opened and closed. Without a client the device's output is dropped, as a UART
/// drops it; with one that does not read, what exceeds the kernel's buffer is dropped. What the
/// last client left behind (unread bytes, exclusiveness) is cleared when it closes.
///
/// Bound of what is known: inotify merges equal events that follow each other unread, so of two
/// clients that open in the same instant one counts; bytes from a client count it in again.
package final class PseudoTerminal: Sendable {
    private struct State {
        var ends: Ends?
        var clientCount = 0
    }

    private struct Ends {
        let master: OwnedDescriptor
        let slave: OwnedDescriptor
        let observer: OwnedDescriptor
    }

    private static let chunk = 512

    /// Path of the slave, such as `/dev/pts/3`.
    package let path: String
    /// Path of the symbolic link to it, if asked for.
    package let link: String?
    /// The only rate at which the device is understood; nil is any.
    private let baud: Int?
    private let trace: OwnedDescriptor?
    private let loop: EventLoop
    private let input: Watched
    private let clients: Watched
    private let state: Mutex<State>
    /// Raised when `clientCount` may have changed; for tests.
    let clientChange = Signal()

    /// Opens a pseudo-terminal, raw from the start.
    ///
    /// - Parameters:
    ///   - link: Where to put a symbolic link; a link that is there is replaced, a file is not.
    ///   - trace: File to append to, a line per transfer: seconds, `>` to the device or `<` from
    ///     it, bytes in hex.
    ///   - baud: The device's rate: a client at another hears and says noise, as on a real line.
    ///   - loop: The loop that hosts the device.
    package init(
        link: String? = nil,
        trace: String? = nil,
        baud: Int? = nil,
        on loop: EventLoop
    ) throws(LinuxError) {
        let (path, ends) = try Self.openEnds()
        self.path = path
        state = Mutex(State(ends: ends))
        self.trace = try trace.map { file throws(LinuxError) in
            OwnedDescriptor(
                try check("open", path: file) {
                    open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
                }
            )
        }
        self.loop = loop
        self.link = link
        self.baud = baud
        input = try loop.register(ends.master.raw)
        clients = try loop.register(ends.observer.raw)
        if let link { try Self.place(link, to: path) }
    }

    deinit { close() }

    /// How many clients have the slave open, as far as inotify reports it.
    var clientCount: Int { state.withLock { $0.clientCount } }

    /// Runs `peer` at the far end until cancelled, or until `close()`.
    ///
    /// - Throws: `LinuxError`; `CancellationError`.
    package func run(_ peer: some SerialPeer) async throws {
        let hosted = Hosted(peer)
        do {
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await self.serve(hosted) }
                group.addTask { try await self.drive(hosted) }
                group.addTask { try await self.followClients() }
            }
        } catch LinuxError.closed {
            return
        }
    }

    /// Pulls the plug: clients see a hang-up, the link is removed.
    ///
    /// Safe to call twice.
    package func close() {
        let ends = state.withLock { $0.ends.take() }
        guard ends != nil else { return }  // Held until both are out of the loop.
        input.close()
        clients.close()
        if let link, Files.target(of: link) == path { unlink(link) }
    }

    /// Bytes from the client to the device, and its answers.
    private func serve(_ hosted: Hosted) async throws {
        while !Task.isCancelled {
            let bytes = try receive()
            guard !bytes.isEmpty else {
                _ = try await input.readable()
                continue
            }
            // These bytes have a sender, so a client is connected: its opening is not read yet, or
            // merged.
            if clientCount == 0 { try countClients() }
            state.withLock { $0.clientCount = max($0.clientCount, 1) }
            trace(">", bytes)
            // Framing errors: nothing of it is a command.
            guard isAtItsRate else { continue }
            send(hosted.receive(bytes, at: loop.clock.now))
        }
    }

    /// Sends the bytes that the device sends unasked.
    private func drive(_ hosted: Hosted) async throws {
        while !Task.isCancelled {
            send(hosted.advance(to: loop.clock.now))
            // Bytes from the client may change what comes next, so both end the wait.
            _ = try await loop.clock.wait(
                for: hosted.change,
                until: hosted.nextActivity,
                tolerance: .zero
            )
        }
    }

    private func followClients() async throws {
        while !Task.isCancelled {
            try countClients()
            _ = try await clients.readable()
        }
    }

    /// Reads all events of inotify.
    private func countClients() throws(LinuxError) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(try ends().observer.raw, &buffer, buffer.count)
            guard count > 0 else { return }
            let before = clientCount
            for mask in InotifyEvent.all(in: buffer.prefix(count)).map(\.mask) {
                state.withLock { state in
                    if mask & UInt32(IN_OPEN) != 0 { state.clientCount += 1 }
                    if mask & UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) != 0 {
                        state.clientCount = max(state.clientCount - 1, 0)
                    }
                }
            }
            if before > 0, clientCount == 0 { try forgetClient() }
            clientChange.raise()
        }
    }

    /// Leaves the line as a new client expects it.
    private func forgetClient() throws(LinuxError) {
        let slave = try ends().slave.raw
        tcflush(slave, TCIFLUSH)
        _ = clinux_ioctl(slave, clinux_TIOCNXCL, nil)
    }

    private func ends() throws(LinuxError) -> Ends {
        guard let ends = state.withLock({ $0.ends }) else { throw .closed }
        return ends
    }

    private func receive() throws(LinuxError) -> [UInt8] {
        let master = try ends().master
        var received = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, count in
            received = read(master.raw, buffer.baseAddress, Self.chunk)
            count = max(received, 0)
        }
        guard received >= 0 || errno == EAGAIN || errno == EINTR else {
            throw .system(call: "read", errno: errno, path: path)
        }
        return bytes
    }

    private func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        trace("<", bytes)
        guard clientCount > 0, let master = try? ends().master else { return }
        let heard = isAtItsRate ? bytes : bytes.map { $0 & 0x98 | 0x80 }
        // Bytes that the kernel does not accept are lost, as in a UART.
        _ = write(master.raw, heard, heard.count)
    }

    /// Whether a client understands the device.
    private var isAtItsRate: Bool {
        guard let baud, let slave = try? ends().slave else { return true }
        return clinux_serial_speed(slave.raw) == UInt32(baud)
    }

    private func trace(_ direction: String, _ bytes: [UInt8]) {
        guard let trace else { return }
        let hex = bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        let line = "\(loop.clock.now) \(direction) \(hex.joined(separator: " "))\n"
        var text = line
        text.withUTF8 { _ = write(trace.raw, $0.baseAddress, $0.count) }
    }
}

/// The device while it is hosted: the peer, and a call when what it will do next may have changed.
private final class Hosted: Sendable {
    private let peer: Mutex<any SerialPeer>
    let change = Signal()

    init(_ peer: some SerialPeer) { self.peer = Mutex(peer) }

    var nextActivity: MonotonicInstant? { peer.withLock { $0.nextActivity } }

    func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        let (answer, isChanged) = peer.withLock { peer in
            let before = peer.nextActivity
            let answer = peer.receive(bytes, at: now)
            return (answer, peer.nextActivity != before)
        }
        if isChanged { change.raise() }
        return answer
    }

    func advance(to now: MonotonicInstant) -> [UInt8] {
        peer.withLock { peer in
            guard let next = peer.nextActivity, next <= now else { return [] }
            return peer.advance(to: now)
        }
    }
}

// MARK: - Opening

extension PseudoTerminal {
    private static func openEnds() throws(LinuxError) -> (path: String, ends: Ends) {
        let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        let ptmx = "/dev/ptmx"
        let master = OwnedDescriptor(try check("open", path: ptmx) { open(ptmx, flags) })
        let number = try check("TIOCGPTN", path: ptmx) { clinux_pty_number(master.raw) }
        let path = "/dev/pts/\(number)"
        let slave = OwnedDescriptor(try check("open", path: path) { open(path, flags) })
        try check("TCSETS2", path: path) { clinux_terminal_raw(slave.raw) }
        // Watched only from here on, so that our own opening does not count.
        let observer = OwnedDescriptor(
            try check("inotify_init1") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
        )
        try check("inotify_add_watch", path: path) {
            inotify_add_watch(
                observer.raw,
                path,
                UInt32(IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE)
            )
        }
        return (path, Ends(master: master, slave: slave, observer: observer))
    }

    /// Puts the link in place in one step, so that it is never missing.
    private static func place(_ link: String, to path: String) throws(LinuxError) {
        var status = stat()
        if lstat(link, &status) == 0, status.st_mode & S_IFMT != S_IFLNK {
            throw .system(call: "symlink", errno: EEXIST, path: link)
        }
        let temporary = "\(link).\(getpid())"
        unlink(temporary)
        try check("symlink", path: link) { symlink(path, temporary) }
        try check("rename", path: link) { rename(temporary, link) }
    }
}
