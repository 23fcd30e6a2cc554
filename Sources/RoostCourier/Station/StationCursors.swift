import ControlProtocol
import Core
import Logging

/// Store of the courier's cursors at the station.
///
/// Cursors that the station did not accept, or may have lost, are sent again when it answers.
actor StationCursors: CursorStore {
    /// Time to wait for the card: the station writes within two seconds, a slow card takes longer.
    private static let patience: Duration = .seconds(15)
    private static let look: Duration = .milliseconds(250)

    private let link: any QuestionClient
    private let clock: any NodeClock
    private let logger: Logger
    /// The newest bytes of each name sent by this process; at most `CursorReport.nameLimit`.
    private var newest: [String: [UInt8]] = [:]
    /// Bytes that could not be read and were sent, by target; at most one of each in `names`.
    private var lost: [String: [UInt8]] = [:]
    /// Names in the configuration: other cursors are removed when the station's table is full.
    private var names: Set<String>
    /// Why the last cursor was not kept; nil when it was.
    private(set) var trouble: String?

    init(
        _ link: any QuestionClient,
        names: Set<String>,
        clock: any NodeClock,
        logger: Logger
    ) {
        (self.link, self.names, self.clock, self.logger) = (link, names, clock, logger)
    }

    /// Sets the names of a changed configuration.
    func set(names: Set<String>) {
        self.names = names
        lost = lost.filter { names.contains($0.key) }
    }

    /// Removes the cursor of a target that is gone; one that the station has still goes later.
    func forget(_ target: String) async {
        newest[target] = []
        await send(target)
        newest[target] = nil
    }

    func cursor(of target: String) async throws -> [UInt8]? {
        if let bytes = newest[target] { return bytes }
        let report = try await link.ask(KeepCursor())
        return report.cursors.first { $0.name == target }?.bytes
    }

    func keep(_ bytes: [UInt8], of target: String) async {
        await keep(bytes, of: target, isUrgent: false)
    }

    func keep(_ bytes: [UInt8], of target: String, isUrgent: Bool) async {
        newest[target] = bytes
        await send(target, isUrgent: isUrgent)
    }

    /// A copy for the owner: it takes no other cursor's room, and no restart sends it again.
    func keepLost(_ bytes: [UInt8], of target: String) async throws {
        guard lost[target] != bytes else { return }
        do {
            _ = try await link.ask(KeepCursor("\(target).lost", bytes))
        } catch let error as ControlFailure {
            let details: Logger.Metadata = ["target": "\(target)", "why": "\(error.message)"]
            logger.warning("cursor that cannot be read has no copy", metadata: details)
        }
        lost[target] = bytes
    }

    func makeDurable(
        _ bytes: [UInt8],
        of target: String,
        before tick: Tick?
    ) async throws -> String? {
        newest[target] = bytes
        guard let report = await send(target) else { return trouble }
        // A record after these bytes reaches the card with them or later.
        let open = report.openSinceSeconds.map { MonotonicInstant(nanoseconds: Int64($0 * 1e9)) }
        if let open, let tick, tick.instant > open.advanced(by: .milliseconds(200)) { return nil }
        guard let urgent = await send(target, isUrgent: true) else { return trouble }
        let end = clock.now.advanced(by: Self.patience)
        var durable = urgent.durable
        while durable < urgent.number {
            guard clock.now < end else { return "the station's card does not take the cursor" }
            try await clock.sleep(for: Self.look, tolerance: Self.look / 4)
            do {
                durable = try await link.ask(KeepCursor()).durable
            } catch is CancellationError { throw CancellationError() } catch { return "\(error)" }
        }
        return nil
    }

    /// Sends all cursors of this process again, since the station may have restarted.
    func renew() async {
        for name in newest.keys.sorted() { await send(name) }
    }

    /// - Returns: The station's report; nil when it did not accept the cursor.
    @discardableResult private func send(
        _ name: String,
        isUrgent: Bool = false
    ) async -> CursorReport? {
        guard let bytes = newest[name] else { return nil }
        do {
            let request = KeepCursor(name, bytes, isUrgent: isUrgent)
            let report: CursorReport
            do {
                report = try await link.ask(request)
            } catch let failure as ControlFailure
                where failure.code == .busy && names.contains(name)
            {
                try await makeRoom()
                report = try await link.ask(request)
            }
            trouble = nil
            return report
        } catch {
            let words = "\(error)"
            if trouble != words, !(error is CancellationError) {
                let details: Logger.Metadata = ["target": "\(name)", "why": "\(words)"]
                logger.warning("cursor is not kept yet", metadata: details)
            }
            trouble = words
            return nil
        }
    }

    /// Removes the cursors of targets that the configuration no longer names.
    private func makeRoom() async throws {
        let report = try await link.ask(KeepCursor())
        // The station was busy with something else.
        guard report.cursors.count >= CursorReport.nameLimit else { return }
        for cursor in report.cursors where !names.contains(cursor.name) {
            logger.notice(
                "cursor of a former target removed",
                metadata: ["target": "\(cursor.name)"]
            )
            _ = try await link.ask(KeepCursor(cursor.name, []))
        }
    }
}
