import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Tests a store that fails at one file, or at everything.
@Suite struct FileFaultTests {
    private struct Life {
        static let start = 1_795_321_800
        let clock: SimulatedClock
        let source: SimulatedFiles
        let internet: SimulatedInternet
        let stored = ServerFiles()
        let server: Choker
        let cursors: SimulatedRing

        init(_ clock: SimulatedClock, room: Int = .max) {
            self.clock = clock
            clock.setWallTime(WallTime(nanoseconds: Int64(Self.start) * 1_000_000_000))
            source = SimulatedFiles(clock: clock, start: Self.start, interval: 600, room: room)
            server = Choker(ObjectStoreServer(bucket: "air", accessKey: "AKID", stored)) { _ in
                false
            }
            internet = SimulatedInternet(clock: clock)
            internet.add(server, at: FileTargetTests.host)
            cursors = SimulatedRing(clock: clock, room: 1)
        }

        func task() -> FileOutboxTask {
            FileOutboxTask(
                id: "bucket",
                FileWork(FileTargetTests.store(), periods: [.hourly, .daily]),
                seed: 1,
                in: OutboxLife.Notices().world(source, cursors, internet, clock),
                heartbeat: Heartbeat(clock: clock, limit: .seconds(900))
            )
        }

        func run(_ task: FileOutboxTask, _ body: @escaping @Sendable () async throws -> Void)
            async throws
        {
            _ = try await clock.run(task.run, unless: body)
        }

        /// Returns the name of an hour's file.
        static func name(_ hour: Int) -> String {
            let wall = WallTime(nanoseconds: Int64(start + hour * 3_600) * 1_000_000_000)
            return wall.iso8601.filter { $0 != "-" && $0 != ":" } + ".csv"
        }

        func has(_ hour: Int) -> Bool { stored.order.contains("hourly/\(Self.name(hour))") }

        func demandSum(_ task: FileOutboxTask) async throws {
            try await task.see()
            for (period, mark) in await task.standing.marks {
                #expect(mark.sampleCount == source.recorded, "\(period)")
                #expect(mark.waiting >= 0)
            }
        }
    }

    @Test(arguments: [[0], [3, 4, 5]])
    func oneFileHoldsNoOthers(bad: [Int]) throws {
        try simulate { clock in
            let life = Life(clock)
            let names = bad.map(Life.name)
            life.server.set { request in
                request.path.contains("hourly") && names.contains { request.path.contains($0) }
            }
            for turn in 0..<2 {
                let task = life.task()
                try await life.run(task) {
                    try await clock.sleep(for: .seconds(15 * 3_600))
                    try await life.demandSum(task)
                }
                let end = 15 * (turn + 1)
                let missing = (0..<end - 1).filter { !life.has($0) }
                #expect(missing == bad)
            }
            let tries = life.server.failureCount
            #expect((bad.count * 40...bad.count * 300).contains(tries), "\(tries) in 30 hours")
            let last = life.task()
            try await life.run(last) {
                try await clock.sleep(for: .seconds(60))
                life.server.set { _ in false }
                try await clock.sleep(for: .seconds(1_800))
                try await life.demandSum(last)
                for hour in bad { #expect(life.has(hour)) }
                #expect(life.stored.writes.values.allSatisfy { $0 == 1 })
            }
            let marks = await last.standing.marks
            #expect(marks[.hourly]?.delivered.files == 30)
            #expect(marks[.daily]?.delivered.files == 1)
            #expect(marks[.hourly]?.leftOut.isEmpty == true)
        }
    }

    /// A file that a restart found set aside, and that the ring overwrites, is counted.
    @Test func oneThatIsOverwrittenIsCounted() throws {
        try simulate { clock in
            // The ring holds ten hours.
            let life = Life(clock, room: 60)
            let name = Life.name(1)
            life.server.set { $0.path.contains("hourly/\(name)") }
            let task = life.task()
            try await life.run(task) {
                for _ in 0..<20 {
                    try await clock.sleep(for: .seconds(3_600))
                    try await life.demandSum(task)
                }
            }
            let mark = try #require(await task.standing.marks[.hourly])
            #expect(mark.delivered.files == 18 || mark.delivered.files == 19)
            #expect(mark.leftOut[.expired]?.samples == 6)
        }
    }

    /// A store that fails at everything gets only the beginning of the backlog.
    @Test func aStoreThatIsDownGetsOneOtherFileAtOnce() throws {
        try simulate { clock in
            let life = Life(clock)
            life.internet.setDown(true)
            let task = life.task()
            try await life.run(task) {
                try await clock.sleep(for: .seconds(100 * 3_600))
                life.server.set { _ in true }
                life.internet.setDown(false)
                await task.wake()
                try await clock.sleep(for: .seconds(6 * 3_600))
                #expect((24...60).contains(life.server.failureCount), "\(life.server.failureCount)")
                let paths = Set(life.internet.sent.suffix(20).map(\.path))
                #expect(paths.count <= 8, "\(paths)")
                try await life.demandSum(task)
                life.server.set { _ in false }
                try await clock.sleep(for: .seconds(3_600))
                try await life.demandSum(task)
            }
            #expect(life.stored.writes.count >= 106 + 4)
            #expect(life.stored.writes.values.allSatisfy { $0 == 1 })
        }
    }
}
