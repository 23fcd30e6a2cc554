import Core
import Testing

@testable import Store

@Suite struct GapLedgerStopTests {
    /// A sample that an orderly stop breaks off says so; it is the node that stops, not the driver.
    @Test(arguments: [(Int64(2_000), GapCause.nodeStopped), (1_700, .driverStopped)])
    func anOrderlyStopInTheMiddleOfASampleIsTheNodes(_ stop: Int64, _ cause: GapCause) {
        let boot = BootID(bytes: Array(repeating: 1, count: 16))
        let run = NodeRun(
            boot: boot,
            started: Tick(tenths: 0),
            ended: Tick(tenths: 2_020),
            end: .stopped
        )
        let timeline = GapLedgerTimeline(
            runs: [run],
            clock: ClockAnchors(runs: [run], anchors: [])
        )
        var ledger = GapLedger(.balcony, along: timeline)
        ledger.schedule(.seconds(100), boot, from: Tick(tenths: 0))
        ledger.sample([.value(1), .value(2)], boot, Tick(tenths: 1_000))
        ledger.sample([.noData(.stopped), .noData(.stopped)], boot, Tick(tenths: stop))
        let gaps = ledger.finish().lines[0].gaps
        // From the last sample to the end of the run.
        #expect(gaps.filter { $0.cause == cause }.map(\.tenths) == [1_020])
        #expect(gaps.contains { $0.cause == .driverStopped } == (cause == .driverStopped))
    }

    /// The suspension began in the instant of the start, which the node counts from.
    @Test func aNodeThatWasSuspendedAsItStartedIsStartingAfterwards() {
        var ledger = GapLedgerTests.ledger([GapLedgerTests.run(1, 0...1_003, .running)])
        let boot = BootID.numbered(1)
        let here = { (number: Int64) in GapMark.Place(boot, Tick(tenths: number * 10)) }
        ledger.mark(GapMark(.suspended, of: nil, from: here(0), to: here(700)))
        ledger.schedule(.seconds(300), boot, from: Tick(tenths: 7_030))
        ledger.sample([.value(1), .value(2)], boot, Tick(tenths: 10_030))
        let report = ledger.finish()
        #expect(GapLedgerTests.seconds(report, .suspended) == 700)
        #expect(GapLedgerTests.seconds(report, .starting) == 3)
        #expect(GapLedgerTests.seconds(report, .unexplained) == 0)
    }
}
