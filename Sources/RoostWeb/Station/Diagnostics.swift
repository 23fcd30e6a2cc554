import ControlProtocol
import Core
import HTTPTypes
import Store
import StoreQueries

/// `/diagnostics`: one file for someone who helps, at most 1 MiB; the page shows it first.
///
/// It has no accounts, addresses of visitors or secrets. Unreadable parts are named in `missing`.
struct Diagnostics: Sendable {
    static let byteMax = 1 << 20
    /// Events, so that the file stays in its bound: the first count that fits.
    private static let eventCounts = [500, 200, 50, 0]
    private static let days: Int64 = 30

    let station: StationClient
    let history: HistoryClient?

    /// - Throws: What the encoder throws; a part that cannot be read is in `missing`.
    func json() async throws -> String {
        var view = DiagnosticsView(version: RoostVersion.text)
        view.status = await part("status", &view.missing) { try await station.ask(GetStatus()) }
        view.tree = await part("tree", &view.missing) { try await station.ask(GetTree()) }
        view.devices = await part("devices", &view.missing) { try await station.ask(GetDevices()) }
        view.doctor = await part("doctor", &view.missing) {
            try await station.ask(ExamineMachine(notOlderThan: 60))
        }
        view.ledger = await part("ledger", &view.missing) {
            try await read { try Self.ledger($0) }
        }
        let missing = view.missing
        var text = ""
        for count in Self.eventCounts {
            view.missing = missing
            view.events = await part("events", &view.missing) {
                try await read { try Self.events($0, count) }
            }
            text = try ControlCodec.line(view)
            if text.utf8.count <= Self.byteMax { break }
        }
        return text
    }

    private func part<Part>(
        _ name: String,
        _ missing: inout [String],
        _ make: () async throws -> Part?
    ) async -> Part? {
        do {
            return try await make()
        } catch let problem as Problem {
            missing.append("\(name): \(problem.detail)")
        } catch let failure as ControlFailure {
            missing.append("\(name): \(failure.message)")
        } catch {
            missing.append("\(name): \(error)")
        }
        return nil
    }

    private func read<Part: Sendable>(
        _ make: @escaping @Sendable (OpenHistory) throws -> Part?
    ) async throws -> Part? {
        guard let history else { throw Problem(.notOffered, "there is no history here") }
        return try await history.read(make)
    }

    private static func recent(_ history: OpenHistory) -> TimeRange {
        TimeRange(from: history.now.map { WallTime(tenths: $0.tenths - days * 864_000) }, to: nil)
    }

    private static func ledger(_ history: OpenHistory) throws -> LedgersReport? {
        let names = try StoreChannel.all(history.reader)
            .filter { !$0.stream.id.isImported }.map(\.name)
        guard !names.isEmpty else { return nil }
        return LedgersReport(
            try HistoryAnswers(history: history).ledgers(names, recent(history))
        )
    }

    private static func events(_ history: OpenHistory, _ count: Int) throws -> EventsPage? {
        guard count > 0 else { return nil }
        var filter = EventFilter()
        filter.range = recent(history)
        let page = try StoreEvents(
            history.reader,
            history.times,
            filter,
            after: nil,
            limit: count
        )
        return EventsPage(page)
    }
}

/// The parts of `/diagnostics` that could be read.
struct DiagnosticsView: Codable, Sendable {
    let version: String
    var status: StatusReport?
    var tree: TreeReport?
    var devices: DevicesReport?
    var doctor: FindingsReport?
    var ledger: LedgersReport?
    var events: EventsPage?
    var missing: [String] = []
}
