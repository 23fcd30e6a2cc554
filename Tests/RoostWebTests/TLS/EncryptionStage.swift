import FileIO
import Logging
import Synchronization
import TestSupport

@testable import RoostWeb

/// A station's encryption in a folder of its own, with a clock that only the test moves.
final class EncryptionStage: Sendable {
    static let start: Int64 = 1_900_000_000

    let folder: TestFolder
    let seconds = Mutex(start)
    let isTrusted = Mutex(false)
    let log = LogLines()

    init() throws { folder = try TestFolder(isInMemory: true) }

    var clock: WebClock {
        WebClock(boot: "b", uptime: { 0 }, seconds: { self.seconds.withLock { $0 } })
    }

    /// A process that starts on this folder.
    func encryption(
        names: [String] = ["balcony"],
        own: OwnCertificate.Place? = nil
    ) -> Encryption {
        let settings = Encryption.Settings(
            folder: folder.path,
            station: "balcony",
            names: names,
            own: own
        )
        return Encryption(
            settings,
            clock: clock,
            trusted: {
                self.isTrusted.withLock { $0 } ? self.seconds.withLock { $0 } : nil
            },
            logger: log.logger
        )
    }

    func pass(days: Int64) { seconds.withLock { $0 += days * 86_400 } }

    func text(_ name: String) throws -> String {
        let bytes = try Files.readIfThere(folder.path(name), limit: 64 << 10)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    func certificate(_ name: String) throws -> Certificate { try Certificate(text(name)) }

    /// A pair as a public authority would give it, in two files.
    func bring(_ host: String, until: Int64? = nil) throws -> OwnCertificate.Place {
        let names = CertificateNames([host])
        let now = (until ?? .max) - Authority.serverLifeSeconds + Authority.earlySeconds
        let authority = try Authority.make("other", names)
        let made = try Authority.makeServer(
            authority,
            names,
            addresses: [],
            now: until == nil ? Self.start : now
        )
        let place = OwnCertificate.Place(
            certificate: folder.path("own.crt"),
            key: folder.path("own.key")
        )
        try Files.replace(place.certificate, with: Array(made.certificate.utf8), mode: 0o600)
        try Files.replace(place.key, with: Array(made.key.utf8), mode: 0o600)
        return place
    }
}

/// Keeps messages for a test to read.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.lines.withLock { $0.append("\(event.message)") } }
    }
}
