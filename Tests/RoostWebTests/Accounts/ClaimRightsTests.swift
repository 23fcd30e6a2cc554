import ControlProtocol
import Glibc
import HTTPTypes
import HardwareIO
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import RoostWeb

/// Local users who may own a station: each request × each user, and over a real socket.
@Suite struct ClaimRightsTests {
    @Test(arguments: LocalUser.allCases)
    func peopleMayOwnAndServicesMayNot(user: LocalUser) async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let codes = ClaimCodes(accounts: stage.accounts, addresses: [])
        for request in [ClaimRequest(reset: false), ClaimRequest(reset: true)] {
            let answer = await codes.answer(try ControlCodec.line(request), from: user)
            let isAllowed = [.root, .person].contains(user)
            #expect(answer.contains("forbidden") != isAllowed, "\(answer)")
            let isGone = isAllowed && request.reset
            #expect(await stage.ask(.get, "/me", as: anna).status == (isGone ? 401 : 200))
        }
    }

    /// This process plays a service: the user id that the kernel gives decides.
    @Test(arguments: ["roost", "roost-courier", "roost-eyes", "a person"])
    func theKernelSaysWhoAsks(name: String) async throws {
        let users = LocalUsers(own: 4_000_000) { $0 == name ? geteuid() : nil }
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let path = stage.folder.path("claim.sock")
        var socket = ClaimSocket(
            .inherited(try Self.listen(path)),
            stage.accounts,
            addresses: [],
            encryption: nil,
            on: MultiThreadedEventLoopGroup.singleton.next(),
            logger: RouteStage.logger
        )
        socket.users = users
        let serving = socket
        let answer = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await serving.run() }
            defer { group.cancelAll() }
            return try await Self.ask(path, #"{"reset":true}"#)
        }
        let isAllowed = name == "a person"
        #expect(answer.contains("forbidden") != isAllowed, "\(answer)")
        #expect(await stage.ask(.get, "/me", as: anna).status == (isAllowed ? 401 : 200))
    }

    /// Tests a socket from systemd: a connection waits there before the dashboard listens.
    private static func listen(_ path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && Glibc.listen(descriptor, 4) == 0)
        return descriptor
    }

    private static func ask(_ path: String, _ line: String) async throws -> String {
        let wire = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        return try await wire.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: line + "\n"))
            var text = ""
            for try await part in inbound { text += String(buffer: part) }
            return text
        }
    }
}
