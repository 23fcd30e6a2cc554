import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime
@testable import StoreQueries

/// Tests a Safecast that fails at one drive, or at everything.
@Suite struct DriveFaultTests {
    private struct Life {
        let clock: SimulatedClock
        let source = SimulatedDrives()
        let internet: SimulatedInternet
        let safecast: SafecastDriveServer
        let server: Choker
        let cursors: SimulatedRing

        init(_ clock: SimulatedClock) {
            self.clock = clock
            clock.setWallTime(TargetFixture.time)
            safecast = SafecastDriveServer(key: "key-1", clock: clock)
            server = Choker(safecast) { _ in false }
            internet = SimulatedInternet(clock: clock)
            internet.add(server, at: DriveOutboxTests.host)
            cursors = SimulatedRing(clock: clock, room: 1)
        }

        func task() -> DriveTask {
            let target = SafecastDriveTarget(key: Secret("key-1"), DriveOutboxTests.description)
            return DriveTask(
                id: "drives",
                DriveWork(target, DriveLog.Choice()),
                seed: 1,
                in: OutboxLife.Notices().world(source, cursors, internet, clock),
                heartbeat: Heartbeat(clock: clock, limit: .seconds(900))
            )
        }

        func run(_ task: DriveTask, _ body: @escaping @Sendable () async throws -> Void)
            async throws
        {
            _ = try await clock.run(task.run, unless: body)
        }

        func demandSum(_ task: DriveTask) async throws {
            try await task.see()
            let mark = await task.standing.mark
            #expect(mark.sampleCount == source.recorded)
            #expect(mark.waiting >= 0)
        }

        /// Names of the submitted drives.
        var submitted: [String] {
            safecast.imports.filter { $0.status == "submitted" }
                .compactMap { $0.members["name"] }.sorted()
        }
    }

    /// Safecast never accepts the log of the first drive, or its submission.
    @Test(arguments: ["roost-100000.LOG", "4711/submit"])
    func oneDriveHoldsNoOthers(bad: String) throws {
        try simulate { clock in
            let life = Life(clock)
            life.server.set { $0.url.revealed.contains(bad) || $0.text.contains(bad) }
            for number in 1...4 { life.source.end("ride \(number)", samples: 30) }
            let first = life.task()
            try await life.run(first) {
                try await clock.sleep(for: .seconds(1_800))
                #expect(life.submitted == ["ride 2", "ride 3", "ride 4"])
                try await life.demandSum(first)
                #expect(await first.isDone)
            }
            let second = life.task()
            try await life.run(second) {
                life.source.end("ride 5", samples: 30)
                try await clock.sleep(for: .seconds(3_600))
                #expect(life.submitted == ["ride 2", "ride 3", "ride 4", "ride 5"])
                try await life.demandSum(second)
                #expect((8...60).contains(life.server.failureCount), "\(life.server.failureCount)")
                life.server.set { _ in false }
                try await clock.sleep(for: .seconds(1_800))
            }
            try await life.demandSum(second)
            #expect(life.submitted == (1...5).map { "ride \($0)" })
            #expect(life.safecast.imports.allSatisfy { $0.submissions == 1 })
            let mark = await second.standing.mark
            #expect(mark.delivered == .init(files: 5, samples: 135))
            #expect(mark.waiting == 0 && mark.leftOut.keys.map(\.rawValue) == ["noValue"])
        }
    }

    /// Safecast accepts a drive and never reads it.
    @Test func oneThatIsNeverReadHoldsNoOthers() throws {
        try simulate { clock in
            let life = Life(clock)
            life.source.end("ride 1", samples: 30)
            life.source.end("ride 2", samples: 30)
            let task = life.task()
            try await life.run(task) {
                while life.safecast.imports.isEmpty {
                    try await clock.sleep(for: .milliseconds(10))
                }
                life.safecast.change(4_711) { $0.staysProcessed = true }
                try await clock.sleep(for: .seconds(2 * 3_600))
                #expect(life.submitted == ["ride 2"])
                try await life.demandSum(task)
                life.safecast.change(4_711) { $0.staysProcessed = false }
                try await clock.sleep(for: .seconds(3_600))
                #expect(life.submitted == ["ride 1", "ride 2"])
                try await life.demandSum(task)
            }
        }
    }

    @Test func aServiceThatIsDownGetsNoMoreThanTheFirst() throws {
        try simulate { clock in
            let life = Life(clock)
            life.server.set { _ in true }
            for number in 1...30 { life.source.end("ride \(number)", samples: 30) }
            let task = life.task()
            try await life.run(task) {
                try await clock.sleep(for: .seconds(6 * 3_600))
                #expect((24...60).contains(life.server.failureCount), "\(life.server.failureCount)")
                #expect(await task.standing.waitingCount == 30)
                life.server.set { _ in false }
                try await clock.sleep(for: .seconds(2 * 3_600))
            }
            try await life.demandSum(task)
            #expect(life.submitted.count == 30)
        }
    }
}
