import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Tests whole lives of a station whose files go to a store, by the virtual clock.
@Suite struct FileOutboxTests {
    private struct Life {
        let clock: SimulatedClock
        let source: SimulatedFiles
        let internet: SimulatedInternet
        let stored: ServerFiles
        /// A store that is only used for cursors.
        let cursors: SimulatedRing
        var work: FileWork
        let notices = OutboxLife.Notices()

        init(
            _ clock: SimulatedClock,
            refusals: Int = 0,
            room: Int = .max,
            silent: Range<Int> = 0..<0
        ) {
            self.clock = clock
            let start = 1_795_321_800
            let elapsed = MonotonicInstant.boot.duration(to: clock.now).components.seconds
            clock.setWallTime(WallTime(nanoseconds: (Int64(start) + elapsed) * 1_000_000_000))
            source = SimulatedFiles(
                clock: clock,
                start: start,
                interval: 600,
                room: room,
                silent: silent
            )
            stored = ServerFiles(refusals: refusals)
            internet = SimulatedInternet(clock: clock)
            let server = ObjectStoreServer(bucket: "air", accessKey: "AKID", stored)
            internet.add(server, at: FileTargetTests.host)
            cursors = SimulatedRing(clock: clock, room: 1)
            work = FileWork(FileTargetTests.store())
        }

        func task(seed: UInt64 = 1) -> FileOutboxTask {
            FileOutboxTask(
                id: "bucket",
                work,
                seed: seed,
                in: notices.world(source, cursors, internet, clock),
                heartbeat: Heartbeat(clock: clock, limit: .seconds(900))
            )
        }

        func run(_ task: FileOutboxTask, _ body: @escaping @Sendable () async throws -> Void)
            async throws
        {
            _ = try await clock.run(task.run, unless: body)
        }

        /// Checks that delivered + waiting + left out = recorded, for the files of each period.
        func demandSum(_ task: FileOutboxTask) async throws {
            try await task.see()
            for (period, mark) in await task.standing.marks {
                #expect(mark.sampleCount == source.recorded, "\(period)")
                #expect(mark.waiting >= 0)
            }
        }

        func count(_ period: FilePeriod) -> Int {
            stored.order.count { $0.hasPrefix("\(period.rawValue)/") }
        }

        /// Checks that each file was written once, with its bytes, and in order if demanded.
        func demandFiles(isInOrder: Bool = true) {
            #expect(stored.writes.values.allSatisfy { $0 == 1 })
            for period in FilePeriod.allCases {
                let names = stored.order.filter { $0.hasPrefix("\(period.rawValue)/") }
                #expect(!isInOrder || names == names.sorted())
                for (number, name) in names.sorted().enumerated() {
                    let from = source.start + number * period.seconds
                    let bytes = source.bytes(from..<(from + period.seconds))
                    #expect(stored.files[name] == bytes, "\(name)")
                }
            }
        }
    }

    /// Records the notices that people would get.
    @Test func deliversAMonthOnceAndInOrderThroughFiveRefusalsEach() throws {
        try simulate { clock in
            let life = Life(clock, refusals: 5)
            life.internet.setDown(true)
            let task = life.task()
            try await life.run(task) {
                try await clock.sleep(for: .seconds(30 * 86_400 + 600))
                try await life.demandSum(task)
                #expect(life.stored.order.isEmpty)
                life.internet.setDown(false)
                await task.wake(within: RetryDelay.afterRoute)
                for _ in 0..<72 {
                    try await clock.sleep(for: .seconds(3_600))
                    try await life.demandSum(task)
                }
            }
            // The month of 43 800 minutes ended ten hours after the network was back.
            #expect(FilePeriod.allCases.map(life.count) == [792, 33, 4, 1])
            #expect(life.stored.order.firstIndex { $0.hasPrefix("daily/") } == 24)
            let firstDays = life.stored.order.prefix(720 + 30 + 4)
            #expect(firstDays.count { $0.hasPrefix("hourly/") } == 720)
            life.demandFiles()
            guard case .drained(let files, _)? = life.notices.all.first else {
                Issue.record("\(life.notices.all)")
                return
            }
            // With back-offs of 40 to 80 s for each, hours end while the backlog goes.
            #expect(life.notices.all.count == 1 && (755...830).contains(files))
        }
    }

