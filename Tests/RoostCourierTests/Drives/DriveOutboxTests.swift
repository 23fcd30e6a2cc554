import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime
@testable import StoreQueries

/// Tests whole lives of a station whose drives go to Safecast, by the virtual clock.
@Suite struct DriveOutboxTests {
    static let host = "api.safecast.org"
    static let description = SafecastDriveTarget.Description(
        credits: "Ann Example",
        cities: "Trento, Rovereto"
    )

    /// Records the notices that people would get.
    private struct Life {
        let clock: SimulatedClock
        let source = SimulatedDrives()
        let internet: SimulatedInternet
        let server: SafecastDriveServer
        /// A store that is only used for cursors.
        let cursors: SimulatedRing
        var work: DriveWork
        let notices = OutboxLife.Notices()

        init(_ clock: SimulatedClock, readingTime: Duration = .seconds(40)) {
            self.clock = clock
            clock.setWallTime(TargetFixture.time)
            internet = SimulatedInternet(clock: clock)
            server = SafecastDriveServer(key: "key-1", clock: clock, readingTime: readingTime)
            internet.add(server, at: DriveOutboxTests.host)
            cursors = SimulatedRing(clock: clock, room: 1)
            let target = SafecastDriveTarget(
                key: Secret("key-1"),
                DriveOutboxTests.description
            )
            work = DriveWork(target, DriveLog.Choice())
        }

        func task(seed: UInt64 = 1) -> DriveTask {
            DriveTask(
                id: "drives",
                work,
                seed: seed,
                in: notices.world(source, cursors, internet, clock),
                heartbeat: Heartbeat(clock: clock, limit: .seconds(900))
            )
        }

        func run(_ task: DriveTask, _ body: @escaping @Sendable () async throws -> Void)
            async throws
        {
            _ = try await clock.run(task.run, unless: body)
        }

        /// Checks that delivered + waiting + left out = recorded.
        func demandSum(_ task: DriveTask) async throws {
            try await task.see()
            let mark = await task.standing.mark
            #expect(mark.sampleCount == source.recorded)
            #expect(mark.waiting >= 0)
        }

        /// Checks that the service has each drive once, submitted once, with every line accepted.
        func demandDrives(_ names: [String]) {
            let imports = server.imports
            #expect(imports.map { $0.members["name"] } == names)
            for made in imports {
                #expect(made.submissions == 1, "\(made.id)")
                #expect(made.status == "submitted")
                #expect(made.members["credits"] == "Ann Example")
                #expect(made.members["subtype"] == "Drive")
                let lines = String(decoding: made.bytes, as: UTF8.self).split(separator: "\r\n")
                #expect(lines.first == "# NEW LOG")
                #expect(made.lineCount == lines.count - 2 && made.lineCount > 0)
            }
        }
    }

    @Test func sendsEachDriveOnceDescribedAndSubmitted() throws {
        try simulate { clock in
            let life = Life(clock)
            life.source.end("ride 1", samples: 100)
            life.source.end("kept", samples: 50, isPrivate: true)
            life.source.end("no counter", samples: 0)
            life.source.end("ride 2", samples: 200)
            let task = life.task()
            try await life.run(task) { try await clock.sleep(for: .seconds(600)) }
            try await life.demandSum(task)
            life.demandDrives(["ride 1", "ride 2"])
            let mark = await task.standing.mark
            #expect(mark.delivered == .init(files: 2, samples: 270))
            // One sample in ten has no line.
            #expect(mark.leftOut[.noValue] == .init(files: 0, samples: 30))
            #expect(mark.leftOut[.markedPrivate] == .init(files: 1, samples: 50))
            #expect(mark.waiting == 0)
            #expect(await task.isDone)
            // Nothing of the private one was ever sent.
            #expect(life.internet.sent.allSatisfy { !$0.text.contains("kept") })
            // Requests: upload, look and describe, look(s) until it is read, submit, proof.
            #expect(life.internet.exchangeCount < 40)
        }
    }

