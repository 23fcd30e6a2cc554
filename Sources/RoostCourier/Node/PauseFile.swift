import Core
import Logging

/// The file with the pauses that the owner ordered.
///
/// Written only when a pause is ordered or ends. Bound: one for each entry of the configuration;
/// pauses of other ids are removed at the next change.
actor PauseFile {
    static let name = "pauses"
    private static let byteLimit = 64 << 10

    private let files: any CourierFiles
    private let clock: any NodeClock
    private let boot: BootID?
    private let logger: Logger
    private let turn: TaskLock
    private var names: Set<String>
    private var pauses: [String: KeptPause] = [:]
    private var isRead = false

    /// - Parameters:
    ///   - names: The ids of all entries.
    ///   - boot: The kernel's id of this boot; nil where it gives none.
    ///   - clock: Says when a pause is over.
    ///   - logger: Says what could not be read.
    init(
        _ files: any CourierFiles,
        names: Set<String>,
        boot: BootID?,
        clock: any NodeClock,
        logger: Logger
    ) {
        (self.files, self.names, self.boot) = (files, names, boot)
        (self.clock, self.logger, turn) = (clock, logger, TaskLock(clock))
    }

    /// Sets the ids of a changed configuration.
    func set(names: Set<String>) { self.names = names }

    /// Reads the pause of a target; nil when there is none.
    ///
    /// - Throws: `CancellationError`. A file that cannot be read is a warning of the log: it may be
    ///   that of another user's courier.
    func pause(of target: String) async throws -> KeptPause.Rest? {
        try await turn.run {
            do {
                try await read()
            } catch let error as CourierFilesError {
                let next = "pause the targets again that are to wait"
                let details: Logger.Metadata = ["why": "\(error)", "next": "\(next)"]
                logger.warning("pauses of targets are not known", metadata: details)
            }
            return pauses[target].map { $0.rest(in: boot, by: clock) }
        }
    }

    /// Stores the pause of a target.
    ///
    /// - Parameters:
    ///   - length: nil until `resume`.
    /// - Throws: `CourierFilesError`; `CancellationError`.
    func begin(_ target: String, for length: Duration?) async throws {
        let pause = KeptPause(for: length, in: boot, by: clock)
        try await turn.run { try await change(target, to: pause) }
    }

    /// Removes the pause of a target.
    ///
    /// - Throws: As `begin`.
    func end(_ target: String) async throws {
        try await turn.run { try await change(target, to: nil) }
    }

    /// Removes a pause that is over; a failure is a warning in the log.
    ///
    /// - Throws: `CancellationError`.
    func forget(_ target: String) async throws {
        do {
            try await end(target)
        } catch let error as CourierFilesError {
            let text = "\(target): \(error)"
            logger.warning("pause that is over is still kept", metadata: ["what": "\(text)"])
        }
    }

    private func change(_ target: String, to pause: KeptPause?) async throws {
        try await read()
        guard pauses[target] != pause else { return }
        var next = pauses.filter { names.contains($0.key) }
        next[target] = pause
        let lines = next.sorted { $0.key < $1.key }.map { $1.line(of: $0) + "\n" }
        try await files.replace(Self.name, Array(lines.joined().utf8))
        pauses = next
    }

    private func read() async throws {
        guard !isRead else { return }
        let bytes = try await files.read(Self.name, limit: Self.byteLimit) ?? []
        isRead = true
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let (target, pause) = KeptPause.read(line) else {
                let text = "\(Self.name): \(line.prefix(80))"
                logger.warning("pause of a target cannot be read", metadata: ["what": "\(text)"])
                continue
            }
            pauses[target] = pause
        }
    }
}
