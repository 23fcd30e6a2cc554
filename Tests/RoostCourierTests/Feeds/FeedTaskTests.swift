import ControlProtocol
import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier
@testable import Runtime
@testable import Store

@Suite struct FeedTaskTests {
    /// The PM2.5 of a day so far, an item an hour; nothing new is a 304.
    private final class Singapore: SimulatedServer {
        struct State {
            var paths: [String] = []
            var unchangedCount = 0
            var first = OutboundAnswer?.none
        }
        let clock: SimulatedClock
        let state = Mutex(State())

        init(_ clock: SimulatedClock) { self.clock = clock }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let now = FeedRecorder.time(clock).nanoseconds / 1_000_000_000
            let path = request.url.revealed
            let tag = "\"\(now / 3_600) \(path.suffix(10))\""
            let isKnown = request.fields.contains {
                $0.name == "If-None-Match" && $0.value.revealed == tag
            }
            let first = state.withLock { state in
                state.paths.append(path)
                if isKnown { state.unchangedCount += 1 }
                defer { state.first = nil }
                return state.first
            }
            if let first { return first }
            if isKnown { return OutboundAnswer(304) }
            let items = (0..<Int64(3)).map { back in
                let time = WallTime(nanoseconds: (now / 3_600 - back) * 3_600_000_000_000)
                let values = ["west", "east", "central", "south", "north"]
                    .map { "\"\($0)\":\(10 + back)" }.joined(separator: ",")
                return "{\"timestamp\":\"\(time.iso8601)\",\"readings\":"
                    + "{\"pm25_one_hourly\":{\(values)}}}"
            }
            return OutboundAnswer(
                200,
                ["etag": tag],
                text: "{\"code\":0,\"data\":{\"items\":[\(items.joined(separator: ","))]}}"
            )
        }
    }

    private static let host = "api-open.data.gov.sg"
    private static let entry = #"{"id":"sg","type":"data.gov.sg","data":["pm25"]}"#

    private static func read(_ feeds: String) throws -> CourierConfiguration {
        try CourierConfiguration(Array("{\"feeds\":[\(feeds)]}".utf8), file: "courier.json")
    }

    private func live(
        _ body:
            @escaping @Sendable (
                SimulatedClock, FeedRecorder, Singapore, SimulatedInternet, FeedTask
            )
            async throws -> Void
    ) throws {
        try simulate { clock in
            let (cursors, server) = (FeedRecorder(clock), Singapore(clock))
            let internet = SimulatedInternet(clock: clock)
            internet.add(server, at: Self.host)
            let entry = try #require(try Self.read(Self.entry).feeds.first)
            let world = FeedTask.World(
                link: cursors,
                network: internet,
                secrets: CourierLife.Secrets(),
                clock: clock,
                seed: 7
            )
            let heartbeat = Heartbeat(clock: clock, limit: .minutes(15))
            let task = FeedTask(entry, in: world, heartbeat: heartbeat)
            _ = try await clock.run(task.run) {
                try await body(clock, cursors, server, internet, task)
            }
        }
    }

    @Test func bringsEachValueOnceAndAsksOnceAnHour() throws {
        try live { clock, cursors, server, internet, task in
            try await clock.sleep(for: .minutes(24 * 60))
            let counts = await task.standing.counts
            let values = cursors.state.withLock { $0.values.count }
            #expect(counts.written == values)
            #expect(values >= 23 * 5, "\(values): each hour of each region")
            #expect(await task.standing.delivery.trouble == nil)
            // A question an hour and publication, and yesterday's until two in the morning.
            let asked = internet.exchangeCount
            #expect((22...28).contains(asked), "\(asked) requests in a day")
        }
    }

    /// After datagovsg/datagovsg-datasets#1661: for days *healthy*, and nothing in it.
    @Test func aServiceThatAnswersAndGivesNothingIsNotUpToDate() throws {
        let empty = #"{"items":[{}],"region_metadata":[],"api_info":{"status":"healthy"}}"#
        try live { clock, cursors, server, internet, task in
            try await clock.sleep(for: .minutes(5))
            #expect(await task.standing.delivery.trouble == nil)
            let newest = cursors.state.withLock { $0.values.keys.max() ?? "" }.suffix(20)
            internet.add(Scripted(text: empty), at: Self.host)
            try await clock.sleep(for: .minutes(100))
            #expect(
                await task.standing.delivery.trouble == nil,
                "an hour without a value is nothing"
            )
            try await clock.sleep(for: .minutes(300))
            let words = await task.standing.delivery.trouble?.words ?? ""
            #expect(words.contains("has given nothing since \(newest)"), "\(words)")
            internet.add(server, at: Self.host)
            try await clock.sleep(for: .minutes(90))
            #expect(await task.standing.delivery.trouble == nil)
        }
        try simulate { clock in
            let internet = SimulatedInternet(clock: clock)
            internet.add(Scripted(text: empty), at: Self.host)
            let entry = try #require(try Self.read(Self.entry).feeds.first)
            let world = FeedTask.World(
                link: FeedRecorder(clock),
                network: internet,
                secrets: CourierLife.Secrets(),
                clock: clock,
                seed: 7
            )
            let task = FeedTask(
                entry,
                in: world,
                heartbeat: Heartbeat(clock: clock, limit: .minutes(15))
            )
            _ = try await clock.run(task.run) { try await clock.sleep(for: .minutes(5)) }
            let words = await task.standing.delivery.trouble?.words ?? ""
            #expect(words.contains("has given no value"), "\(words)")
        }
    }

    private struct Scripted: SimulatedServer {
        let text: String

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            OutboundAnswer(200, text: text)
        }
    }

    @Test func asksAgainSoonAfterAFailureAndLosesNothing() throws {
        try live { clock, cursors, server, internet, task in
            try await clock.sleep(for: .minutes(5))
            for fault: NetworkFault in [
                .refused, .captivePortal, .silent, .unknownHost,
                .status(503, retryAfterSeconds: 900),
            ] {
                internet.set(fault, at: Self.host)
                await task.wake()
                try await clock.sleep(for: .minutes(2))
                let trouble = await task.standing.delivery.trouble
                #expect(trouble != nil, "\(fault)")
                try await clock.sleep(for: .minutes(58))
                internet.set(nil, at: Self.host)
                try await clock.sleep(for: .minutes(20))
                #expect(await task.standing.delivery.trouble == nil, "\(fault)")
            }
            let limited = #"{"code":24,"errorMsg":"API rate limit exceeded"}"#
            server.state.withLock { $0.first = OutboundAnswer(200, text: limited) }
            await task.wake()
            try await clock.sleep(for: .seconds(10))
            #expect(await task.standing.delivery.trouble?.code == "busy")
            try await clock.sleep(for: .minutes(2))
            #expect(await task.standing.delivery.trouble == nil)
            let hours = Set(cursors.state.withLock { $0.values.keys.map { $0.suffix(20) } })
            #expect(hours.count == 9, "\(hours.count): those before the start, and each since")
        }
    }

    @Test func aStationThatIsAwayOrFullGetsThemLater() throws {
        try live { clock, cursors, _, _, task in
            try await clock.sleep(for: .minutes(5))
            let before = cursors.state.withLock { state in
                state.isDown = true
                return state.values.count
            }
            try await clock.sleep(for: .minutes(130))
            #expect(await task.standing.delivery.trouble?.code == "station")
            let full = ControlFailure(code: .busy, message: "2000 values an hour are taken")
            cursors.state.withLock { ($0.isDown, $0.refusal) = (false, full) }
            try await clock.sleep(for: .minutes(20))
            #expect(await task.standing.delivery.trouble?.words.contains("2000 values") == true)
            cursors.state.withLock { $0.refusal = nil }
            try await clock.sleep(for: .minutes(20))
            #expect(await task.standing.delivery.trouble == nil)
            #expect(cursors.state.withLock { $0.values.count } == before + 2 * 5)
        }
    }

    @Test func asksNothingAgainThatHasNotChanged() throws {
        try live { clock, cursors, server, _, task in
            try await clock.sleep(for: .seconds(30))
            let before = cursors.state.withLock { $0.batches.count }
            for _ in 0..<3 {
                await task.wake()
                try await clock.sleep(for: .seconds(5))
            }
            #expect(server.state.withLock { $0.unchangedCount } == 3)
            #expect(cursors.state.withLock { $0.batches.count } == before)
            #expect(await task.standing.delivery.trouble == nil)
        }
    }

    @Test func aStationWithoutChannelsIsAskedForNoValues() throws {
        try simulate { clock in
            let internet = SimulatedInternet(clock: clock)
            let entry = #"{"id":"attic","type":"peer","url":"http://10.0.0.3"}"#
            let world = FeedTask.World(
                link: FeedRecorder(clock),
                network: internet,
                secrets: CourierLife.Secrets(),
                clock: clock,
                seed: 7
            )
            let heartbeat = Heartbeat(clock: clock, limit: .minutes(15))
            let feed = try #require(try Self.read(entry).feeds.first)
            let task = FeedTask(feed, in: world, heartbeat: heartbeat)
            _ = try await clock.run(task.run) {
                try await clock.sleep(for: .minutes(24 * 60))
                #expect(await task.standing.delivery.trouble == nil)
                #expect(internet.exchangeCount == 0)
            }
        }
    }

    @Test func saysWhatIsWrongInAnEntry() throws {
        func problems(_ entry: String) -> [String] {
            do {
                _ = try Self.read(entry)
                return []
            } catch let error as ConfigurationError {
                return error.problems.map(\.description)
            } catch { return ["\(error)"] }
        }
        #expect(problems(Self.entry) == [])
        let peer = #"{"id":"school","type":"peer","url":"http://10.0.0.2:8080","#
        #expect(problems(peer + #""channels":["dust/pm25"]}"#) == [])
        #expect(problems(peer + #""channels":["dust"]}"#).count == 1)
        #expect(problems(#"{"id":"attic","type":"peer","url":"http://10.0.0.3"}"#) == [])
        #expect(problems(#"{"id":"school","type":"peer","channels":["dust/pm25"]}"#).count == 1)
        let arpa = #"{"id":"mi","type":"arpa-lombardia","sensors":"#
        #expect(problems(arpa + #"{"10273":"pm10","5551":"co mg/m³"}}"#) == [])
        #expect(problems(arpa + #"{"ten":"pm10"}}"#).count == 1)
        let bananas = problems(arpa + #"{"10273":"pm10 bananas"}}"#)
        #expect(bananas.count == 1 && bananas[0].contains("known are %, 1/0.1l"))
        let spelled = problems(arpa + #"{"5551":"co mg/m3"}}"#)
        #expect(spelled.count == 1 && spelled[0].hasSuffix("did you mean mg/m³?"))
        #expect(problems(arpa + "{}}").count == 1)
        #expect(problems(#"{"id":"sg","type":"data.gov.sg","data":["psy"]}"#).count == 1)
        #expect(problems(#"{"id":"sg","type":"data.gov"}"#).count == 1)
        #expect(problems(Self.entry + "," + Self.entry).count == 1, "an id that is there twice")
        #expect(problems(#"{"id":"sg","type":"data.gov.sg","everySeconds":5}"#).count == 1)
    }

    @Test func asksEachServiceForWhatItMayStillCorrect() throws {
        let now = try #require(WallTime(iso8601: "2026-11-23T17:30:00Z"))
        let singapore = FeedKind.singapore(data: ["psi"])
        #expect(
            singapore.paths(at: now, since: nil) == [
                "/v2/real-time/api/psi?date=2026-11-23", "/v2/real-time/api/psi?date=2026-11-24",
            ]
        )
        #expect(singapore.paths(at: nil, since: nil) == ["/v2/real-time/api/psi"])
        #expect(
            singapore.path("/v2/real-time/api/psi", continuedBy: "a b")
                == "/v2/real-time/api/psi?paginationToken=a%20b"
        )
        let arpa = FeedKind.arpa(sensors: [.init(id: "10273", quantity: "pm10")], token: nil)
        #expect(
            arpa.paths(at: now, since: nil) == [
                "/resource/nicp-bhqi.json?$where=idsensore%20in%28%2710273%27%29%20and%20data"
                    + "%20%3E%3D%20%272026-11-20T00%3A00%3A00%27&$order=data,idsensore&$limit=2000"
            ]
        )
        let peer = FeedKind.peer(name: "school", channels: ["dust/pm25"], token: nil)
        let since = try #require(WallTime(iso8601: "2026-11-23T16:30:00Z"))
        #expect(
            peer.paths(at: now, since: since) == [
                "/api/v1/readings?channel=dust%2Fpm25&from=2026-11-23T14%3A30%3A00Z&limit=500"
            ]
        )
        #expect(peer.paths(at: nil, since: nil) == [])
    }

    @Test(arguments: [1, 72, 499, 500, 501, 1_848, 3_000])
    func handsRowsOverByTime(count: Int) {
        let rows = (0..<count).map { index in
            ImportRow(
                source: "s",
                series: "r\(index % 7)/q\(index % 11)",
                unit: "",
                time: "2026-11-\(10 + index / 77 % 20)T00:00:00Z",
                value: Double(index)
            )
        }
        let batches = FeedBatches.split(rows.shuffled())
        #expect(batches.allSatisfy { (1...ImportRow.countMax).contains($0.count) })
        #expect(Set(batches.joined()) == Set(rows))
        #expect(batches.map(\.count).reduce(0, +) == count)
        let times = batches.map { Set($0.map(\.time)) }
        for (one, next) in zip(times, times.dropFirst()) where count < 3_000 {
            #expect(one.isDisjoint(with: next))
        }
    }
}
