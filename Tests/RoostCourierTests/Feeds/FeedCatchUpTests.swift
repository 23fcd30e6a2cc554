import ControlProtocol
import Core
import SimulationKit
import Synchronization
import TestSupport
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier
@testable import Runtime
@testable import Store
@testable import StoreQueries

/// Values measured while there was no internet come later, in order and page by page.
@Suite struct FeedCatchUpTests {
    /// Days of PM2.5 by their date, in both envelopes; more than six requests in 10 s are refused.
    private final class Singapore: SimulatedServer {
        struct State {
            var paths: [String] = []
            var times: [MonotonicInstant] = []
            var refusedCount = 0
        }
        let clock: SimulatedClock
        let isOld: Bool
        let state = Mutex(State())

        init(_ clock: SimulatedClock, isOld: Bool) { (self.clock, self.isOld) = (clock, isOld) }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let path = request.url.revealed
            let isBusy = state.withLock { state in
                state.paths.append(path)
                state.times.append(clock.now)
                let recent = state.times.filter { $0.duration(to: clock.now) < .seconds(10) }
                if recent.count > 6 { state.refusedCount += 1 }
                return recent.count > 6
            }
            guard !isBusy else {
                return OutboundAnswer(200, text: #"{"code":24,"errorMsg":"too many"}"#)
            }
            let now = FeedRecorder.time(clock).nanoseconds / 1_000_000_000
            guard let midnight = WallTime(iso8601: "\(path.suffix(10))T00:00:00+08:00") else {
                return OutboundAnswer(400)
            }
            let items = (0..<Int64(24)).compactMap { hour -> String? in
                let second = midnight.nanoseconds / 1_000_000_000 + hour * 3_600
                guard second <= now else { return nil }
                let time = WallTime(nanoseconds: second * 1_000_000_000)
                return "{\"timestamp\":\"\(time.iso8601)\",\"readings\":"
                    + "{\"pm25_one_hourly\":{\"west\":\(hour)}}}"
            }
            let list = "\"items\":[\(items.joined(separator: ","))]"
            let body =
                isOld
                ? "{\"region_metadata\":[],\(list),\"api_info\":{\"status\":\"healthy\"}}"
                : "{\"code\":0,\"errorMsg\":\"\",\"data\":{\"regionMetadata\":[],\(list)}}"
            return OutboundAnswer(200, text: body)
        }
    }

    /// Rows of Socrata: hours of each sensor that is asked for, in pages.
    private final class Lombardy: SimulatedServer {
        let clock: SimulatedClock
        let state = Mutex([String]())

        init(_ clock: SimulatedClock) { self.clock = clock }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let path = request.url.revealed
            let text = path.replacing("%27", with: "'").replacing("%3A", with: ":")
            guard !path.contains("ib47-atvt") else { return OutboundAnswer(200, text: "[]") }
            state.withLock { $0.append(path) }
            let known = request.fields.first { $0.name == "If-None-Match" }?.value.revealed
            let (limit, offset) = (Self.number("$limit=", text), Self.number("$offset=", text) ?? 0)
            let since = text.firstRange(of: "%3E%3D%20'").flatMap {
                WallTime(iso8601: text[$0.upperBound...].prefix(19) + "+01:00")
            }
            guard let limit, let since else { return OutboundAnswer(400) }
            let ids = text.matches(of: #/'(\d+)'/#).map { String($0.output.1) }.sorted()
            let hours = (FeedRecorder.time(clock).tenths - since.tenths) / 36_000 + 1
            let rows = (0..<hours).flatMap { hour in ids.map { (hour, $0) } }
            let tag = "\"\(offset) \(min(rows.count, offset + limit))\""
            guard known != tag else { return OutboundAnswer(304) }
            let page = rows.dropFirst(offset).prefix(limit).map { hour, id in
                let local = WallTime(tenths: since.tenths + (hour + 1) * 36_000).iso8601.dropLast()
                return "{\"idsensore\":\"\(id)\",\"data\":\"\(local)\",\"valore\":\"\(hour)\","
                    + "\"stato\":\"VA\"}"
            }
            let body = "[\(page.joined(separator: ","))]"
            return OutboundAnswer(200, ["etag": tag], text: body)
        }

        private static func number(_ key: String, _ text: String) -> Int? {
            text.firstRange(of: key).flatMap { found in
                Int(text[found.upperBound...].prefix { $0.isNumber })
            }
        }
    }

    private enum Shape { case singapore, oldSingapore, lombardy }