    /// A time server is wrong by a year while one drive is under way and another waits.
    @Test func aWrongDateLeavesNoDriveOut() throws {
        try simulate { clock in
            var life = Life(clock)
            life.work.ageLimit = .seconds(86_400)
            life.internet.set(.refused, at: Self.host)
            let (tested, task) = (life, life.task())
            try await life.run(task) {
                try await clock.sleep(for: .seconds(60))
                tested.source.end("ride 1", samples: 100)
                tested.source.end("ride 2", samples: 100)
                try await clock.sleep(for: .seconds(600))
                let year: Int64 = 31_536_000_000_000_000
                let right = TargetFixture.time.nanoseconds + clock.now.nanoseconds
                clock.setWallTime(WallTime(nanoseconds: right + year))
                try await clock.sleep(for: .seconds(3_600))
                tested.internet.set(nil, at: Self.host)
                try await clock.sleep(for: .seconds(3_600))
            }
            let mark = await task.standing.mark
            #expect(mark.leftOut[.tooOld] == nil)
            #expect(mark.delivered.files == 2)
        }
    }

    @Test func whatItsOwnerDropsIsNeverSentAndEachDriveSaysWhatBecameOfIt() throws {
        try simulate { clock in
            let life = Life(clock)
            life.internet.set(.refused, at: Self.host)
            let task = life.task()
            try await life.run(task) {
                life.source.end("ride 1", samples: 100)
                life.source.end("ride 2", samples: 200)
                try await clock.sleep(for: .seconds(3_600))
                // Rides begin 10 000 s after one another.
                let between = WallTime(nanoseconds: (1_795_321_800 + 15_000) * 1_000_000_000)
                let first = try #require(try await task.fate(from: TargetFixture.time))
                #expect(first.drive.name == "ride 1" && !first.isSettled)
                #expect(try await task.drop(before: between) == 100)
                #expect(try await task.drop(before: between) == 0)
                let dropped = try #require(try await task.fate(from: TargetFixture.time))
                #expect(dropped.drive.name == "ride 1" && dropped.isSettled)
                let second = try #require(try await task.fate(from: between))
                #expect(second.drive.name == "ride 2" && !second.isSettled)
                life.internet.set(nil, at: Self.host)
                try await clock.sleep(for: .seconds(3_600))
                #expect(try await task.fate(from: between)?.isSettled == true)
            }
            try await life.demandSum(task)
            life.demandDrives(["ride 2"])
            let mark = await task.standing.mark
            #expect(mark.leftOut[.dropped] == .init(files: 1, samples: 100))
            #expect(mark.waiting == 0)
        }
    }

    @Test(arguments: UInt64(1)...12)
    func sendsEachDriveOnceThroughFaultsKillsAndPowerCuts(seed: UInt64) throws {
        try simulate(seed: seed) { clock in
            var random = SplitMix64(seed: seed)
            let life = Life(clock, readingTime: .seconds(Int64.random(in: 0...300, using: &random)))
            let faults: [NetworkFault?] = [
                nil, nil, .nameServerSilent, .refused, .silent, .answerLost, .answerLost,
                .wrongCertificate, .captivePortal, .status(503, retryAfterSeconds: 90),
                .status(500, retryAfterSeconds: nil), .slow(.seconds(40)),
                .status(401, retryAfterSeconds: nil),
            ]
            var names: [String] = []
            for turn in 0..<8 {
                let task = life.task(seed: seed &+ UInt64(turn))
                let name = "ride \(turn)"
                if turn % 3 == 2 {
                    life.source.end(name, samples: 40, isPrivate: true)
                } else {
                    life.source.end(name, samples: 60 + turn)
                    names.append(name)
                }
                let plan = (0..<30).map { _ in faults.randomElement(using: &random) ?? nil }
                // A kill comes at any moment of a step.
                let lengths = plan.map { _ in Int64.random(in: 1...90, using: &random) }
                try await life.run(task) {
                    for (fault, length) in zip(plan, lengths) {
                        life.internet.set(fault, at: Self.host)
                        try await clock.sleep(for: .seconds(length))
                        try await life.demandSum(task)
                    }
                }
                if Bool.random(using: &random) { life.cursors.sync() }
                // The cursor is older than what was sent: the service knows the file.
                if turn % 3 == 0 { life.cursors.cutPower(samplesSince: Tick(tenths: 0)) }
            }
            life.internet.set(nil, at: Self.host)
            let last = life.task(seed: seed)
            try await life.run(last) { try await clock.sleep(for: .seconds(7_800)) }
            try await life.demandSum(last)
            #expect(await last.isDone)
            life.demandDrives(names)
        }
    }

