import Core
import Testing

@Suite struct ReadingTests {
    @Test func absenceIsNoValue() {
        #expect(Outcome.noData(.replyTimeout).value == nil)
        #expect(Outcome.value(12.3).value == FixedPoint(123, decimals: 1))
        #expect(Outcome.value(0) != .noData(.stuck))
    }

    @Test func aChannelIsNamedByDeviceAndQuantity() {
        #expect(Channel(device: "balcony", quantity: .pm25).description == "balcony/pm25")
    }

    @Test func doubtsAreNamed() {
        #expect(Quality([.unchanging, .ceiling]).names == ["ceiling", "unchanging"])
        #expect(Quality().names.isEmpty)
    }

    @Test func anEventKeepsTheOrderOfItsDetails() {
        let event = Event(
            at: .boot,
            source: "lights",
            kind: .plain(.lampChanged),
            ["lamp": "green", "was": "unknown"]
        )
        #expect(event.details.map(\.key) == ["lamp", "was"])
        #expect(event["was"] == "unknown")
        #expect(event["missing"] == nil)
        #expect(Event.Severity.debug < .error)
        #expect(
            Event.Severity.allCases.map(\.name) == ["debug", "info", "notice", "warning", "error"]
        )
    }

    @Test func everyDoubtHasOneBitAndOneWord() {
        let flags: [Quality] = [
            .ceiling, .inconsistent, .unchanging, .outOfRange, .humid, .jump, .disagrees, .zero,
            .estimated,
        ]
        #expect(flags.map(\.rawValue) == (0..<9).map { 1 << $0 })
        #expect(Quality(flags).names == flags.flatMap(\.names))
        #expect(Set(flags.flatMap(\.names)).count == flags.count)
    }
}
