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

/// Tests parts of a feed that fail, have endless pages or are cut: each on its own.
@Suite struct FeedPartTests {
    /// Channels of another station with a value each 10 min, 30 a page.
    private final class Peer: SimulatedServer {
        enum Mood { case failing, silentBody, foreignChannel, longMark, sameMark, endless }
        struct State {
            var moods: [String: Mood] = [:]
            /// Channel and begin of each request.
            var asked: [(channel: String, from: WallTime)] = []
        }
        let clock: SimulatedClock
        let state = Mutex(State())

        init(_ clock: SimulatedClock) { self.clock = clock }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let path = request.url.revealed.replacing("%2F", with: "/").replacing("%3A", with: ":")
            guard let channel = Self.part("channel=", of: path),
                let from = Self.part("from=", of: path).flatMap({ WallTime(iso8601: $0) })
            else { return OutboundAnswer(400) }
            let mood = state.withLock { state in
                state.asked.append((channel, from))
                return state.moods[channel]
            }
            let cursor = Self.part("cursor=", of: path)
            let skipped = cursor.flatMap { Int($0.prefix { $0 != "." }) } ?? 0
            var next: String?
            let first = (from.tenths + 5_999) / 6_000 + Int64(skipped)
            let end = FeedRecorder.time(clock).tenths / 6_000
            let items = (first..<max(first, min(first + 30, end + 1))).map { index in
                "{\"time\":\"\(WallTime(tenths: index * 6_000).iso8601)\",\"isSure\":true,"
                    + "\"value\":\(index % 100)}"
            }
            if first + 30 <= end { next = "\(skipped + 30)." }
            switch mood {
            case .failing: return OutboundAnswer(503, ["retry-after": "7200"])
            case .silentBody: return OutboundAnswer(200, text: "{")
            case .longMark: next = String(repeating: "m", count: 900_000)
            case .sameMark: next = "30.same"
            case .endless: next = "0.\(state.withLock { $0.asked.count })"
            case .foreignChannel, nil: break
            }
            let name = mood == .foreignChannel ? "door/motion" : channel
            let tail = next.map { "\"\($0)\"" } ?? "null"
            let body =
                "{\"channel\":\"\(name)\",\"unit\":\"µg/m³\","
                + "\"items\":[\(items.joined(separator: ","))],\"next\":\(tail)}"
            return OutboundAnswer(200, text: body)
        }