    @Test(arguments: UInt64(1)...8)
    func deliversEachFileOnceThroughFaultsKillsAndPowerCuts(seed: UInt64) throws {
        try simulate(seed: seed) { clock in
            var random = SplitMix64(seed: seed)
            let life = Life(clock)
            let faults: [NetworkFault?] = [
                nil, nil, .nameServerSilent, .refused, .silent, .answerLost, .wrongCertificate,
                .captivePortal, .status(503, retryAfterSeconds: 90), .slow(.seconds(40)),
                .status(507, retryAfterSeconds: nil), .status(403, retryAfterSeconds: nil),
            ]
            for turn in 0..<10 {
                let task = life.task(seed: seed &+ UInt64(turn))
                let plan = (0..<20).map { _ in faults.randomElement(using: &random) ?? nil }
                try await life.run(task) {
                    for fault in plan {
                        life.internet.set(fault, at: FileTargetTests.host)
                        try await clock.sleep(for: .seconds(1_800))
                        try await life.demandSum(task)
                    }
                }
                if Bool.random(using: &random) { life.cursors.sync() }
                // The cursor is older than what was sent: an equal file counts as delivered.
                if turn % 3 == 0 { life.cursors.cutPower(samplesSince: Tick(tenths: 0)) }
            }
            life.internet.set(nil, at: FileTargetTests.host)
            let last = life.task(seed: seed)
            try await life.run(last) { try await clock.sleep(for: .seconds(7_800)) }
            try await life.demandSum(last)
            #expect(FilePeriod.allCases.map(life.count) == [102, 4, 0, 0])
            life.demandFiles(isInOrder: false)
            let refused = life.notices.all.contains {
                if case .refused = $0 { true } else { false }
            }
            #expect(!refused)
        }
    }

    @Test func provesEachFileAndSendsAgainWhatIsMissing() throws {
        try simulate { clock in
            let life = Life(clock)
            let task = life.task()
            try await life.run(task) {
                try await clock.sleep(for: .seconds(2 * 86_400 + 7_000))
                let all = life.source.start..<(life.source.start + 10 * 86_400)
                var proofs = try await task.prove(all, repairs: false)
                #expect(proofs.count == life.stored.order.count && proofs.count > 48)
                #expect(proofs.allSatisfy { $0.holding == .equal && $0.samples > 0 })
                // A person tidied up at the receiver, and wrote over another file.
                let (gone, spoilt) = (proofs[3].path, proofs[5].path)
                life.stored.remove(gone)
                life.stored.place(spoilt, Array("theirs".utf8))
                proofs = try await task.prove(all, repairs: false)
                let odd = proofs.filter { $0.holding != .equal }
                #expect(odd.map(\.path) == [gone, spoilt])
                #expect(odd.map(\.holding) == [.missing, .other])
                proofs = try await task.prove(all, repairs: true)
                #expect(proofs.filter { $0.holding != .equal }.map(\.path) == [spoilt])
                #expect(life.stored.files[spoilt] == Array("theirs".utf8))
                // One day has only its own files: 24 of an hour, and one of the day.
                let first = life.source.start..<(life.source.start + 86_400)
                #expect(try await task.prove(first, repairs: false).count == 25)
            }
            try await life.demandSum(task)
        }
    }

    @Test func leavesOutAFileWhoseNameIsTakenAndHoldsAfterTen() throws {
        try simulate { clock in
            var life = Life(clock)
            life.work = FileWork(FileTargetTests.store(), periods: [.hourly])
            let taken = try await names(of: life, count: 13)
            for name in taken.dropFirst(2) { life.stored.place(name, Array("theirs".utf8)) }
            let (tested, task) = (life, life.task())
            try await life.run(task) {
                try await clock.sleep(for: .seconds(14 * 3_600))
                try await tested.demandSum(task)
            }
            let mark = try #require(await task.standing.marks[.hourly])
            #expect(mark.delivered.files >= 2)
            #expect(mark.leftOut[.refused]?.files == 11)
            #expect(mark.leftOut[.refused]?.samples == 66)
            let theirs = taken.dropFirst(2).map { tested.stored.files[$0] }
            #expect(theirs.allSatisfy { $0 == Array("theirs".utf8) })
            let held = tested.notices.all.count { if case .held = $0 { true } else { false } }
            #expect(held == 1)
        }
    }

    /// The names of the first files of an hour.
    private func names(of life: Life, count: Int) async throws -> [String] {
        (0..<count).map { number in
            let second = life.source.start + number * 3_600
            let wall = WallTime(nanoseconds: Int64(second) * 1_000_000_000)
            return "hourly/" + wall.iso8601.filter { $0 != "-" && $0 != ":" } + ".csv"
        }
    }

