import ControlProtocol
import Core
import Logging

/// The cursors that the station keeps for the courier.
///
/// What the station did not take, and what it may have lost since, is handed over again when it
/// answers the next time.
package actor StationCursors: CursorKeeper {
    private let link: any StationLink
    private let logger: Logger
    /// The newest bytes of each name that this process sent; at most `CursorReport.nameLimit`.
    private var newest: [String: [UInt8]] = [:]
    /// The names that the configuration has: others give way when the station's table is full.
    private var names: Set<String>
    /// Why the last was not kept; nil when it was.
    package private(set) var trouble: String?

    package init(_ link: any StationLink, names: Set<String>, logger: Logger) {
        (self.link, self.names, self.logger) = (link, names, logger)
    }

    /// The configuration has others from now on.
    package func set(names: Set<String>) { self.names = names }

    package func cursor(of target: String) async throws -> [UInt8]? {
        if let bytes = newest[target] { return bytes }
        let report = try await link.ask(ControlRequest(.cursor), CursorReport.self)
        return report.cursors.first { $0.name == target }?.bytes
    }

    package func keep(_ bytes: [UInt8], of target: String) async {
        await keep(bytes, of: target, isUrgent: false)
    }

    package func keep(_ bytes: [UInt8], of target: String, isUrgent: Bool) async {
        newest[target] = bytes
        await send(target, isUrgent: isUrgent)
    }

    /// Hands over again what this process knows: the station may have started anew.
    package func renew() async {
        for name in newest.keys.sorted() { await send(name) }
    }

    private func send(_ name: String, isUrgent: Bool = false) async {
        guard let bytes = newest[name] else { return }
        do {
            let request = ControlRequest.cursor(name, bytes, isUrgent: isUrgent)
            do {
                _ = try await link.ask(request, CursorReport.self)
            } catch let failure as ControlFailure where failure.code == "too-many" {
                try await makeRoom()
                _ = try await link.ask(request, CursorReport.self)
            }
            trouble = nil
        } catch {
            let words = "\(error)"
            if trouble != words, !(error is CancellationError) {
                let details: Logger.Metadata = ["target": "\(name)", "why": "\(words)"]
                logger.warning("cursor is not kept yet", metadata: details)
            }
            trouble = words
        }
    }

    /// Removes the cursors of targets that the configuration does not name any more.
    private func makeRoom() async throws {
        let report = try await link.ask(ControlRequest(.cursor), CursorReport.self)
        for cursor in report.cursors where !names.contains(cursor.name) {
            logger.notice(
                "cursor of a former target removed",
                metadata: ["target": "\(cursor.name)"]
            )
            _ = try await link.ask(ControlRequest.cursor(cursor.name, []), CursorReport.self)
        }
    }
}
