import Core
import Testing

@Suite struct SignalTests {
    @Test func aRaiseIsRememberedOnce() {
        let signal = Signal()
        #expect(!signal.consume())
        signal.raise()
        signal.raise()
        #expect(signal.consume())
        #expect(!signal.consume())
    }

    @Test func aRaiseIsNeverTakenBackByATimeOutOrACancellation() async {
        let signal = Signal()
        signal.raise()
        signal.finish(.expired)
        signal.finish(.cancelled)
        #expect(await signal.park() == .raised)
    }

    @Test func aRaiseAfterATimeOutWins() async {
        let signal = Signal()
        signal.finish(.expired)
        signal.raise()
        #expect(await signal.park() == .raised)
    }

    @Test func aTimeOutThatCameTooLateIsForgotten() {
        let signal = Signal()
        signal.finish(.expired)
        #expect(!signal.consume())
        #expect(!signal.consume())
    }

    @Test(arguments: [Signal.Outcome.raised, .expired, .cancelled])
    func aParkedTaskLearnsWhyItsWaitEnded(outcome: Signal.Outcome) async {
        let signal = Signal()
        async let found = signal.park()
        signal.finish(outcome)
        #expect(await found == outcome)
    }
}