    @Test func countsWhatTheRingWroteOver() throws {
        try simulate { clock in
            // The ring holds two days.
            var life = Life(clock, room: 288)
            life.work = FileWork(FileTargetTests.store(), periods: [.hourly, .daily])
            life.internet.setDown(true)
            let (tested, task) = (life, life.task())
            try await life.run(task) {
                for _ in 0..<120 {
                    try await clock.sleep(for: .seconds(3_600))
                    try await tested.demandSum(task)
                }
                tested.internet.setDown(false)
                await task.wake()
                try await clock.sleep(for: .seconds(7_800))
                try await tested.demandSum(task)
            }
            let marks = await task.standing.marks
            let (hours, days) = (try #require(marks[.hourly]), try #require(marks[.daily]))
            // At hour 120 the oldest of 721 samples was 433: hour 72 and day 3 lack their first.
            #expect(hours.delivered == .init(files: 49, samples: 294))
            #expect(hours.leftOut[.expired]?.samples == 73 * 6)
            #expect(days.delivered == .init(files: 1, samples: 144))
            #expect(days.leftOut[.expired]?.samples == 4 * 144)
            let expired = tested.notices.all.count { if case .expired = $0 { true } else { false } }
            #expect(expired > 0)
        }
    }

    @Test func passesOverTimesWithoutAValue() throws {
        try simulate { clock in
            var life = Life(clock, silent: 7_200..<14_400)
            life.work = FileWork(FileTargetTests.store(), periods: [.hourly], prefix: "air/")
            let (tested, task) = (life, life.task())
            try await life.run(task) {
                try await clock.sleep(for: .seconds(6 * 3_600 + 1_200))
                try await tested.demandSum(task)
            }
            let mark = try #require(await task.standing.marks[.hourly])
            #expect(mark.delivered == .init(files: 4, samples: 24))
            #expect(mark.leftOut == [.noValue: .init(files: 0, samples: 12)])
            #expect(tested.stored.order.allSatisfy { $0.hasPrefix("air/hourly/") })
        }
    }

    @Test func beginsAtTheNextWindowWithoutBacklogAndLeavesOldFilesOut() throws {
        try simulate { clock in
            let life = Life(clock)
            try await clock.sleep(for: .seconds(26 * 3_600 + 1_000))
            var fresh = life
            fresh.work.hasBacklog = false
            // A restart before the first file does not begin anew.
            for _ in 0..<2 {
                try await fresh.run(fresh.task()) { try await clock.sleep(for: .seconds(3_600)) }
            }
            #expect(fresh.stored.order.map { $0.prefix(6) } == ["hourly"])
            var young = life
            young.work = FileWork(FileTargetTests.store(), periods: [.hourly], prefix: "young/")
            young.work.ageLimit = .seconds(3 * 3_600)
            young.cursors.cutPower(samplesSince: Tick(tenths: 0))
            let task = young.task()
            try await young.run(task) { try await clock.sleep(for: .seconds(60)) }
            let mark = try #require(await task.standing.marks[.hourly])
            // Samples that were too old when the target was added do not belong to it.
            #expect(mark.delivered.files == 3)
            #expect(mark.leftOut.isEmpty)
        }
    }

    /// A time server that is wrong by a year for a while makes no waiting file too old.
    @Test func aWrongDateLeavesNoFileOutAndTwoDaysOfDatesDo() throws {
        try simulate { clock in
            var life = Life(clock)
            life.work.ageLimit = .seconds(86_400)
            let tested = life
            life.internet.set(.refused, at: FileTargetTests.host)
            let task = life.task()
            let right: Int64 = 1_795_321_800_000_000_000
            try await life.run(task) {
                try await clock.sleep(for: .seconds(6 * 3_600))
                let ahead = right + clock.now.nanoseconds + 31_536_000_000_000_000
                clock.setWallTime(WallTime(nanoseconds: ahead))
                try await clock.sleep(for: .seconds(3_600))
                tested.internet.set(nil, at: FileTargetTests.host)
                try await clock.sleep(for: .seconds(1_800))
            }
            let marks = await task.standing.marks
            #expect(marks[.hourly]?.leftOut[.tooOld] == nil)
            #expect(marks[.hourly]?.delivered.files ?? 0 >= 6)
            // The right date is back, and nothing goes out for three days.
            clock.setWallTime(WallTime(nanoseconds: right + clock.now.nanoseconds))
            life.internet.set(.refused, at: FileTargetTests.host)
            let later = life.task()
            try await life.run(later) {
                try await clock.sleep(for: .seconds(3 * 86_400))
                tested.internet.set(nil, at: FileTargetTests.host)
                try await clock.sleep(for: .seconds(3_600))
            }
            let left = await later.standing.marks[.hourly]?.leftOut[.tooOld]?.files ?? 0
            #expect((40...50).contains(left), "\(left) files of three days")
        }
    }
}
