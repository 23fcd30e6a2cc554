import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime
@testable import StoreQueries

/// Stops the courier's children at many moments, with every fault of the network.
@Suite struct OutboxTaskConformanceTests {
    static let children: [any Child.Type] = [
        OutboxTask.self, FileOutboxTask.self, DriveTask.self,
    ]

    private static let faults: [NetworkFault?] = [
        nil, .nameServerSilent, .unknownHost, .refused, .unreachable, .wrongCertificate, .silent,
        .answerLost, .status(503, retryAfterSeconds: 60), .captivePortal, .slow(.seconds(40)),
    ]

    @Test(arguments: faults.indices, [1, 29, 31, 61, 3_700])
    func endsAtOnceWhenItIsStopped(fault: Int, seconds: Int) throws {
        try simulate { clock in
            let ring = SimulatedRing(clock: clock, room: 1_000)
            let internet = SimulatedInternet(clock: clock)
            internet.set(Self.faults[fault], at: "192.168.1.5:8086")
            let boot = BootID(bytes: [UInt8](repeating: 1, count: 16))
            ring.add(StreamID(1), device: "dust", [.pm25])
            ring.start(boot)
            ring.anchor(boot, WallTime(nanoseconds: 1_700_000_000_000_000_000))
            for _ in 0..<10 {
                ring.record(StreamID(1), Tick(clock.now), [.value(FixedPoint(123, decimals: 1))])
                try await clock.sleep(for: .seconds(1))
            }
            let target = InfluxTarget(
                url: "http://192.168.1.5:8086",
                .one(database: "air", user: nil, password: nil),
                LineProtocol(tags: [:])
            )
            let task = OutboxTask(
                id: "influx",
                target,
                startsWithBacklog: true,
                seed: 1,
                in: OutboxLife.Notices().world(ring, ring, internet, clock),
                heartbeat: Heartbeat(clock: clock, limit: .seconds(300))
            )
            let stop = clock.now.advanced(by: .seconds(seconds))
            _ = try await clock.run(task.run) { try await clock.sleep(until: stop) }
            #expect(stop.duration(to: clock.now) < .seconds(1))
        }
    }

    @Test(arguments: faults.indices, [1, 29, 31, 61, 3_700])
    func endsAtOnceWhenItSendsFiles(fault: Int, seconds: Int) throws {
        try simulate { clock in
            let internet = SimulatedInternet(clock: clock)
            let server = ObjectStoreServer(bucket: "air", accessKey: "AKID")
            internet.add(server, at: FileTargetTests.host)
            internet.set(Self.faults[fault], at: FileTargetTests.host)
            let cursors = SimulatedRing(clock: clock, room: 1)
            let source = SimulatedFiles(clock: clock, start: 1_795_321_800, interval: 600)
            try await clock.sleep(for: .seconds(100_000))
            let task = FileOutboxTask(
                id: "bucket",
                FileWork(FileTargetTests.store()),
                seed: 1,
                in: OutboxLife.Notices().world(source, cursors, internet, clock),
                heartbeat: Heartbeat(clock: clock, limit: .seconds(900))
            )
            let stop = clock.now.advanced(by: .seconds(seconds))
            _ = try await clock.run(task.run) { try await clock.sleep(until: stop) }
            #expect(stop.duration(to: clock.now) < .seconds(1))
        }
    }

    @Test(arguments: faults.indices, [1, 29, 31, 61, 3_700])
    func endsAtOnceWhenItSendsDrives(fault: Int, seconds: Int) throws {
        try simulate { clock in
            let internet = SimulatedInternet(clock: clock)
            let server = SafecastDriveServer(key: "k", clock: clock)
            internet.add(server, at: DriveOutboxTests.host)
            internet.set(Self.faults[fault], at: DriveOutboxTests.host)
            let source = SimulatedDrives()
            source.end("ride", samples: 200)
            let target = SafecastDriveTarget(key: Secret("k"), DriveOutboxTests.description)
            let task = DriveTask(
                id: "drives",
                DriveWork(target, DriveLog.Choice()),
                seed: 1,
                in: OutboxLife.Notices().world(
                    source,
                    SimulatedRing(clock: clock, room: 1),
                    internet,
                    clock
                ),
                heartbeat: Heartbeat(clock: clock, limit: .seconds(900))
            )
            let stop = clock.now.advanced(by: .seconds(seconds))
            _ = try await clock.run(task.run) { try await clock.sleep(until: stop) }
            #expect(stop.duration(to: clock.now) < .seconds(1))
        }
    }
}
