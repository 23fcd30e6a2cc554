import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime
@testable import StoreQueries

/// Tests a target whose type changed under its id, a cursor of a later version, a damaged one.
@Suite struct ForeignCursorTests {
    /// Makes cursors that other kinds of targets leave, by name.
    static func foreign() throws -> [(name: String, bytes: [UInt8])] {
        let boot = BootID(bytes: Array(repeating: 7, count: 16))
        let place = OutboxPosition(boot: boot, bootNumber: 1, tick: Tick(tenths: 9))
        var mark = DriveCursor()
        (mark.settled, mark.seen, mark.waiting) = (.init(place), .init(place), 12)
        let samples = OutboxCursor(marks: [StreamID(1): StreamCursor(after: place)])
        let origin = 1_795_000_000
        let files = FileCursor(origin: origin, marks: [.daily: FilePeriodCursor(from: origin)])
        return [
            ("samples", try samples.encode()), ("files", files.encode()),
            ("drives", mark.encode()),
            // As notices and pushes leave them.
            ("notices", [3, 9, 2, 0, 0x80, 0x05, 1, 4]), ("pushes", [4, 3, 0, 0]),
            ("later", [9, 1, 2, 3]), ("damaged samples", [1, 255]),
            ("damaged files", [2, 255]), ("damaged drives", [3, 1, 255]),
        ]
    }

    @Test func samplesBeginAnew() throws {
        for (name, bytes) in try Self.foreign() where name != "samples" {
            for repetition in [SampleTargetTraits.Repetition.harmless, .atMostOnce] {
                try simulate { clock in
                    let life = OutboxLife(clock)
                    life.internet.add(InfluxServer(.one), at: OutboxLife.host)
                    try await life.record(10, each: .seconds(1))
                    await life.ring.keep(bytes, of: "target")
                    var target = OutboxLife.influx()
                    target.traits.repetition = repetition
                    let task = life.task(target)
                    try await life.run(task) { try await clock.sleep(for: .seconds(30)) }
                    let standing = await task.standing
                    #expect(
                        standing.delivery.sourceTrouble == nil && standing.waiting == 0,
                        "\(name)"
                    )
                    // A sample that this kind may have sent is not sent again where that is a rule.
                    let isOwn = name.hasPrefix("later") || name == "damaged samples"
                    let isOver = repetition == .atMostOnce && isOwn
                    #expect(standing.totals.delivered == (isOver ? 0 : 10), "\(name)")
                    #expect(life.notices.lossCount == 1, "\(name): \(life.notices.all)")
                    #expect(standing.delivery.cursorLost != nil, "\(name)")
                    #expect(try await life.ring.cursor(of: "target.lost") == bytes, "\(name)")
                }
            }
        }
    }

    /// The start of a target is decided only once, even if nothing was sent before a restart.
    @Test(arguments: [[], [1, 255]] as [[UInt8]])
    func theBeginOfSamplesIsKeptAtOnce(bytes: [UInt8]) throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            life.internet.add(OutboxLife.Counter(), at: OutboxLife.host)
            try await life.record(10, each: .seconds(1))
            if !bytes.isEmpty { await life.ring.keep(bytes, of: "target") }
            let first = life.task(OutboxLife.OnceTarget(), hasBacklog: false)
            try await life.run(first) { try await clock.sleep(for: .seconds(5)) }
            try await life.record(5, each: .seconds(1))
            let second = life.task(OutboxLife.OnceTarget(), hasBacklog: false)
            try await life.run(second) { try await clock.sleep(for: .seconds(30)) }
            #expect(await second.standing.totals.delivered == 5)
            #expect(life.notices.lossCount == (bytes.isEmpty ? 0 : 1), "\(life.notices.all)")
        }
    }

    @Test(arguments: [true, false])
    func filesBeginAnew(hasBacklog: Bool) throws {
        for (name, bytes) in try Self.foreign() where name != "files" {
            try simulate { clock in
                clock.setWallTime(WallTime(nanoseconds: 1_795_321_800_000_000_000))
                let internet = SimulatedInternet(clock: clock)
                let stored = ServerFiles(refusals: 0)
                let server = ObjectStoreServer(bucket: "air", accessKey: "AKID", stored)
                internet.add(server, at: FileTargetTests.host)
                let cursors = SimulatedRing(clock: clock, room: 1)
                let source = SimulatedFiles(clock: clock, start: 1_795_321_800, interval: 600)
                try await clock.sleep(for: .seconds(200_000))
                await cursors.keep(bytes, of: "bucket")
                let notices = OutboxLife.Notices()
                var work = FileWork(FileTargetTests.store())
                work.hasBacklog = hasBacklog
                let task = FileOutboxTask(
                    id: "bucket",
                    work,
                    seed: 1,
                    in: notices.world(source, cursors, internet, clock),
                    heartbeat: Heartbeat(clock: clock, limit: .seconds(900))
                )
                _ = try await clock.run(task.run) { try await clock.sleep(for: .seconds(600)) }
                #expect(await task.standing.delivery.sourceTrouble == nil, "\(name)")
                #expect(notices.lossCount == 1, "\(name)")
                let files = await task.standing.marks.values.reduce(0) { $0 + $1.delivered.files }
                #expect(hasBacklog == (files > 0), "\(name): \(files)")
                #expect(try await cursors.cursor(of: "bucket.lost") == bytes, "\(name)")
            }
        }
    }

    @Test(arguments: [true, false])
    func drivesBeginAnew(hasBacklog: Bool) throws {
        for (name, bytes) in try Self.foreign() where name != "drives" {
            try simulate { clock in
                clock.setWallTime(TargetFixture.time)
                let internet = SimulatedInternet(clock: clock)
                internet.add(
                    SafecastDriveServer(key: "key-1", clock: clock, readingTime: .seconds(40)),
                    at: DriveOutboxTests.host
                )
                let (cursors, source) = (SimulatedRing(clock: clock, room: 1), SimulatedDrives())
                source.end("ride", samples: 20)
                await cursors.keep(bytes, of: "drives")
                let notices = OutboxLife.Notices()
                let target = SafecastDriveTarget(
                    key: Secret("key-1"),
                    DriveOutboxTests.description
                )
                var work = DriveWork(target, DriveLog.Choice())
                work.hasBacklog = hasBacklog
                let task = DriveTask(
                    id: "drives",
                    work,
                    seed: 1,
                    in: notices.world(source, cursors, internet, clock),
                    heartbeat: Heartbeat(clock: clock, limit: .seconds(900))
                )
                _ = try await clock.run(task.run) { try await clock.sleep(for: .seconds(3_600)) }
                let standing = await task.standing
                #expect(standing.delivery.sourceTrouble == nil, "\(name)")
                #expect(notices.lossCount == 1, "\(name)")
                #expect(standing.mark.delivered.files == (hasBacklog ? 1 : 0), "\(name)")
                #expect(try await cursors.cursor(of: "drives.lost") == bytes, "\(name)")
            }
        }
    }
}
