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

    private func isStuck(_ answers: BusAnswer..., bus: String? = nil) -> Bool {
        var timeouts = BusTimeouts(bus: bus)
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

    /// The Pi's controller gives up by itself where a part holds the clock; others say EIO of less.
    @Test func anErrorOfThePisControllerIsATimeout() {
        let held = BusAnswer([.failed(EIO), .skipped])
        #expect(isStuck(held, held, bus: "bcm2835 (i2c@7e804000)"))
        #expect(isStuck(held, Self.timeout, bus: "bcm2835 (i2c@7e804000)"))
        #expect(!isStuck(held, Self.refusal, held, bus: "bcm2835 (i2c@7e804000)"))
        #expect(!isStuck(held, held, held, bus: "Synopsys DesignWare I2C adapter"))
        #expect(!isStuck(held, held, held))
    }

    /// `BusSteps` says it of a part that sends too little, which no bus has to hang for.
    @Test func aShortTransferIsNoTimeout() {
        let short = BusAnswer([.failed(EPROTO), .skipped])
        #expect(!isStuck(short, short, short, bus: "bcm2835 (i2c@7e804000)"))
    }

    /// It is asked again and opened anew first.
    @Test func doesNotHangWhereThePartAnsweredSinceItWasOpened() {
        #expect(!isStuck(Self.value, Self.timeout, Self.timeout, Self.timeout))
    }
}
