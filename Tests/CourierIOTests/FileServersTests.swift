import Core
import Glibc
import Synchronization
import Testing

@testable import CourierIO
@testable import CourierSimulation
@testable import LinuxIO
@testable import RoostCourier
@testable import Runtime

/// Sends files by libcurl to servers of other projects, which `scripts/check files` starts.
@Suite(.enabled(if: getenv("ROOST_FILES_S3") != nil, "scripts/check files starts the servers"))
struct FileServersTests {
    /// 30.5 days after the first sample, for ever.
    private struct Present: NodeClock {
        let now = MonotonicInstant.boot.advanced(by: .seconds(2_635_260))
        let wallTime: WallTime? = nil

        func wait(
            for signal: Signal,
            until deadline: MonotonicInstant?,
            tolerance: Duration
        ) async throws -> Bool {
            preconditionFailure("the source of files waits for nothing")
        }
    }

    /// Cursors in memory.
    private final class MemoryCursors: CursorStore {
        private let kept = Mutex<[UInt8]?>(nil)

        func cursor(of target: String) async throws -> [UInt8]? { kept.withLock { $0 } }

        func keep(_ bytes: [UInt8], of target: String) async { kept.withLock { $0 = bytes } }

        func makeDurable(
            _ bytes: [UInt8],
            of target: String,
            before tick: Tick?
        ) async throws -> String? {
            await keep(bytes, of: target)
            return nil
        }
    }

    private func address(_ name: String) throws -> String {
        String(cString: try #require(getenv(name)))
    }

    /// Sends all files there are, and returns the task's state.
    private func send(
        _ target: any FileTarget
    ) throws -> (marks: [FilePeriod: FilePeriodCursor], refused: Int) {
        let loop = try EventLoop()
        var settings = CurlSettings()
        settings.allowsLocal = true
        let network = try CurlNetwork(on: loop, settings: settings)
        var work = FileWork(target, prefix: "balcony air: ä/")
        work.pace = .zero
        let drained = Signal()
        let refused = Mutex(0)
        let world = FileOutboxTask.World(
            source: SimulatedFiles(clock: Present(), start: 1_795_321_800, interval: 60),
            cursors: MemoryCursors(),
            network: network,
            clock: loop.clock
        ) { _, notice in
            switch notice {
            case .drained: drained.raise()
            case .refused: refused.withLock { $0 += 1 }
            default: break
            }
        }
        let task = FileOutboxTask(
            id: "files",
            work,
            seed: 1,
            in: world,
            heartbeat: Heartbeat(clock: loop.clock, limit: .seconds(900))
        )
        let marks = try loop.run {
            let limit = loop.clock.now.advanced(by: .seconds(400))
            _ = try await loop.clock.run(task.run) {
                let isDone = try await loop.clock.wait(
                    for: drained,
                    until: limit,
                    tolerance: .zero
                )
                let standing = await task.standing
                #expect(isDone, "\(standing.delivery.trouble)")
            }
            return await task.standing.marks
        }
        return (marks, refused.withLock { $0 })
    }

    /// Checks that a foreign file stays and an equal one counts as delivered.
    private func demand(_ marks: [FilePeriod: FilePeriodCursor], refused: Int) {
        #expect(FilePeriod.allCases.map { marks[$0]?.delivered.files } == [731, 30, 4, 1])
        #expect(marks[.hourly]?.leftOut == [.refused: .init(files: 1, samples: 60)])
        #expect(refused == 1)
        for mark in marks.values { #expect(mark.sampleCount == 43_922) }
    }

    @Test func sendsAMonthToABucket() throws {
        let target = ObjectStoreTarget(
            .init(
                "air",
                region: "eu-central-1",
                endpoint: try address("ROOST_FILES_S3"),
                isInPath: true
            ),
            accessKey: "AKIDEXAMPLE",
            secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        )
        let (marks, refused) = try send(target)
        demand(marks, refused: refused)
    }

    @Test func sendsAMonthToAFolder() throws {
        let target = WebDAVTarget(
            url: MaskedText(try address("ROOST_FILES_WEBDAV") + "/dav"),
            user: "ann",
            password: Secret("app-password")
        )
        let (marks, refused) = try send(target)
        demand(marks, refused: refused)
    }
}
