import ArgumentParser
import Backup
import ClientSupport
import ControlProtocol
import Glibc
import HardwareIO
import LinuxIO

/// Where the programs of a station listen, for a backup of them all.
struct BackupOptions: ParsableArguments {
    /// An encrypted file of another program may need 256 MiB to open.
    static let logCostMax = 18

    @Option(help: "A file whose first line is the passphrase; else it is asked for, or piped.")
    var passphraseFile: String?

    @Option(help: "The station's control socket (or the environment variable ROOST_SOCKET).")
    var socket: String?

    @Option(help: "The courier's socket.")
    var courierSocket = StandardSocket.courier

    @Option(help: "The dashboard's claim socket.")
    var claimSocket = "/run/roost-web/claim.sock"

    @Option(help: "The socket of roost-eyes.")
    var cameraSocket = StandardSocket.camera

    @Flag(help: "Print JSON instead of words.")
    var json = false

    /// Reads the passphrase; never from the command line, which every user can read.
    ///
    /// - Parameter isNew: Whether a person types it twice: a typing error would close the file for
    ///   ever.
    func passphrase(isNew: Bool = false) throws -> String {
        guard let passphraseFile else {
            let text = try HiddenText.read("The passphrase, which is not shown: ")
            guard isNew, isatty(0) == 1 else { return text }
            guard try HiddenText.read("The same again: ") == text else {
                throw ClientFailure(message: "the two passphrases differ", exitCode: 1)
            }
            return text
        }
        let bytes = try FileBytes.read(passphraseFile, limit: HiddenText.byteLimit)
        let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first
        guard let text else {
            throw ClientFailure(message: "\(passphraseFile): no passphrase there", exitCode: 1)
        }
        return String(text)
    }

    /// Asks the programs that listen; one that is not installed has no socket.
    func withStation<Value: Sendable>(
        _ body: @escaping @Sendable (StationBackup) async throws -> Value
    ) throws -> Value {
        let others: [BackupOwner: String] = [
            .courier: courierSocket, .dashboard: claimSocket, .camera: cameraSocket,
        ]
        return try Self.with(station: socket, others, body)
    }

    /// Asks a station, and those of other programs that listen.
    ///
    /// - Parameter socket: The station's; nil for the usual one.
    static func with<Value: Sendable>(
        station socket: String?,
        _ others: [BackupOwner: String],
        _ body: @escaping @Sendable (StationBackup) async throws -> Value
    ) throws -> Value {
        let station = try ClientOptions.reaching(socket).socketPath
        var paths = others.filter { access($0.value, F_OK) == 0 }
        paths[.station] = station
        let used = paths
        let loop = try EventLoop()
        do {
            return try loop.run {
                let clients = used.mapValues { SocketClient(path: $0, on: loop) }
                return try await body(StationBackup(clients))
            }
        } catch let error as LocalSocketError {
            throw ClientFailure.unreachable(for: error, path: station)
        } catch let failure as ControlFailure {
            throw ClientFailure(message: failure.message, exitCode: failure.code.exitCode)
        }
    }
}
