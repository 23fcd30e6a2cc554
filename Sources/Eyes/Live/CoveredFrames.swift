import ControlProtocol
import Glibc

/// Covers the frames of a live picture, and decides what one that cannot be covered means.
///
/// A single bad frame is dropped, as cameras send some when they start. Bound: `failureMax` in a
/// row, after which the live picture ends.
struct CoveredFrames: Sendable {
    static let failureMax = 8

    enum Outcome: Hashable, Sendable {
        /// A frame of at most `LivePictureMessage.frameMax` bytes, its covered parts black.
        case frame([UInt8])
        /// The frame is shown nowhere.
        case dropped
        /// No further frame could be covered either.
        case ended(String)
    }

    private let cover: PictureCover
    private var failureCount = 0

    init(_ cover: PictureCover) { self.cover = cover }

    /// Forgets the failures of an earlier program.
    mutating func restart() { failureCount = 0 }

    /// Covers one frame, a whole JPEG.
    mutating func next(_ frame: [UInt8]) -> Outcome {
        let covered: [UInt8]
        do throws(CaptureError) { covered = try cover.covering(frame) } catch {
            // Neither the library nor the size of the frames changes by itself.
            let isLasting = error == .uncovered(ENOSYS) || error == .uncovered(EFBIG)
            return failed("\(error)", isLasting: isLasting)
        }
        // A frame that was small enough may be larger once it is coded anew.
        guard covered.count <= LivePictureMessage.frameMax else {
            let limit = LivePictureMessage.frameMax >> 20
            return failed("a picture has more than \(limit) MiB", isLasting: false)
        }
        failureCount = 0
        return .frame(covered)
    }

    private mutating func failed(_ why: String, isLasting: Bool) -> Outcome {
        failureCount += 1
        return isLasting || failureCount >= Self.failureMax ? .ended(why) : .dropped
    }
}
