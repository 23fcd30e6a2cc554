import Camera
import ControlProtocol
import Core
import SimulationKit
import Synchronization
import Testing

@testable import Eyes

@Suite struct CameraTrialTests {
    private struct Fault: Error, CustomStringConvertible { let description = "it is dark" }

    /// A JPEG that says it has 960 × 720 points, and more bytes than fit into a piece.
    private static let picture: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 2, 0xD0, 3, 0xC0, 1, 1, 0x11, 0]
        + Array(repeating: 7, count: TriedPicturePiece.byteMax) + [0xFF, 0xD9]

    private static let node = CameraNode(path: "/dev/video0", name: "HD Webcam")

    private static func camera(_ text: String = #"{"camera": {}}"#) throws -> EyesConfiguration {
        try EyesConfiguration(Array(text.utf8), file: "eyes.json")
    }

    private static func trial(
        _ clock: SimulatedClock,
        refusal: LivePictureReport? = nil,
        node: CameraNode? = Self.node,
        isOfLive: Bool = false,
        fault: Fault? = nil
    ) -> CameraTrial {
        let means = CameraTrial.Means(
            refusal: { _ in refusal },
            node: { _ in node },
            take: { _, _ in
                try await clock.sleep(for: .seconds(2))
                if let fault { throw fault }
                return CameraTrial.Picture(picture, isOfLive: isOfLive)
            }
        )
        return CameraTrial(means, clock: clock)
    }

    private static func states(_ report: CameraTrialReport) -> [String] {
        report.steps.map { "\($0.name.rawValue) \($0.state.rawValue)" }
    }

    @Test func eachStepIsSaidUpToTheOneThatFails() throws {
        let reports = try simulate { clock in
            let camera = try Self.camera()
            let masked = LivePictureReport(.masked, why: "a masked time")
            return [
                try await Self.trial(clock).run(nil),
                try await Self.trial(clock, refusal: masked).run(camera),
                try await Self.trial(clock, node: nil).run(camera),
                try await Self.trial(clock, fault: Fault()).run(camera),
                try await Self.trial(clock, node: nil).run(try Self.camera(#"{"command": ["x"]}"#)),
            ]
        }
        #expect(
            reports.map(Self.states) == [
                ["settings failed", "masks skipped", "camera skipped", "picture skipped"],
                ["settings done", "masks failed", "camera skipped", "picture skipped"],
                ["settings done", "masks done", "camera failed", "picture skipped"],
                ["settings done", "masks done", "camera done", "picture failed"],
                ["settings done", "masks done", "camera skipped", "picture done"],
            ]
        )
        #expect(reports.map { $0.trial != nil } == [false, false, false, false, true])
        #expect(reports[3].steps[3].sentence == "it is dark")
        #expect(reports[3].steps[2].sentence == "HD Webcam, /dev/video0")
    }

    @Test func theMasksThatAreTriedAreAskedFor() throws {
        let report = try simulate { clock in
            let means = CameraTrial.Means(
                refusal: { $0.masks.isEmpty ? nil : LivePictureReport(.masked, why: "a mask") },
                node: { _ in Self.node },
                take: { _, _ in throw Fault() }
            )
            let camera = try Self.camera(#"{"camera": {}, "masks": ["01:00-02:00"]}"#)
            return try await CameraTrial(means, clock: clock).run(camera)
        }
        #expect(report.steps.map(\.sentence) == ["", "a mask", "", ""])
    }

    @Test func oneIsTriedAtATimeAlsoWhenNothingWaitsForIt() throws {
        try simulate { clock in
            let kept = Mutex<CameraTrial.Turn?>(nil)
            let means = CameraTrial.Means(
                refusal: { _ in nil },
                node: { _ in Self.node },
                take: { _, turn in
                    kept.withLock { $0 = turn }
                    throw CancellationError()
                }
            )
            let (trial, camera) = (CameraTrial(means, clock: clock), try Self.camera())
            await #expect(throws: CancellationError.self) { try await trial.run(camera) }
            let failure = await #expect(throws: ControlFailure.self) {
                try await trial.run(camera)
            }
            #expect(failure?.code == .busy)
            kept.withLock { $0?.end() }
            await #expect(throws: CancellationError.self) { try await trial.run(camera) }
            // A turn that was never begun ends with its last keeper.
            kept.withLock { $0 = nil }
            await #expect(throws: CancellationError.self) { try await trial.run(camera) }
        }
    }

    @Test func aPictureHasItsSizeAndComesInPieces() throws {
        let (report, bytes) = try simulate { clock in
            let trial = Self.trial(clock, isOfLive: true)
            let report = try await trial.run(try Self.camera())
            let number = try #require(report.trial)
            var bytes: [UInt8] = []
            for _ in 0..<3 {
                let piece = try trial.piece(GetTriedPicture(number, from: bytes.count))
                #expect(piece.byteCount == Self.picture.count)
                bytes += try #require(Base64.bytes(piece.base64))
            }
            return (report, bytes)
        }
        #expect(bytes == Self.picture)
        #expect(report.width == 960 && report.height == 720 && report.seconds == 2)
        #expect(report.isOfLive && report.steps[3].sentence.contains("live picture"))
    }

    @Test func aPictureIsGoneAfterTwoMinutesAndAfterTheNext() throws {
        try simulate { clock in
            let trial = Self.trial(clock)
            let camera = try Self.camera()
            let first = try #require(try await trial.run(camera).trial)
            let second = try #require(try await trial.run(camera).trial)
            #expect(throws: ControlFailure.self) {
                try trial.piece(GetTriedPicture(first, from: 0))
            }
            _ = try trial.piece(GetTriedPicture(second, from: 0))
            try await clock.sleep(for: .seconds(121))
            #expect(throws: ControlFailure.self) {
                try trial.piece(GetTriedPicture(second, from: 0))
            }
        }
    }
}
