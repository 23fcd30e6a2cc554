import Core
import Glibc
import TestSupport
import Testing

@testable import RoostCourier

/// A mosquitto for tests, on a free port of loopback, with its own folder.
final class MosquittoServer {
    static let path = "/usr/sbin/mosquitto"
    /// Whether mosquitto is installed; the tests against it are skipped without it.
    static var isThere: Bool { Glibc.access(path, X_OK) == 0 }

    let port: Int
    private let folder: TestFolder
    private var process: pid_t = 0
    private let accessList: String

    /// Starts the broker, and returns once it listens.
    ///
    /// - Parameter access: Lines of an access control list; empty allows all.
    /// - Throws: When it cannot be started.
    init(access: String = "") throws {
        folder = try TestFolder()
        port = try Self.freePort()
        accessList = access
        try start()
    }

    deinit { kill() }

    /// Restarts the broker without its memory.
    func start() throws {
        var lines = "listener \(port) 127.0.0.1\nallow_anonymous true\npersistence false\n"
        if !accessList.isEmpty {
            try write(accessList, "acl")
            lines += "acl_file \(folder.path("acl"))\n"
        }
        // As root, it would become a user that cannot read the folder.
        lines += "user root\n"
        try write(lines, "conf")
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        // A server that another test starts must not keep this pipe open.
        for end in ends { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let words = [Self.path, "-v", "-c", folder.path("conf")]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        try #require(posix_spawn(&process, Self.path, &actions, nil, &arguments, nil) == 0)
        close(ends[1])
        defer { close(ends[0]) }
        var log: [UInt8] = []
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1 {
            log.append(byte)
            if log.suffix(8) == Array(" running".utf8)[...] { return }
        }
        Issue.record("mosquitto does not start: \(String(decoding: log, as: UTF8.self))")
    }

    /// Kills the broker, as a power cut does.
    func kill() {
        guard process > 0 else { return }
        Glibc.kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        process = 0
    }

    func settings(_ clientID: String) -> BrokerSettings {
        BrokerSettings(host: "127.0.0.1", port: port, isEncrypted: false, clientID: clientID)
    }

    private func write(_ text: String, _ name: String) throws {
        let file = try #require(fopen(folder.path(name), "w"))
        fputs(text, file)
        fclose(file)
    }

    private static func freePort() throws -> Int {
        let server = try LocalServer { _ in }
        server.stop()
        return server.port
    }
}
