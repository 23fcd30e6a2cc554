import Glibc
import HardwareIO

/// Whether a bus hangs whose driver gives up by itself: a Pi's does so after a second.
///
/// Pure, and for one opening of a part. A part that answered before is asked again and opened anew
/// first, as remedies of its own.
struct BusTimeouts: Hashable, Sendable {
    /// Time-outs in a row after which it hangs.
    static let limit = 2

    private var count = 0
    private var hasAnswered = false

    var isStuck: Bool { count >= Self.limit }

    /// Records what came of a question.
    mutating func record(_ answer: BusAnswer) {
        // What a driver of the kernel keeps in memory, such as a scale, is read beside a time-out.
        let isTimeout = answer.results.contains(.failed(ETIMEDOUT))
        let hasRead = answer.results.contains { result in
            if case .bytes(let bytes, _) = result { !bytes.isEmpty } else { false }
        }
        if hasRead, !isTimeout {
            hasAnswered = true
        } else if isTimeout, !hasAnswered {
            count += 1
        } else {
            count = 0
        }
    }
}
