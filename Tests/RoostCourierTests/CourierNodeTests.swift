import ControlProtocol
import Core
import FoundationEssentials
import SimulationKit
import TestSupport
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct CourierNodeTests {
    /// Seeds of lives: `ROOST_COURIER_LIVES` sets the count, `ROOST_COURIER_SEED` the first (1).
    private static let lives: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["ROOST_COURIER_SEED"].flatMap(UInt64.init) ?? 1
        let count = environment["ROOST_COURIER_LIVES"].flatMap(UInt64.init)
        return first..<first + (count ?? Exhaustive.courierLives)
    }()

    /// Months of faults: the sum holds at every look and the receiver has each sample once.
    @Test(arguments: lives) func losesAndDoublesNothingInALifeOfFaults(seed: UInt64) throws {
        try simulate(seed: seed) { clock in
            let life = try CourierLife(clock, seed: seed)
            var chance = SplitMix64(seed: seed)
            let faults: [NetworkFault?] = [
                nil, nil, .refused, .silent, .answerLost, .captivePortal, .unreachable,
                .status(503, retryAfterSeconds: nil), .slow(.seconds(20)),
            ]
            for _ in 0..<Exhaustive.courierStarts {
                let node = life.node()
                let length = chance.next() % 40 + 5
                let draws = (0..<length).map { _ in chance.next() }
                try await life.run(node) {
                    for draw in draws {
                        for _ in 0..<(draw % 30) {
                            life.station.record(Int64(draw >> 32) % 900)
                            try await clock.sleep(for: .seconds(1 + Int64(draw >> 8) % 90))
                        }
                        switch (draw >> 16) % 12 {
                        case 0: try life.station.checkpoint()
                        case 1: try life.station.reboot()
                        case 2: life.station.set(down: true)
                        case 3, 4: life.station.set(down: false)
                        default:
                            let fault = faults[Int((draw >> 20) % UInt64(faults.count))]
                            life.internet.set(fault, at: CourierLife.host)
                        }
                        if (draw >> 24) % 4 == 0, !life.station.isDown,
                            await node.report.stationTrouble == nil,
                            await node.report.targets.first?.samples != nil
                        {
                            try await life.demandSum(node)
                        }
                    }
                }
            }
            life.station.set(down: false)
            life.internet.set(nil, at: CourierLife.host)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .minutes(20))
                try await node.flush(nil, for: .minutes(2))
            }
            let samples = try await life.samples(node)
            #expect(samples.recorded == life.station.recorded)
            #expect(samples.waiting == 0)
            #expect(samples.delivered == life.station.recorded)
            #expect(life.server.stored.count == life.station.recorded)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func samplesWaitForAClockAndGoWithTheirTrueDates() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            life.station.set(dated: false)
            try life.station.reboot()
            let node = life.node()
            try await life.run(node) {
                for _ in 0..<5 {
                    life.station.record()
                    try await clock.sleep(for: .seconds(60))
                }
                #expect(life.server.stored.isEmpty)
                #expect(await node.report.targets[0].isWaitingForClock)
                life.station.date()
                life.station.record()
                try await clock.sleep(for: .minutes(5))
            }
            let first = ScriptedStation.wall(Tick(tenths: 0)).nanoseconds / 1_000_000
            #expect(life.server.stored.count == 6)
            #expect(life.server.stored.keys.contains { $0.hasSuffix(" \(first)") })
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func whatNeverGoesTwiceIsNotSentAgainAfterAKill() throws {
        let hook = """
            {"id":"once","type":"webhook","url":"http://hook.example/","atMostOnce":true}
            """
        try simulate { clock in
            let life = try CourierLife(clock, targets: hook)
            let server = WebhookServer()
            life.internet.add(server, at: "hook.example")
            life.internet.set(.slow(.seconds(30)), at: "hook.example")
            for _ in 0..<6 {
                let node = life.node()
                try await life.run(node) {
                    life.station.record()
                    // The process is killed while the request is under way.
                    try await clock.sleep(for: .seconds(12))
                }
            }
            #expect(server.items.values.allSatisfy { $0 == 1 })
            life.internet.set(nil, at: "hook.example")
            let node = life.node()
            try await life.run(node) { try await clock.sleep(for: .minutes(10)) }
            #expect(server.items.values.allSatisfy { $0 == 1 })
            let samples = try await life.samples(node, at: "once")
            #expect(samples.recorded == 6 && samples.waiting == 0)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// Tests a word too that only a later version may write.
    @Test(arguments: ["no", "never"]) func aPrivateSurveyNeverLeaves(word: String) throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            let node = life.node()
            @Sendable func record(_ count: Int) async throws {
                for _ in 0..<count {
                    life.station.record()
                    try await clock.sleep(for: .seconds(1))
                }
            }
            try await life.run(node) {
                try await record(5)
                life.station.record("survey begun", ["name": "walk", "upload": word])
                try await record(7)
                life.station.record("survey ended", ["name": "walk"])
                try await record(4)
                try await clock.sleep(for: .minutes(1))
            }
            let samples = try await life.samples(node)
            // The second that a survey begins or ends in belongs to it.
            #expect(samples.leftOut["markedPrivate"] ?? 0 >= 7)
            #expect(samples.leftOut["markedPrivate"] ?? 0 <= 9)
            #expect(life.server.stored.count == samples.delivered)
            // The same from the history, by a process that never saw it happen.
            try life.station.checkpoint()
            _ = try await life.station.ask(KeepCursor("influx", []))
            let later = life.node()
            try await life.run(later) { try await clock.sleep(for: .minutes(1)) }
            #expect(try await life.samples(later).leftOut == samples.leftOut)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aWrongSecretHoldsAndTheRightOneGoesOn() throws {
        let target = """
            {"id":"two","type":"influx2","url":"http://two.example","org":"o","bucket":"b",
             "token":{"secret":"token"}}
            """
        try simulate { clock in
            let life = try CourierLife(clock, targets: target)
            let server = InfluxServer(.two, token: "right")
            life.internet.add(server, at: "two.example")
            let node = life.node()
            try await life.run(node) {
                life.station.record()
                try await clock.sleep(for: .seconds(20))
                #expect(await node.report.targets[0].state == .broken)
                life.secrets.set("token", "wrong")
                try await node.reload(try CourierLife.read(target))
                try await clock.sleep(for: .seconds(20))
                #expect(await node.report.targets[0].state == .held)
                #expect(life.station.events.contains("outbox held two"))
                life.secrets.set("token", "right")
                try await node.reload(try CourierLife.read(target))
                try await clock.sleep(for: .seconds(20))
                #expect(await node.report.targets[0].state == .idle)
            }
            #expect(server.stored.count == 1)
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aReloadLeavesWhatDidNotChangeAlone() throws {
        let second = #"{"id":"b","type":"influx1","url":"http://b.example","database":"d"}"#
        try simulate { clock in
            let life = try CourierLife(clock)
            let node = life.node()
            try await life.run(node) {
                life.station.record()
                try await clock.sleep(for: .seconds(10))
                let before = await node.report.targets[0].requestCount
                try await node.reload(try CourierLife.read("\(CourierLife.influx),\(second)"))
                try await clock.sleep(for: .seconds(10))
                let report = await node.report
                #expect(report.targets.map(\.id) == ["influx", "b"])
                #expect(report.targets[0].requestCount == before)
                #expect(report.targets[1].state == .later)
                try await node.reload(try CourierLife.read(second))
                try await clock.sleep(for: .seconds(10))
                #expect(await node.report.targets.map(\.id) == ["b"])
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aCursorThatCannotBeReadBeginsByTheRuleOfBacklog() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            for _ in 0..<10 {
                life.station.record()
                try await clock.sleep(for: .seconds(1))
            }
            _ = try await life.station.ask(KeepCursor("influx", [9, 9, 9]))
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(10))
                life.station.record()
                try await clock.sleep(for: .seconds(10))
            }
            #expect(life.server.stored.count == 11)
            #expect(life.station.events.contains("outbox resumed influx"))
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func dropsProvesAndAnswersQuestions() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            life.internet.set(.refused, at: CourierLife.host)
            let node = life.node()
            let courier = CourierControl(node) { SimulatedListener(clock: clock) }.table
            try await life.run(node) {
                for _ in 0..<20 {
                    life.station.record()
                    try await clock.sleep(for: .seconds(60))
                }
                let early = ScriptedStation.wall(Tick(tenths: 6_000)).iso8601
                let dropped = try await courier.ask(DropSamples("influx", before: early))
                #expect(dropped.dropped == 10)
                let late = ScriptedStation.wall(Tick(tenths: 9_000)).iso8601
                let fates = try await courier.ask(FindFates(from: late)).fates
                #expect(fates.map(\.fate) == ["waiting"])
                #expect(fates.first?.why?.isEmpty == false)
                // A day before the record began: its first sample, which was dropped.
                let before = ScriptedStation.wall(Tick(tenths: -864_000)).iso8601
                let first = try await courier.ask(FindFates(from: before))
                #expect(first.fates.map(\.fate) == ["settled"])
                life.internet.set(nil, at: CourierLife.host)
                let report = try await courier.ask(FlushOutbox(nil, seconds: 60))
                #expect(report.targets[0].samples?.delivered == 10)
                #expect(report.targets[0].samples?.leftOut == ["dropped": 10])
                for line in ["", "{", #"{"version":3,"command":"drop"}"#, #"{"version":99}"#] {
                    #expect(try await courier.answer(line).contains("\"error\""))
                }
                let failure = await #expect(throws: ControlFailure.self) {
                    try await courier.ask(PauseTarget("nope"))
                }
                #expect(failure?.message.contains("there are influx") == true)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aPauseEndsByItself() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(2))
                try await node.outlet("influx")?.pause(for: .minutes(10))
                life.station.record()
                try await clock.sleep(for: .minutes(9))
                #expect(life.server.stored.isEmpty)
                #expect(await node.report.targets[0].state == .paused)
                try await clock.sleep(for: .minutes(2))
                #expect(life.server.stored.count == 1)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// A soak runs many couriers in one process: each must free its memory.
    @Test func aCourierThatEndedIsFreed() throws {
        let (sent, isFreed) = try simulate { clock in
            let life = try CourierLife(clock)
            weak var watched: CourierNode?
            func live() async throws {
                let node = life.node()
                watched = node
                try await life.run(node) {
                    try await clock.sleep(for: .seconds(30))
                    life.station.record()
                    try await clock.sleep(for: .seconds(30))
                }
            }
            try await live()
            defer { withExtendedLifetime(life.station.folder) {} }
            return (life.server.stored.count, watched == nil)
        }
        #expect(sent == 1)
        #expect(isFreed)
    }
}
