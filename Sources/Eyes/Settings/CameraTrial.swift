import ControlProtocol
import Core
import Synchronization

/// Takes one picture for a person who sets the camera up, and says how far it came.
///
/// The last picture is kept in memory for two minutes, and nowhere else.
package final class CameraTrial: Sendable {
    /// A picture that was taken.
    package struct Picture: Hashable, Sendable {
        let bytes: [UInt8]
        /// Whether it is one of the running live picture.
        let isOfLive: Bool

        package init(_ bytes: [UInt8], isOfLive: Bool) {
            (self.bytes, self.isOfLive) = (bytes, isOfLive)
        }
    }

    /// What a trial needs of the process.
    package struct Means: Sendable {
        /// Why no picture may be taken now by a configuration; nil when it may.
        package var refusal: @Sendable (EyesConfiguration) async throws -> LivePictureReport?
        /// Finds the camera of a configuration; nil while it is not plugged in.
        package var node: @Sendable (CameraChoice) -> CameraNode?
        /// Takes a picture; throws why there is none.
        ///
        /// What goes on when the caller has left keeps the turn, and ends it.
        package var take: @Sendable (EyesConfiguration, Turn) async throws -> Picture

        package init(
            refusal: @escaping @Sendable (EyesConfiguration) async throws -> LivePictureReport?,
            node: @escaping @Sendable (CameraChoice) -> CameraNode?,
            take: @escaping @Sendable (EyesConfiguration, Turn) async throws -> Picture
        ) {
            (self.refusal, self.node, self.take) = (refusal, node, take)
        }
    }

    /// The right to take the one picture that is tried at a time; it ends with its last keeper.
    package final class Turn: Sendable {
        private let isOver = Mutex(false)

        fileprivate init() {}

        fileprivate var hasEnded: Bool { isOver.withLock { $0 } }

        package func end() { isOver.withLock { $0 = true } }
    }

    private struct LastTurn {
        weak var turn: Turn?
    }

    private struct Kept {
        let number: Int
        let bytes: [UInt8]
        let until: MonotonicInstant
    }

    /// Time for which a picture can be fetched.
    private static let keeping: Duration = .minutes(2)

    private let clock: any NodeClock
    private let means: Means
    private let kept = Mutex<(last: Int, picture: Kept?)>((0, nil))
    private let turns = Mutex(LastTurn())

    package init(_ means: Means, clock: any NodeClock) { (self.means, self.clock) = (means, clock) }

    /// Tries a configuration; nil where no camera is chosen.
    ///
    /// - Throws: `ControlFailure` `busy` while another picture is tried, also one that nothing
    ///   waits for any more; `CancellationError`.
    package func run(_ configuration: EyesConfiguration?) async throws -> CameraTrialReport {
        guard let configuration else {
            return Self.report(failed: .settings, "no camera is chosen")
        }
        if let refusal = try await means.refusal(configuration) {
            return Self.report(failed: .masks, refusal.why ?? "")
        }
        var found = (CameraTrialReport.Step.State.skipped, configuration.command[0])
        if let choice = configuration.camera?.choice {
            guard let node = means.node(choice) else {
                return Self.report(failed: .camera, "\(CameraTrouble.absent)")
            }
            found = (.done, node.name.isEmpty ? node.path : "\(node.name), \(node.path)")
        }
        let (begun, turn) = (clock.now, try turn())
        do {
            let picture = try await means.take(configuration, turn)
            turn.end()
            return report(of: picture, found, begun.duration(to: clock.now))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            turn.end()
            return Self.report(failed: .picture, "\(error)", camera: found)
        }
    }

    private func turn() throws(ControlFailure) -> Turn {
        let turn = turns.withLock { last -> Turn? in
            if let other = last.turn, !other.hasEnded { return nil }
            let turn = Turn()
            last.turn = turn
            return turn
        }
        guard let turn else {
            throw ControlFailure(code: .busy, message: "a picture is being taken; try again then")
        }
        return turn
    }

    /// A piece of the last picture.
    ///
    /// - Throws: `ControlFailure` `gone` for any other, and after two minutes.
    package func piece(_ question: GetTriedPicture) throws(ControlFailure) -> TriedPicturePiece {
        let now = clock.now
        let picture = kept.withLock { kept in
            if let picture = kept.picture, picture.until < now { kept.picture = nil }
            return kept.picture
        }
        guard let picture, picture.number == question.trial else {
            let message = "this picture was not kept; take another"
            throw ControlFailure(code: .gone, message: message)
        }
        let rest = picture.bytes.dropFirst(max(0, question.from))
        let piece = Array(rest.prefix(TriedPicturePiece.byteMax))
        return TriedPicturePiece(base64: Base64.text(piece), byteCount: picture.bytes.count)
    }

    private func report(
        of picture: Picture,
        _ found: (CameraTrialReport.Step.State, String),
        _ duration: Duration
    ) -> CameraTrialReport {
        let until = clock.now.advanced(by: Self.keeping)
        let number = kept.withLock { kept in
            kept.last += 1
            kept.picture = Kept(number: kept.last, bytes: picture.bytes, until: until)
            return kept.last
        }
        let sentence =
            picture.isOfLive ? "the live picture has the camera; this is its next picture" : ""
        var report = CameraTrialReport([
            .init(.settings, .done), .init(.masks, .done), .init(.camera, found.0, found.1),
            .init(.picture, .done, sentence),
        ])
        let size = JPEGFrame.size(of: picture.bytes)
        (report.width, report.height) = (size?.width, size?.height)
        (report.trial, report.byteCount) = (number, picture.bytes.count)
        report.seconds = (duration / .milliseconds(100)).rounded() / 10
        report.isOfLive = picture.isOfLive
        return report
    }

    private static func report(
        failed: CameraTrialReport.Step.Name,
        _ why: String,
        camera: (CameraTrialReport.Step.State, String)? = nil
    ) -> CameraTrialReport {
        let all = CameraTrialReport.Step.Name.allCases
        let end = all.firstIndex(of: failed) ?? 0
        let steps = all.enumerated().map { index, name in
            guard index != end else { return CameraTrialReport.Step(name, .failed, why) }
            if name == .camera, let camera { return .init(name, camera.0, camera.1) }
            return .init(name, index < end ? .done : .skipped)
        }
        return CameraTrialReport(steps)
    }
}