        private static func part(_ key: String, of path: String) -> String? {
            path.firstRange(of: key).map { String(path[$0.upperBound...].prefix { $0 != "&" }) }
        }
    }

    private static func live(
        _ feed: String,
        _ host: String,
        _ server: @escaping @Sendable (SimulatedClock) -> any SimulatedServer,
        _ history: (any HistoryAccess)? = nil,
        _ body:
            @escaping @Sendable (SimulatedClock, FeedRecorder, any SimulatedServer, FeedTask)
            async throws -> Void
    ) throws {
        try simulate { clock in
            let (cursors, server) = (FeedRecorder(clock), server(clock))
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
            _ = try await clock.run(task.run) { try await body(clock, cursors, server, task) }
        }
    }

    private static func peer(
        _ channels: [String],
        _ history: (any HistoryAccess)? = nil,
        _ body:
            @escaping @Sendable (SimulatedClock, FeedRecorder, Peer, FeedTask) async throws -> Void
    ) throws {
        let list = channels.map { "\"\($0)\"" }.joined(separator: ",")
        let feed =
            "{\"id\":\"school\",\"type\":\"peer\",\"url\":\"http://10.0.0.3\","
            + "\"local\":true,\"channels\":[\(list)]}"
        try live(feed, "10.0.0.3", Peer.init, history) { clock, cursors, server, task in
            try await body(clock, cursors, #require(server as? Peer), task)
        }
    }

    private static func values(_ cursors: FeedRecorder, _ series: String) -> [WallTime] {
        cursors.state.withLock { state in
            state.values.keys.filter { $0.contains(" \(series) ") }
                .compactMap { WallTime(iso8601: String($0.split(separator: " ").last ?? "")) }
                .sorted()
        }
    }

    /// Counts the missing values between the first and the last one.
    private static func gaps(_ times: [WallTime]) -> Int {
        zip(times, times.dropFirst()).count { $1.tenths - $0.tenths > 6_000 }
    }

    @Test(arguments: [["a/pm25", "b/pm25"], ["b/pm25", "a/pm25"]])
    func aChannelThatFailsHoldsUpNoOther(channels: [String]) throws {
        try Self.peer(channels) { clock, cursors, server, task in
            try await clock.sleep(for: .minutes(30))
            server.state.withLock { $0.moods["b/pm25"] = .failing }
            try await clock.sleep(for: .minutes(300))
            let now = FeedRecorder.time(clock)
            let newest = try #require(Self.values(cursors, "a/pm25").last)
            #expect(now.tenths - newest.tenths < 70 * 600, "a is asked once an hour")
            let trouble = await task.standing.delivery.trouble
            #expect(trouble?.code == "status-503" && trouble?.words.hasPrefix("b/pm25: ") == true)
            let asked = server.state.withLock { $0.asked }
            #expect(asked.count { $0.channel == "a/pm25" } < 16, "and no oftener: \(asked.count)")
            server.state.withLock { $0.moods = [:] }
            try await clock.sleep(for: .minutes(130))
            #expect(await task.standing.delivery.trouble == nil)
            for channel in channels {
                let times = Self.values(cursors, channel)
                #expect(Self.gaps(times) == 0 && times.count > 24 * 6 + 40, "\(channel)")
            }
        }
    }

    @Test(arguments: [
        Peer.Mood.silentBody, .foreignChannel, .longMark, .sameMark, .endless,
    ])
    private func whatNeverEndsIsSaidAndBounded(mood: Peer.Mood) throws {
        try Self.peer(["a/pm25", "b/pm25"]) { clock, cursors, server, task in
            server.state.withLock { $0.moods["a/pm25"] = mood }
            try await clock.sleep(for: .minutes(59))
            let standing = await task.standing
            #expect(standing.delivery.trouble?.code == (mood == .endless ? "more" : "foreign"))
            let isCounted = mood == .longMark || mood == .sameMark
            #expect((standing.counts.omitted > 0) == isCounted, "\(standing.counts)")
            #expect(Self.values(cursors, "b/pm25").count > 24 * 6 - 2)
            let kept = cursors.state.withLock { $0.values.keys.contains { $0.contains("door") } }
            #expect(!kept)
            let asked = server.state.withLock { $0.asked }
            #expect(asked.count < 1_000, "\(asked.count)")
            server.state.withLock { $0.moods = [:] }
            try await clock.sleep(for: .minutes(30))
            #expect(await task.standing.delivery.trouble == nil)
            #expect(Self.gaps(Self.values(cursors, "a/pm25")) == 0)
            #expect(Self.values(cursors, "a/pm25").count >= 24 * 6)
        }
    }

    /// The values that a station has of an earlier process of its courier.
    private final class Known: HistoryAccess, @unchecked Sendable {
        private let folder: TestFolder
        private let reader: HistoryReader
        private let times: StoreTimes

        /// - Throws: Errors of the store.
        init(_ newest: [String: WallTime]) throws {
            folder = try TestFolder(isInMemory: true)
            let path = folder.path("history.db")
            let (history, _) = try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4)))
            let values = [ImportedSample.Value(.pm25, FixedPoint(12, decimals: 1))]
            try HistoryImport.run(into: history) { session in
                for (source, wall) in newest.sorted(by: { $0.value < $1.value }) {
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

    @Test func eachChannelGoesOnWhereItWas() throws {
        let begun = FeedRecorder.begun * 10
        @Sendable func ago(_ hours: Int64) -> WallTime {
            WallTime(tenths: begun - hours * 36_000)
        }
        let known = try Known(["school:a": ago(1), "school:b": ago(40), "garden:c": ago(2)])
        try Self.peer(["a/pm25", "b/pm25", "c/pm25"], known) { clock, _, server, _ in
            try await clock.sleep(for: .minutes(10))
            let asked = server.state.withLock { $0.asked }
            for (channel, hours) in [("a/pm25", 3), ("b/pm25", 42), ("c/pm25", 24)] {
                let from = try #require(asked.first { $0.channel == channel }?.from)
                #expect(from.tenths / 36_000 == ago(Int64(hours)).tenths / 36_000, "\(channel)")
            }
        }
    }

    /// Server that gives pages without end, then refuses all tokens that it gave.
    private final class Forgetful: SimulatedServer {
        let state = Mutex((count: 0, isForgetful: false))

        init(_: SimulatedClock) {}

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let isContinued = request.url.revealed.contains("paginationToken")
            let (count, isForgetful) = state.withLock { state in
                state.count += 1
                return state
            }
            guard !(isContinued && isForgetful) else {
                return OutboundAnswer(200, text: #"{"code":4,"errorMsg":"no such token"}"#)
            }
            let mark = isForgetful ? "" : ",\"paginationToken\":\"t\(count)\""
            return OutboundAnswer(200, text: "{\"code\":0,\"data\":{\"items\":[]\(mark)}}")
        }
    }

    @Test func aMarkThatIsRefusedIsForgotten() throws {
        let feed = #"{"id":"sg","type":"data.gov.sg","data":["pm25"]}"#
        try Self.live(feed, "api-open.data.gov.sg", Forgetful.init) {
            clock,
            _,
            server,
            task in
            try await clock.sleep(for: .minutes(8))
            #expect(await task.standing.delivery.trouble?.code == "more")
            (server as? Forgetful)?.state.withLock { $0.isForgetful = true }
            try await clock.sleep(for: .minutes(20))
            // Its answers have no value.
            #expect(await task.standing.delivery.trouble?.code == "nothing-new")
        }
    }

    /// Two sensors with a value a day each, one of them in another unit than configured.
    private final class Lombardy: SimulatedServer {
        init(_: SimulatedClock) {}

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let isRegistry = request.url.revealed.contains("ib47-atvt")
            let rows = [("10273", "PM10", "µg/m³"), ("5551", "Monossido di Carbonio", "mg/m³")]
                .map { id, kind, unit in
                    isRegistry
                        ? "{\"idsensore\":\"\(id)\",\"nometiposensore\":\"\(kind)\","
                            + "\"unitamisura\":\"\(unit)\"}"
                        : "{\"idsensore\":\"\(id)\",\"data\":\"2026-09-20T00:00:00.000\","
                            + "\"valore\":\"5\",\"stato\":\"VA\"}"
                }
            return OutboundAnswer(200, text: "[\(rows.joined(separator: ","))]")
        }
    }

    @Test func aSensorThatTheRegistryHasOtherwiseGivesNoValues() throws {
        let feed = #"{"id":"mi","type":"arpa-lombardia","sensors":{"10273":"pm10","5551":"co"}}"#
        try Self.live(feed, "www.dati.lombardia.it", Lombardy.init) {
            clock,
            cursors,
            _,
            task in
            try await clock.sleep(for: .minutes(130))
            let standing = await task.standing
            #expect(standing.delivery.trouble?.code == "sensor")
            #expect(standing.delivery.trouble?.words.contains("5551 is Monossido") == true)
            #expect(standing.counts.omitted == 1)
            let values = cursors.state.withLock { $0.values.keys.sorted() }
            #expect(values == ["arpa-lombardia 10273/pm10 2026-09-19T23:00:00Z"])
        }
    }
}