    @Test func goesOnWithTheNumberThatTheServiceNames() throws {
        try simulate { clock in
            let life = Life(clock)
            life.source.end("ride", samples: 20)
            life.internet.set(.answerLost, at: Self.host)
            let first = life.task()
            try await life.run(first) { try await clock.sleep(for: .seconds(5)) }
            #expect(life.server.imports.count == 1)
            #expect(await first.standing.present?.upload.importID == nil)
            life.internet.set(nil, at: Self.host)
            let second = life.task()
            try await life.run(second) { try await clock.sleep(for: .seconds(120)) }
            life.demandDrives(["ride"])
            #expect(life.internet.sent.count { $0.method == .post } == 2)
        }
    }

    @Test func waitsForTheServiceToReadAFileAndSaysSo() throws {
        try simulate { clock in
            let life = Life(clock, readingTime: .seconds(3_600))
            life.source.end("ride", samples: 20)
            let task = life.task()
            try await life.run(task) {
                try await clock.sleep(for: .seconds(1_800))
                let standing = await task.standing
                #expect(standing.delivery.working?.code == "unprocessed")
                #expect(standing.delivery.trouble == nil && standing.delivery.held == nil)
                #expect(standing.present?.upload == DriveUpload(importID: 4_711, isDescribed: true))
                #expect(life.server.imports.first?.submissions == 0)
                try await clock.sleep(for: .seconds(3_600))
            }
            life.demandDrives(["ride"])
            #expect(life.internet.exchangeCount < 30)
        }
    }

    @Test func submitsMoreAndMoreSeldomWhatStaysProcessed() throws {
        try simulate { clock in
            let life = Life(clock)
            let task = life.task()
            life.source.end("ride", samples: 20)
            try await life.run(task) {
                while life.server.imports.isEmpty { try await clock.sleep(for: .milliseconds(10)) }
                life.server.change(4_711) { $0.staysProcessed = true }
                try await clock.sleep(for: .seconds(60))
                #expect(2...6 ~= life.server.imports[0].submissions)
                try await clock.sleep(for: .hours(24))
                #expect(await task.standing.delivery.held?.code == "unsubmitted")
                #expect(100...140 ~= life.server.imports[0].submissions)
                life.server.change(4_711) { $0.staysProcessed = false }
                try await clock.sleep(for: .hours(3))
            }
            #expect(life.server.imports[0].status == "submitted")
        }
    }

    @Test func neverSubmitsAgainWhatModeratorsHave() throws {
        try simulate { clock in
            let life = Life(clock)
            life.source.end("ride", samples: 20)
            try await life.run(life.task()) { try await clock.sleep(for: .seconds(120)) }
            life.server.change(4_711) { ($0.status, $0.isApproved) = ("done", true) }
            // The station lost its cursor with the power.
            life.cursors.cutPower(samplesSince: Tick(tenths: 0))
            let again = life.task()
            try await life.run(again) { try await clock.sleep(for: .seconds(120)) }
            #expect(await again.standing.mark.delivered.files == 1)
            #expect(life.server.imports.map(\.submissions) == [1])
            #expect(life.server.imports.map(\.status) == ["done"])
        }
    }

