import Glibc
import HardwareIO
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The socket that `roost claim` connects to: its mode and the user who asks prove nearness.
///
/// Mode 0660 and the group `roost`, by systemd or here. The services are in that group, too, and
/// are refused by the user id that the kernel gives. One request line, one answer, then it closes.
package struct ClaimSocket: Sendable {
    package enum Place: Hashable, Sendable {
        /// Opened by systemd.
        case inherited(CInt)
        case path(String)
    }

    /// Connections at the same time; bytes of one request.
    private static let countMax = 4
    private static let lineMax = 64 << 10
    private static let patience = TimeAmount.seconds(10)

    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let place: Place
    private let codes: ClaimCodes
    /// User ids of this computer.
    var users = LocalUsers(own: geteuid()) { name in getpwnam(name).map { $0.pointee.pw_uid } }
    private let loop: any EventLoop
    private let logger: Logger

    /// - Parameters:
    ///   - addresses: Of the page, for people to type.
    ///   - encryption: Whose authority's fingerprint is said; nil where nothing is encrypted.
    package init(
        _ place: Place,
        _ accounts: Accounts,
        addresses: [String],
        encryption: Encryption?,
        on loop: any EventLoop,
        logger: Logger
    ) {
        self.place = place
        codes = ClaimCodes(accounts: accounts, addresses: addresses) {
            encryption?.facts.fingerprint
        }
        self.loop = loop
        self.logger = logger
    }

    /// Serves until the task is cancelled; a socket that cannot be opened is logged, and the pages
    /// go on without.
    package func run() async {
        do {
            try await serve()
        } catch is CancellationError {
            return
        } catch {
            logger.error("roost claim cannot ask at \(text): \(error); name --claim-socket")
        }
    }

    private var text: String {
        switch place {
        case .inherited(let descriptor): "descriptor \(descriptor)"
        case .path(let path): path
        }
    }

    private func serve() async throws {
        let listener = try await open()
        if !codes.accounts.roster.isClaimed {
            logger.notice("no owner yet: run `roost claim`, it asks at \(text)")
        }
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { inbound in
                for try await connection in inbound {
                    group.addTask { await answer(connection) }
                }
            }
        }
    }

    private func open() async throws -> NIOAsyncChannel<Connection, Never> {
        let open = OpenCount()
        let setup: @Sendable (any Channel) -> EventLoopFuture<Connection> = { channel in
            channel.eventLoop.makeCompletedFuture {
                open.admit(channel, atMost: Self.countMax)
                let closing = channel.eventLoop.scheduleTask(in: Self.patience) {
                    channel.close(promise: nil)
                }
                channel.closeFuture.whenComplete { _ in closing.cancel() }
                return try Connection(wrappingChannelSynchronously: channel)
            }
        }
        let bootstrap = ServerBootstrap(group: loop)
        switch place {
        case .inherited(let descriptor):
            return try await bootstrap.bind(descriptor, childChannelInitializer: setup)
        case .path(let path):
            let listener = try await bootstrap.bind(
                unixDomainSocketPath: path,
                cleanupExistingSocketFile: true,
                childChannelInitializer: setup
            )
            share(path)
            return listener
        }
    }

    /// Until now only this user could connect: the umask removed the others' right to write.
    private func share(_ path: String) {
        guard let group = getgrnam("roost")?.pointee.gr_gid else {
            logger.notice("no group roost here: \(path) is this user's alone")
            return
        }
        guard chown(path, uid_t.max, group) == 0, chmod(path, 0o660) == 0 else {
            let reason = String(cString: strerror(errno))
            logger.warning("\(path) stays this user's alone: \(reason)")
            return
        }
    }

    private func answer(_ connection: Connection) async {
        do {
            let peer = try await Self.peer(connection.channel)
            try await connection.executeThenClose { inbound, outbound in
                var line: [UInt8] = []
                for try await buffer in inbound {
                    line += buffer.readableBytesView
                    guard line.count <= Self.lineMax else { return }
                    guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else { continue }
                    let text = String(decoding: line[..<end], as: UTF8.self)
                    let answer = await codes.answer(text, from: users.user(peer), peer) + "\n"
                    try await outbound.write(ByteBuffer(string: answer))
                    return
                }
            }
        } catch {
            logger.debug("roost claim went away: \(error)")
        }
    }

    /// `struct ucred`, which Swift does not see.
    private struct Credentials {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }

    private static func peer(_ channel: any Channel) async throws -> PeerCredentials {
        guard let options = channel as? any SocketOptionProvider else {
            throw ChannelError.operationUnsupported
        }
        let found: Credentials = try await options.unsafeGetSocketOption(
            level: SocketOptionLevel(SOL_SOCKET),
            name: SocketOptionName(SO_PEERCRED)
        ).get()
        return PeerCredentials(
            processID: found.process,
            userID: found.user,
            groupID: found.group
        )
    }

    /// Connections that are open.
    private final class OpenCount: Sendable {
        private let count = Mutex(0)

        func admit(_ channel: any Channel, atMost limit: Int) {
            let isAdmitted = count.withLock { count in
                count += 1
                return count <= limit
            }
            channel.closeFuture.whenComplete { _ in self.count.withLock { $0 -= 1 } }
            if !isAdmitted { channel.close(promise: nil) }
        }
    }
}
