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

    /// - Throws: `Problem` for the history's own failures is a part that is missing, not thrown.
    func json() async throws -> String {
        var (parts, missing): ([(String, String)], [String]) = ([], [])
        await add("status", &parts, &missing) { try await line(GetStatus()) }
        await add("tree", &parts, &missing) { try await line(GetTree()) }
        await add("devices", &parts, &missing) { try await line(GetDevices()) }
        await add("doctor", &parts, &missing) {
            try await line(ExamineMachine(notOlderThan: 60))
        }
        await add("ledger", &parts, &missing) { try await read { try Self.ledger($0) } }
        var text = ""
        for count in Self.eventCounts {
            var (all, absent) = (parts, missing)
            await add("events", &all, &absent) { try await read { try Self.events($0, count) } }
            text = Self.file(all, absent)
            if text.utf8.count <= Self.byteMax { break }
        }
        return text
    }

    private static func file(_ parts: [(String, String)], _ missing: [String]) -> String {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("version", RoostVersion.text)
            for (name, text) in parts { json.member(name, json: text) }
            json.array("missing", missing) { $0.add($1) }
        }
        return json.text
    }

    private func add(
        _ name: String,
        _ parts: inout [(String, String)],
        _ missing: inout [String],
        _ make: () async throws -> String
    ) async {
        do {
            parts.append((name, try await make()))
        } catch let problem as Problem {
            missing.append("\(name): \(problem.detail)")
        } catch let failure as ControlFailure {
            missing.append("\(name): \(failure.message)")
        } catch {
            missing.append("\(name): \(error)")
        }
    }

    private func line<Asked: Question>(_ question: Asked) async throws -> String {
        try ControlCodec.line(try await station.ask(question))
    }

    private func read(
        _ make: @escaping @Sendable (OpenHistory) throws -> String
    ) async throws -> String {
        guard let history else { throw Problem(.notOffered, "there is no history here") }
        return try await history.read(make)
    }

    private static func recent(_ history: OpenHistory) -> TimeRange {
        TimeRange(from: history.now.map { WallTime(tenths: $0.tenths - days * 864_000) }, to: nil)
    }

    private static func ledger(_ history: OpenHistory) throws -> String {
        let names = try StoreChannel.all(history.reader)
            .filter { !$0.stream.id.isImported }.map(\.name)
        guard !names.isEmpty else { return "null" }
        return try ControlCodec.line(
            LedgersReport(HistoryAnswers(history: history).ledgers(names, recent(history)))
        )
    }

    private static func events(_ history: OpenHistory, _ count: Int) throws -> String {
        guard count > 0 else { return "null" }
        var filter = EventFilter()
        filter.range = recent(history)
        let page = try StoreEvents(
            history.reader,
            history.times,
            filter,
            after: nil,
            limit: count
        )
        return try ControlCodec.line(EventsPage(page))
    }
}
