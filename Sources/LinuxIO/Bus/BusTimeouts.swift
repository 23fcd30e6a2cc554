import Glibc
import HardwareIO

/// Whether a bus hangs whose driver gives up by itself: a Pi's does so after a second.
///
/// Pure, and for one opening of a part. A part that answered before is asked again and opened anew
/// first, as remedies of its own.
///
/// - Source: Linux, drivers/i2c/busses/i2c-bcm2835.c, `bcm2835_i2c_xfer`: EREMOTEIO where a part
///   does not acknowledge, ETIMEDOUT where nothing ends, EIO where a part holds the clock for too
///   long. Other buses say EIO of a byte that is not acknowledged, drivers of the kernel of a
///   checksum.
struct BusTimeouts: Hashable, Sendable {
    /// Time-outs in a row after which it hangs.
    static let limit = 2

    private let codes: Set<Int32>
    private var count = 0
    private var hasAnswered = false

    /// - Parameter bus: The kernel's name of it, where the answers are those of the bus itself.
    init(bus: String? = nil) {
        codes = bus?.hasPrefix("bcm2835") == true ? [ETIMEDOUT, EIO] : [ETIMEDOUT]
    }

    var isStuck: Bool { count >= Self.limit }

    /// Records what came of a question.
    mutating func record(_ answer: BusAnswer) {
        // What a driver of the kernel keeps in memory, such as a scale, is read beside a time-out.
        let isTimeout = answer.results.contains { result in
            if case .failed(let code) = result { codes.contains(code) } else { false }
        }
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
