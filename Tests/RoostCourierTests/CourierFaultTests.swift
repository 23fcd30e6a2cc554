import ControlProtocol
import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Tests faults around a courier: each costs only the data that it must.
@Suite struct CourierFaultTests {
    private static let other = "192.168.1.6:8086"
    private static let both = """
        \(CourierLife.influx),{"id":"other","type":"influx1","url":"http://\(other)",\
        "database":"air"}
        """

    @Test func aNameServerThatIsSilentDelaysNoOtherTarget() throws {
        try simulate { clock in
            let life = try CourierLife(clock, targets: Self.both)
            let second = InfluxServer(.one)
            life.internet.add(second, at: Self.other)
            life.internet.set(.nameServerSilent, at: CourierLife.host)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(30))
                for count in 1...600 {
                    life.station.record()
                    try await clock.sleep(for: .seconds(1))
                    #expect(second.stored.count >= count - 2)
                }
                #expect(life.server.stored.isEmpty)
                let report = try #require(await node.report.targets.first)
                #expect(report.why?.contains("name server") == true, "\(report)")
                life.internet.set(nil, at: CourierLife.host)
                try await node.flush(nil, for: .minutes(2))
            }
            #expect(life.server.stored.count == 600)
            #expect(second.stored.count == 600)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// A card so slow that memory lacks what came while the history was read.
    @Test func aCourierThatFallsBehindPausesAndSaysSo() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(10))
                let before = life.station.firstPageCount
                life.station.set(firstPageTime: .seconds(1))
                life.station.record()
                try await clock.sleep(for: .seconds(1))
                try life.station.reboot()
                try await clock.sleep(for: .minutes(5))
                // A second each, and pauses of 1, 2, 4, 8, and then 15 s.
                #expect((15...30).contains(life.station.firstPageCount - before))
                let report = await node.report
                #expect(report.stationTrouble?.contains("begins again") == true, "\(report)")
                life.station.set(firstPageTime: nil)
                try await clock.sleep(for: .seconds(20))
                #expect(await node.report.stationTrouble == nil)
                life.station.record()
                try await clock.sleep(for: .seconds(5))
                #expect(life.server.stored.count == 2)
                #expect(life.station.firstPageCount - before <= 31)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aWeekOf503CostsFewRequestsAndNoSample() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            life.internet.set(.status(503, retryAfterSeconds: nil), at: CourierLife.host)
            clock.setWallTime(ScriptedStation.wall(Tick(clock.now)))
            let node = life.node()
            let (days, inDay) = (7, 144)
            try await life.run(node) {
                for _ in 0..<days * inDay {
                    life.station.record()
                    try await clock.sleep(for: .minutes(10))
                }
                #expect(life.internet.exchangeCount <= 1_000)
                #expect(life.server.stored.isEmpty)
                let before = life.internet.exchangeCount
                life.internet.set(nil, at: CourierLife.host)
                // The longest pause, and the time to drain.
                try await clock.sleep(for: .minutes(20))
                let sent = life.internet.sent.suffix(life.internet.exchangeCount - before)
                let lines = sent.flatMap { $0.text.split(separator: "\n") }
                #expect(lines.count == days * inDay)
                #expect(Set(lines).count == lines.count)
                let times = lines.compactMap { Int64($0.split(separator: " ").last ?? "") }
                // The first one accepted may have come meanwhile; the others follow in order.
                #expect(Array(times.dropFirst()) == times.dropFirst().sorted())
            }
            let samples = try await life.samples(node)
            #expect(samples.delivered == days * inDay && samples.waiting == 0)
            #expect(life.server.stored.count == days * inDay)
            let told = life.station.events.filter { $0.contains("late") || $0.contains("in time") }
            #expect(told == ["outbox late influx", "outbox in time influx"])
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test(arguments: [
        NetworkFault.captivePortal, .wrongCertificate, .status(302, retryAfterSeconds: nil),
        .status(511, retryAfterSeconds: nil),
    ])
    func nothingCountsAsDeliveredThatAnotherServerTook(fault: NetworkFault) throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            life.internet.set(fault, at: CourierLife.host)
            let node = life.node()
            try await life.run(node) {
                for _ in 0..<60 {
                    life.station.record()
                    try await clock.sleep(for: .minutes(1))
                }
                let samples = try await life.samples(node)
                #expect(samples.delivered == 0 && samples.waiting == 60, "\(samples)")
                #expect(samples.leftOut.isEmpty)
                life.internet.set(nil, at: CourierLife.host)
                try await node.flush(nil, for: .minutes(2))
            }
            #expect(life.server.stored.count == 60)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aPaidConnectionStopsADrainWithinARequestAndTheNextOneGoesOn() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            let routes = ScriptedRoutes(clock)
            routes.set(isMetered: true)
            for _ in 0..<10_000 {
                life.station.record()
                try await clock.sleep(for: .seconds(1))
            }
            let node = life.node(routes: routes)
            life.internet.set(.slow(.seconds(10)), at: CourierLife.host)
            try await life.run(node) {
                try await clock.sleep(for: .minutes(5))
                #expect(life.internet.exchangeCount == 0)
                routes.set(isMetered: false)
                try await clock.sleep(for: .seconds(45))
                let under = life.internet.exchangeCount
                #expect(under > 0)
                routes.set(isMetered: true)
                try await clock.sleep(for: .minutes(30))
                #expect(life.internet.exchangeCount <= under + 1)
                let samples = try await life.samples(node)
                #expect(samples.waiting > 0 && samples.delivered > 0)
                routes.set(isMetered: false)
                try await clock.sleep(for: .minutes(20))
            }
            #expect(life.server.stored.count == 10_000)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// A change of `network.metered` applies at once, not only when the route changes next.
    @Test(arguments: [CourierLife.influx, CourierLife.hiddenInflux], [true, false])
    func aReloadSaysWhatAPaidConnectionCarries(target: String, isRoutePaid: Bool) throws {
        try simulate { clock in
            let life = try CourierLife(clock, targets: target)
            life.secrets.set("influx", "t")
            let routes = ScriptedRoutes(clock)
            routes.set(isMetered: isRoutePaid)
            let node = life.node(routes: routes)
            try await life.run(node) {
                var sent = 0
                for (word, carries) in [
                    ("yes", false), ("no", true), ("yes", false), ("auto", !isRoutePaid),
                    ("no", true), ("auto", !isRoutePaid),
                ] {
                    try await node.reload(try CourierLife.read(target, metered: word))
                    sent = life.internet.exchangeCount
                    for _ in 0..<60 {
                        life.station.record()
                        try await clock.sleep(for: .seconds(10))
                    }
                    #expect((life.internet.exchangeCount > sent + 1) == carries, "\(word)")
                    #expect(await node.report.isMetered == !carries)
                }
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func sendingGoesOnWhileTheStationCanKeepNoCursor() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(30))
                life.station.set(refusesCursors: true)
                for _ in 0..<100 {
                    life.station.record()
                    try await clock.sleep(for: .seconds(10))
                }
                #expect(life.server.stored.count >= 99)
                #expect(await node.report.cursorTrouble?.contains("read-only") == true)
                life.station.set(refusesCursors: false)
                life.station.record()
                try await clock.sleep(for: .minutes(20))
                #expect(await node.report.cursorTrouble == nil)
            }
            // Another process goes on where that one was: nothing comes again.
            let (count, later) = (life.internet.exchangeCount, life.node())
            try await life.run(later) { try await clock.sleep(for: .minutes(5)) }
            #expect(life.internet.exchangeCount == count)
            #expect(life.server.stored.count == 101)
            withExtendedLifetime(life.station.folder) {}
        }
    }
}

/// Routes that a test changes.
private final class ScriptedRoutes: RouteWatch {
    private let state = Mutex((RouteState(gateways: ["192.168.1.1"]), Signal()))
    private let known = Mutex<RouteState?>(nil)
    private let clock: any NodeClock

    init(_ clock: any NodeClock) { self.clock = clock }

    func set(isMetered: Bool) {
        let signal = state.withLock { state in
            state.0.isMetered = isMetered
            return state.1
        }
        signal.raise()
    }

    func next() async throws -> RouteState {
        while true {
            let (now, signal) = state.withLock { $0 }
            let isNew = known.withLock { known in
                defer { known = now }
                return known != now
            }
            if isNew { return now }
            _ = try await clock.wait(for: signal, until: nil, tolerance: .zero)
        }
    }
}