    private func live(
        _ feed: String,
        _ host: String,
        _ shape: Shape,
        _ history: (any HistoryAccess)? = nil,
        _ body:
            @escaping @Sendable (
                SimulatedClock, FeedRecorder, any SimulatedServer, SimulatedInternet, FeedTask
            ) async throws -> Void
    ) throws {
        try simulate { clock in
            let cursors = FeedRecorder(clock)
            let server: any SimulatedServer =
                shape == .lombardy
                ? Lombardy(clock) : Singapore(clock, isOld: shape == .oldSingapore)
            let internet = SimulatedInternet(clock: clock)
            internet.add(server, at: host)
            let text = "{\"feeds\":[\(feed)]}"
            let read = try CourierConfiguration(Array(text.utf8), file: "courier.json")
            let world = FeedTask.World(
                link: cursors,
                network: internet,
                secrets: CourierLife.Secrets(),
                clock: clock,
                seed: 7,
                history: history
            )
            let heartbeat = Heartbeat(clock: clock, limit: .minutes(15))
            let task = FeedTask(try #require(read.feeds.first), in: world, heartbeat: heartbeat)
            _ = try await clock.run(task.run) {
                try await body(clock, cursors, server, internet, task)
            }
        }
    }

    private static let host = "api-open.data.gov.sg"
    private static let singapore = #"{"id":"sg","type":"data.gov.sg"}"#

    @Test(arguments: [false, true], [1, 3, 12])
    func daysWithoutInternetAreFetchedByTheirDates(isOld: Bool, days: Int) throws {
        try live(Self.singapore, Self.host, isOld ? .oldSingapore : .singapore) {
            clock,
            cursors,
            server,
            internet,
            task in
            try await clock.sleep(for: .minutes(30))
            internet.set(.unknownHost, at: Self.host)
            try await clock.sleep(for: .minutes(days * 1_440))
            internet.set(nil, at: Self.host)
            try await clock.sleep(for: .minutes(30))
            #expect(await task.standing.delivery.trouble == nil)
            let times = cursors.state.withLock { $0.values.keys.map { $0.suffix(20) } }
            let hours = Set(times).sorted().compactMap { WallTime(iso8601: String($0)) }
            // Seven days back at most, in whole days; what lies before is counted.
            let gaps = zip(hours, hours.dropFirst()).count { $1.tenths - $0.tenths > 36_000 }
            #expect(gaps == (days > 7 ? 1 : 0))
            #expect(hours.count > 24 * min(days, 7))
            #expect(await task.standing.counts.missedDays == max(0, days - 7))
            let order = cursors.state.withLock { state in
                state.batches.map { $0.map(\.time).max() ?? "" }
            }
            let one = order.filter { !$0.isEmpty }
            #expect(Set(one).count > 1)
            if let server = server as? Singapore {
                #expect(server.state.withLock { $0.refusedCount } == 0, "it was asked too fast")
            }
        }
    }

    /// The values that a station has of earlier processes of its courier.
    private final class Known: HistoryAccess, @unchecked Sendable {
        private let folder: TestFolder
        private let reader: HistoryReader
        private let times: StoreTimes

        /// - Parameter newest: Newest value of data.gov.sg; other sources have later ones.
        /// - Throws: Errors of the store.
        init(_ newest: WallTime) throws {
            folder = try TestFolder(isInMemory: true)
            let path = folder.path("history.db")
            let (history, _) = try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4)))
            let values = [ImportedSample.Value(.pm25, FixedPoint(12, decimals: 1))]
            try HistoryImport.run(into: history) { session in
                let later = WallTime(tenths: newest.tenths + 36_000)
                for (source, wall) in [
                    ("data.gov.sg:west", newest), ("arpa-lombardia:10273", later),
                ] {
                    try session.add([ImportedSample(source: source, wall: wall, values: values)])
                }
                return ((), .keep)
            }
            try history.close()
            reader = try HistoryReader(path: path)
            times = try StoreTimes(reader)
        }

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (HistoryReader, StoreTimes) throws -> Value
        ) async throws -> Value { try body(reader, times) }
    }

    @Test(arguments: [2, 30])
    func aCourierThatWasRestartedKnowsSinceWhen(days: Int64) throws {
        let begun = FeedRecorder.begun * 10
        let known = try Known(WallTime(tenths: begun - days * 864_000))
        try live(Self.singapore, Self.host, .singapore, known) { clock, cursors, server, _, task in
            try await clock.sleep(for: .minutes(10))
            #expect(await task.standing.delivery.trouble == nil)
            let paths = (server as? Singapore)?.state.withLock { $0.paths } ?? []
            let dates = Set(paths.map { String($0.suffix(10)) }).sorted()
            #expect(dates.count == min(Int(days), 7) + 1 && dates.last == "2026-09-21")
            let missed = await task.standing.counts.missedDays
            #expect(missed == max(0, Int(days) - 7))
        }
    }

    /// A value that comes after newer ones of its series looks like a correction.
    @Test func daysComeInTheirOrder() throws {
        try live(Self.singapore, Self.host, .singapore) {
            clock,
            cursors,
            server,
            internet,
            _ in
            try await clock.sleep(for: .minutes(30))
            internet.set(.unknownHost, at: Self.host)
            try await clock.sleep(for: .minutes(4 * 1_440))
            internet.set(nil, at: Self.host)
            try await clock.sleep(for: .minutes(30))
            guard let server = server as? Singapore else { return }
            let paths = server.state.withLock { $0.paths }
            for data in ["psi", "pm25"] {
                let dates = paths.filter { $0.contains("/\(data)?") }.map { $0.suffix(10) }
                #expect(dates == dates.sorted() && Set(dates).count == 5, "\(dates)")
            }
        }
    }

    /// A day that failed is asked for again, those before it are not.
    @Test func aTurnThatEndsEarlyGoesOnWhereItStopped() throws {
        try live(Self.singapore, Self.host, .singapore) {
            clock,
            cursors,
            server,
            internet,
            task in
            try await clock.sleep(for: .minutes(30))
            internet.set(.unknownHost, at: Self.host)
            try await clock.sleep(for: .minutes(5 * 1_440))
            internet.set(nil, at: Self.host)
            guard let server = server as? Singapore else { return }
            server.state.withLock { $0.paths = [] }
            await task.wake()
            try await clock.sleep(for: .seconds(4))
            let full = ControlFailure(code: .busy, message: "2000 values an hour are taken")
            cursors.state.withLock { $0.refusal = full }
            try await clock.sleep(for: .minutes(60))
            cursors.state.withLock { $0.refusal = nil }
            try await clock.sleep(for: .minutes(20))
            #expect(await task.standing.delivery.trouble == nil)
            let paths = server.state.withLock { $0.paths }
            let first = paths.first.map { path in paths.count { $0 == path } }
            #expect(first == 1, "the first day went at once: \(paths)")
        }
    }

    @Test func lombardyIsReadPageByPage() throws {
        let sensors = (0..<64).map { "\"\(10_000 + $0)\":\"no2\"" }.joined(separator: ",")
        let feed = "{\"id\":\"mi\",\"type\":\"arpa-lombardia\",\"sensors\":{\(sensors)}}"
        let host = "www.dati.lombardia.it"
        try live(feed, host, .lombardy) { clock, cursors, server, internet, task in
            try await clock.sleep(for: .minutes(10))
            #expect(await task.standing.delivery.trouble == nil)
            let first = cursors.state.withLock { $0.values.count }
            #expect(first > 64 * 72, "\(first) values: three days of each sensor")
            let paths = (server as? Lombardy)?.state.withLock { $0 } ?? []
            #expect(paths.count == (first + 1_999) / 2_000)
            #expect(paths.last?.hasSuffix("&$offset=\((paths.count - 1) * 2_000)") == true)
            // Full pages have not changed, and lead to the last one all the same.
            try await clock.sleep(for: .minutes(130))
            let later = cursors.state.withLock { $0.values.count }
            #expect(later == first + 2 * 64, "\(later - first) more")
            internet.set(.unknownHost, at: host)
            try await clock.sleep(for: .minutes(6 * 1_440))
            internet.set(nil, at: host)
            try await clock.sleep(for: .minutes(20))
            #expect(cursors.state.withLock { $0.values.count } >= later + 6 * 24 * 64)
            #expect(await task.standing.counts.missedDays == 0)
        }
    }

    @Test func whatLiesTooFarBackIsCounted() throws {
        let now = try #require(WallTime(iso8601: "2026-11-23T17:30:00Z"))
        func ago(_ hours: Int64) -> WallTime { WallTime(tenths: now.tenths - hours * 36_000) }
        let singapore = FeedKind.singapore(data: ["psi"])
        func dates(_ hours: Int64) -> [String] {
            singapore.paths(at: now, since: ago(hours)).map { String($0.suffix(5)) }
        }
        #expect(dates(1) == ["11-23", "11-24"])
        #expect(dates(30) == ["11-22", "11-23", "11-24"])
        #expect(dates(24 * 30).count == 8 && dates(24 * 30).last == "11-24")
        #expect(singapore.missedDays(at: now, since: ago(24 * 30)) == 24)
        #expect(singapore.missedDays(at: now, since: ago(24 * 6)) == 0)
        #expect(singapore.missedDays(at: ago(24 * 30), since: now) == 0)
        let arpa = FeedKind.arpa(sensors: [.init(id: "10273", quantity: "pm10")], token: nil)
        #expect(arpa.missedDays(at: now, since: ago(24 * 11)) == 0)
        #expect(arpa.missedDays(at: now, since: ago(24 * 20)) == 9)
        let path = try #require(arpa.paths(at: now, since: ago(24 * 20)).first)
        #expect(path.contains("2026-11-09T00"))
    }
}
