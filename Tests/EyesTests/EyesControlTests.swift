import ControlProtocol
import Core
import HardwareIO
import Synchronization
import Testing

@testable import Eyes

@Suite struct EyesControlTests {
    /// Three pictures, 1 to 3.
    private final class ThreePictures: EyesService {
        let numbers = Mutex<Set<UInt64>>([1, 2, 3])

        func report() async -> EyesReport {
            var report = EyesReport(
                version: "1",
                processID: 7,
                uptimeSeconds: 60,
                ring: ("/ring", 1 << 20, 40),
                retentionDays: 14
            )
            report.pictureCount = numbers.withLock { $0.count }
            return report
        }

        func delete(_ pictures: PictureChoice) async throws -> Int {
            numbers.withLock { numbers in
                let before = numbers.count
                switch pictures {
                case .one(let number): numbers.remove(number)
                case .allUpTo(let last): numbers = numbers.filter { $0 > last }
                }
                return before - numbers.count
            }
        }
    }

    /// No request here waits.
    private struct StillClock: NodeClock {
        let now = MonotonicInstant.boot
        let wallTime: WallTime? = nil

        func wait(
            for signal: Signal,
            until deadline: MonotonicInstant?,
            tolerance: Duration
        ) async throws -> Bool { throw CancellationError() }
    }

    private static func ask<Body: Codable & Sendable>(
        _ service: ThreePictures,
        _ request: EyesRequest,
        _ type: Body.Type
    ) async throws -> ControlAnswer<Body> {
        let control = EyesControl(service, ring: "/ring", clock: StillClock())
        let line = try await control.answer(try ControlCodec.line(request))
        return try ControlCodec.message(ControlAnswer<Body>.self, from: line)
    }

    @Test func oneIsDeletedOrAllThatWereSeen() async throws {
        let service = ThreePictures()
        var request = EyesRequest(.delete)
        request.number = 2
        #expect(try await Self.ask(service, request, EyesDeletion.self).body?.count == 1)
        #expect(try await Self.ask(service, request, EyesDeletion.self).body?.count == 0)
        (request.number, request.upTo) = (nil, 2)
        #expect(try await Self.ask(service, request, EyesDeletion.self).body?.count == 1)
        #expect(service.numbers.withLock { $0 } == [3])
        let status = try await Self.ask(service, EyesRequest(.status), EyesReport.self)
        #expect(status.body?.pictureCount == 1 && status.body?.room == 40)
    }

    @Test func whatNamesNoPictureDeletesNone() async throws {
        let service = ThreePictures()
        var request = EyesRequest(.delete)
        #expect(
            try await Self.ask(service, request, EyesDeletion.self).error?.code == "bad-request"
        )
        (request.number, request.upTo) = (1, 3)
        #expect(
            try await Self.ask(service, request, EyesDeletion.self).error?.code == "bad-request"
        )
        (request.upTo, request.ring) = (nil, "/another")
        #expect(try await Self.ask(service, request, EyesDeletion.self).error?.code == "other-ring")
        let control = EyesControl(service, ring: "/ring", clock: StillClock())
        for line in ["", "{}", "{\"version\":99,\"command\":\"status\"}", "[1"] {
            let answer = try await control.answer(line)
            #expect(answer.contains("\"error\""), "\(line)")
        }
        #expect(service.numbers.withLock { $0.count } == 3)
    }
}