    @Test func leavesOutWhatAModeratorRejectedOrRemovedAndGoesOn() throws {
        try simulate { clock in
            let life = Life(clock, readingTime: .seconds(300))
            for name in ["rejected", "removed", "good"] { life.source.end(name, samples: 20) }
            let task = life.task()
            try await life.run(task) {
                try await clock.sleep(for: .seconds(30))
                life.server.change(4_711) { ($0.status, $0.isRejected) = ("processed", true) }
                try await clock.sleep(for: .seconds(400))
                life.server.remove(4_712)
                try await clock.sleep(for: .seconds(1_800))
            }
            try await life.demandSum(task)
            let mark = await task.standing.mark
            #expect(mark.leftOut[.refused] == .init(files: 2, samples: 40))
            #expect(mark.delivered.files == 1)
            let codes = life.notices.all.compactMap { notice -> String? in
                if case .refused(_, _, let reason) = notice { reason.code } else { nil }
            }
            #expect(codes == ["rejected", "import-gone"])
        }
    }

    @Test func isHeldByAWrongKeyAndResumes() throws {
        try simulate { clock in
            var life = Life(clock)
            life.work = DriveWork(
                SafecastDriveTarget(key: Secret("wrong"), Self.description),
                DriveLog.Choice()
            )
            life.source.end("ride", samples: 20)
            let (tested, task) = (life, life.task())
            try await tested.run(task) { try await clock.sleep(for: .seconds(60)) }
            #expect(tested.notices.all.count == 1)
            #expect(await task.standing.delivery.held?.code == "status-401")
            #expect(tested.server.imports.isEmpty)
            let repaired = Life(clock)
            repaired.source.end("ride", samples: 20)
            let next = repaired.task()
            try await repaired.run(next) { try await clock.sleep(for: .seconds(120)) }
            repaired.demandDrives(["ride"])
        }
    }

    @Test func countsWhatTheRingWroteOver() throws {
        try simulate { clock in
            let life = Life(clock)
            for number in 1...4 { life.source.end("ride \(number)", samples: 30) }
            life.internet.setDown(true)
            let task = life.task()
            try await life.run(task) {
                try await clock.sleep(for: .seconds(400))
                try await life.demandSum(task)
                // The first is gone, and half of the second.
                life.source.lose(45)
                try await clock.sleep(for: .seconds(400))
                try await life.demandSum(task)
                life.internet.setDown(false)
                await task.wake()
                try await clock.sleep(for: .seconds(600))
            }
            try await life.demandSum(task)
            let mark = await task.standing.mark
            #expect(mark.leftOut[.expired] == .init(files: 2, samples: 60))
            life.demandDrives(["ride 3", "ride 4"])
            #expect(life.notices.all.contains(.expired(.named("drives"), samples: 45)))
        }
    }

    @Test func finishesADriveThatTheServiceHasAlthoughTheRingLostIt() throws {
        try simulate { clock in
            let life = Life(clock, readingTime: .seconds(600))
            life.source.end("ride", samples: 30)
            let task = life.task()
            try await life.run(task) {
                try await clock.sleep(for: .seconds(30))
                life.source.lose(30)
                try await clock.sleep(for: .seconds(1_800))
            }
            try await life.demandSum(task)
            life.demandDrives(["ride"])
            #expect(await task.standing.mark.leftOut[.expired] == nil)
        }
    }

    @Test func waitsForItsDateAndBeginsLateWithoutBacklog() throws {
        try simulate { clock in
            var life = Life(clock)
            life.work.hasBacklog = false
            life.source.end("before", samples: 10)
            life.source.setUndated(true)
            let (tested, task) = (life, life.task())
            try await tested.run(task) {
                try await clock.sleep(for: .seconds(10))
                tested.source.end("after", samples: 10)
                try await clock.sleep(for: .seconds(400))
                #expect(await task.standing.waitsForClock)
                #expect(tested.server.imports.isEmpty)
                tested.source.setUndated(false)
                try await clock.sleep(for: .seconds(600))
            }
            tested.demandDrives(["after"])
            #expect(await task.standing.mark.sampleCount == 10)
        }
    }
}
