import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct LocalUsersTests {
    @Test func tellsTheServicesOfOneGroupApart() {
        let numbers: [String: UInt32] = [
            "roost": 208, "roost-web": 210, "roost-courier": 212, "roost-eyes": 214,
        ]
        let users = LocalUsers(own: 210) { numbers[$0] }
        let wanted: [(UInt32, LocalUser)] = [
            (0, .root), (210, .root), (208, .station), (212, .courier), (214, .camera),
            (1_000, .person), (65_534, .unknown),
        ]
        for (number, user) in wanted {
            let peer = PeerCredentials(processID: 1, userID: number, groupID: 209)
            #expect(users.user(peer) == user)
            #expect(LocalUsers().user(peer) == .root)
        }
        #expect(users.user(nil) == .root)
        let other = LocalUsers(own: 208) { numbers[$0] }
        let dashboard = PeerCredentials(processID: 1, userID: 210, groupID: 209)
        #expect(other.user(dashboard) == .dashboard)
    }

    /// Uses the credentials that the kernel reports for a real connection.
    @Test func aStreamOfAnotherUserIsClosed() throws {
        let folder = try TestFolder()
        // This process plays the courier; another number plays the process that listens.
        let users = LocalUsers(own: 4_000_000) { $0 == "roost-courier" ? geteuid() : nil }
        let listener = try LocalStreamListener(path: folder.path("s"), users: users)
        let loop = try EventLoop()
        let client = try LocalSocket.connect(path: folder.path("s"), on: loop)
        #expect(listener.accept(from: [.root, .person]) == nil)
        client.close()
        let second = try LocalSocket.connect(path: folder.path("s"), on: loop)
        defer { second.close() }
        let taken = try #require(listener.accept(from: [.courier]))
        close(taken)
    }
}
