import ControlProtocol
import Core
import HardwareIO
import Logging
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import StoreQueries

/// Tests which stations a station asks for the time, and when.
@Suite struct NeighbourTimesTests {
    /// A network with the output of avahi-browse.
    private final class Network: StationBrowser {
        let output = Mutex("")
        let count = Mutex(0)

        func browse(_ type: String) async throws -> StationSearch {
            count.withLock { $0 += 1 }
            return StationSearch(Array(output.withLock { $0 }.utf8))
        }

        func resolve(_ hosts: [String]) async throws -> [UInt8] { [] }

        func announce(_ name: String, _ address: String) {
            let line = "=;eth0;IPv4;\(name);_roost._tcp;local;\(name).local;\(address);80;\n"
            output.withLock { $0 += line }
        }
    }

    /// A dashboard that is asked for the time.
    private struct Dashboard: SimulatedServer {
        let body: String
        var status = 200

        init(_ time: String, by trust: String = "time server", within doubt: String = "1") {
            body = """
                {"time":"\(time)","trust":"\(trust)","isSure":true,"uncertaintySeconds":\(doubt)}
                """
        }

        init(body: String, status: Int = 200) { (self.body, self.status) = (body, status) }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            guard request.url.revealed.hasSuffix("/api/v1/time") else { return OutboundAnswer(404) }
            return OutboundAnswer(status, text: body)
        }
    }

    /// The station, with a clock that a test sets.
    private final class Station: QuestionClient {
        let clock = Mutex(ClockReport(time: nil, trust: "unknown", isSure: false))
        let heard = Mutex<[[NeighbourTime]]>([])

        func exchange(_ line: String, within limit: Duration?) async throws -> String {
            var questions = QuestionTable("this station", users: LocalUsers())
            questions.on(GetClock.self) { _, _ in self.clock.withLock { $0 } }
            questions.on(HearNeighbours.self) { question, _ in
                self.heard.withLock { $0.append(question.neighbours) }
                return self.clock.withLock { $0 }
            }
            return try await questions.answer(line)
        }

        func set(_ trust: String, isSure: Bool = true) {
            clock.withLock { $0 = ClockReport(time: nil, trust: trust, isSure: isSure) }
        }
    }

    private struct Life: Sendable {
        let clock: SimulatedClock
        let network = Network()
        let internet: SimulatedInternet
        let station = Station()
        let world: CourierDependencies

        init(_ clock: SimulatedClock) throws {
            let internet = SimulatedInternet(clock: clock)
            (self.clock, self.internet) = (clock, internet)
            var world = CourierDependencies(
                link: station,
                history: HistoryDisk(on: try ScriptedStation(clock)),
                secrets: CourierLife.Secrets(),
                clock: clock,
                logger: Logger(label: "courier") { _ in SwiftLogNoOpLogHandler() }
            ) { _ in internet }
            world.stations = network
            self.world = world
        }

        func times(_ text: String = "{}") async throws -> [NeighbourTime] {
            let clocks = NeighbourClocks(finder: StationFinder(world))
            return try await clocks.times(try NeighbourTimesTests.read(text))
        }

        /// Runs `body` beside a courier.
        func live(_ text: String = "{}", _ body: @escaping @Sendable () async throws -> Void)
            async throws
        {
            let node = CourierNode(
                try NeighbourTimesTests.read(text),
                file: "courier.json",
                in: world
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await node.run() }
                try await body()
                node.requestStop()
                try await group.waitForAll()
            }
        }
    }

    private static func read(_ text: String) throws -> CourierConfiguration {
        try CourierConfiguration(Array(text.utf8), file: "courier.json")
    }

    private static let noon = "2026-11-28T12:00:00Z"
    private static let noonMilliseconds: Int64 = 1_795_867_200_000

    @Test func whatIsSaidIsOfTheMomentOfTheReport() throws {
        try simulate { clock in
            let life = try Life(clock)
            life.internet.add(Dashboard(Self.noon), at: "192.168.1.20")
            life.internet.set(.slow(.seconds(1)), at: "192.168.1.20")
            life.internet.add(Dashboard(Self.noon, by: "person", within: "120"), at: "192.168.1.21")
            life.network.announce("attic", "192.168.1.20")
            life.network.announce("barn", "192.168.1.21")
            let times = try await life.times()
            #expect(times.map(\.name) == ["attic", "barn"])
            #expect(times.map(\.trust) == ["time server", "person"])
            // Half a second for the fraction that the answer lacks, and half of the round trip.
            #expect(times.map(\.milliseconds).first == Self.noonMilliseconds + 1_000)
            #expect(times.map(\.uncertaintySeconds).first == 2)
            #expect(life.internet.sent.allSatisfy { $0.fields.map(\.name) == ["Accept"] })
        }
    }

    @Test(arguments: [
        #"{"time":"2026-11-28T12:00:00Z","trust":"unknown","isSure":false}"#,
        #"{"time":"2026-11-28T12:00:00Z","trust":"time server","isSure":true}"#,
        #"{"time":"noon","trust":"time server","isSure":true,"uncertaintySeconds":1}"#,
        #"{"trust":"time server","isSure":true,"uncertaintySeconds":1}"#,
        #"{"time":"2026-11-28T12:00:00Z","isSure":true,"uncertaintySeconds":1}"#,
        #"{"time":"2026-11-28T12:00:00Z","trust":"person","isSure":true,"uncertaintySeconds":-1}"#,
        "<html>Log in", "", "[]",
    ])
    func anotherAnswerIsNoTime(_ body: String) throws {
        try simulate { clock in
            let life = try Life(clock)
            life.internet.add(Dashboard(body: body), at: "192.168.1.20")
            life.network.announce("attic", "192.168.1.20")
            #expect(try await life.times().isEmpty)
        }
    }

    @Test func whoDoesNotAnswerCostsNoOtherItsTurn() throws {
        try simulate { clock in
            let life = try Life(clock)
            life.internet.add(Dashboard(body: "{}", status: 401), at: "192.168.1.20")
            life.internet.set(.refused, at: "192.168.1.21")
            life.internet.add(Dashboard(Self.noon), at: "192.168.1.22")
            for (name, number) in [("attic", 20), ("barn", 21), ("cellar", 22)] {
                life.network.announce(name, "192.168.1.\(number)")
            }
            #expect(try await life.times().map(\.name) == ["cellar"])
            #expect(life.internet.sent.allSatisfy { $0.timeoutSeconds == 2 })
            // A false one that takes half a minute is the last that is asked.
            life.internet.set(.silent, at: "192.168.1.20")
            let begun = clock.now
            #expect(try await life.times().isEmpty)
            #expect(begun.duration(to: clock.now) <= .seconds(31))
        }
    }

    /// Asks after the start until one answers, then each six hours; not beside a time server.
    @Test func asksOnlyWhileNothingBetterIsKnown() throws {
        try simulate { clock in
            let life = try Life(clock)
            try await life.live {
                try await clock.sleep(for: .minutes(30))
                let count = life.network.count.withLock { $0 }
                #expect((5...7).contains(count), "\(count) searches")
                #expect(life.station.heard.withLock { $0.isEmpty })
                life.internet.add(Dashboard(Self.noon), at: "192.168.1.20")
                life.network.announce("attic", "192.168.1.20")
                try await clock.sleep(for: .minutes(13))
                #expect(life.station.heard.withLock { $0.last?.map(\.name) } == ["attic"])
                life.station.set("station nearby")
                try await clock.sleep(for: .minutes(13))
                let known = life.network.count.withLock { $0 }
                try await clock.sleep(for: .minutes(300))
                #expect(life.network.count.withLock { $0 } == known)
                try await clock.sleep(for: .minutes(150))
                #expect(life.network.count.withLock { $0 } == known + 1)
                life.station.set("time server")
                try await clock.sleep(for: .minutes(2_000))
                #expect(life.network.count.withLock { $0 } == known + 1)
            }
        }
    }

    @Test(arguments: [
        ("{}", true), (#"{"stations":{}}"#, true), (#"{"stations":{"time":false}}"#, false),
        (#"{"stations":{"find":false}}"#, false),
        (#"{"stations":{"find":false,"time":true}}"#, true),
    ])
    func anOwnerMayEndIt(_ text: String, _ asks: Bool) throws {
        try simulate { clock in
            let life = try Life(clock)
            try await life.live(text) {
                try await clock.sleep(for: .minutes(30))
                #expect((life.network.count.withLock { $0 } > 0) == asks)
            }
        }
    }
}
