import HardwareIO
import Readings

/// Plays a recording at an even pace, and listens to nothing.
///
/// Like a part whose acknowledgements never arrive.
package struct SDS011Replay: SerialPeer {
    private let recording: SDS011Recording
    private let interval: Duration
    private let repeats: Bool
    private var nextIndex = 0
    private var nextPiece: MonotonicInstant?

    /// Bytes the host sent meanwhile.
    package private(set) var heardByteCount = 0

    /// A replay that sends its first piece at `start`.
    ///
    /// - Parameters:
    ///   - recording: What to play.
    ///   - interval: From one piece to the next, > 0.
    ///   - repeats: Whether it begins again at the end.
    ///   - start: When the first piece leaves.
    package init(
        _ recording: SDS011Recording,
        every interval: Duration = .seconds(1),
        repeats: Bool = false,
        startingAt start: MonotonicInstant
    ) {
        precondition(interval > .zero, "a pace is longer than nothing")
        self.recording = recording
        self.interval = interval
        self.repeats = repeats
        nextPiece = recording.pieces.isEmpty ? nil : start
    }

    /// Whether everything has been sent.
    package var isFinished: Bool { nextPiece == nil }

    package var nextActivity: MonotonicInstant? { nextPiece }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        heardByteCount += bytes.count
        return advance(to: now)
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        var output: [UInt8] = []
        while let due = nextPiece, due <= now {
            output += recording.pieces[nextIndex]
            nextIndex += 1
            if nextIndex == recording.pieces.count, repeats { nextIndex = 0 }
            nextPiece = nextIndex < recording.pieces.count ? due.advanced(by: interval) : nil
        }
        return output
    }
}
