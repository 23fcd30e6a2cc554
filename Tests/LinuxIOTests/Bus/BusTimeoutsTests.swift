import Glibc
import HardwareIO
import Testing

@testable import LinuxIO

@Suite struct BusTimeoutsTests {
    private static let timeout = BusAnswer([.failed(ETIMEDOUT), .skipped])
    private static let kernelTimeout = BusAnswer([
        .failed(ETIMEDOUT), .failed(ENOENT), .bytes([49, 48], choice: 0),
    ])
    private static let refusal = BusAnswer([.failed(EREMOTEIO), .skipped])
    private static let value = BusAnswer([.bytes([], choice: 0), .bytes([1, 2], choice: 0)])

    private func isStuck(_ answers: BusAnswer...) -> Bool {
        var timeouts = BusTimeouts()
        for answer in answers { timeouts.record(answer) }
        return timeouts.isStuck
    }

    @Test func hangsAfterTwoTimeoutsOfAPortThatNeverAnswered() {
        #expect(!isStuck(Self.timeout))
        #expect(isStuck(Self.timeout, Self.timeout))
        #expect(!isStuck(Self.timeout, Self.refusal, Self.timeout))
        #expect(isStuck(Self.kernelTimeout, Self.kernelTimeout))
        #expect(!isStuck(Self.refusal, Self.refusal, Self.refusal))
    }

    /// It is asked again and opened anew first.
    @Test func doesNotHangWhereThePartAnsweredSinceItWasOpened() {
        #expect(!isStuck(Self.value, Self.timeout, Self.timeout, Self.timeout))
    }
}
