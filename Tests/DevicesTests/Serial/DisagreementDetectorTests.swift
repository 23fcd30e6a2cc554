import Testing

@testable import Core
@testable import Devices

@Suite struct DisagreementDetectorTests {
    private var detector = DisagreementDetector(.dust)
    private var minute = 0

    /// One value of each device, half a minute apart.
    private mutating func pair(_ first: Double, _ second: Double) -> [DisagreementDetector.Change] {
        minute += 5
        let now = MonotonicInstant.boot.advanced(by: .minutes(minute))
        let changes = [
            detector.append(first, from: .first, at: now),
            detector.append(second, from: .second, at: now.advanced(by: .seconds(30))),
        ]
        return changes.compactMap(\.self)
    }

    @Test mutating func takesThreePairsToBeginAndToEnd() {
        let changes = (0..<4).map { _ in pair(10, 100) }
        #expect(changes == [[], [], [.begun], []])
        #expect(detector.isDisagreeing)
        #expect((0..<4).map { _ in pair(10, 12) } == [[], [], [.ended], []])
    }

    @Test mutating func forgivesWhatTheMakerDoes() {
        for _ in 0..<10 { #expect(pair(0, 20).isEmpty && pair(100, 130).isEmpty) }
        #expect(!detector.isDisagreeing)
    }

    @Test mutating func isNotMovedByOnePairAmongGoodOnes() {
        for _ in 0..<10 { #expect(pair(5, 500).isEmpty && pair(5, 6).isEmpty) }
    }

    @Test mutating func comparesNothingThatIsFarApartInTime() {
        for hour in 0..<10 {
            let now = MonotonicInstant.boot.advanced(by: .hours(hour))
            #expect(detector.append(5, from: .first, at: now) == nil)
            let later = now.advanced(by: .minutes(11))
            #expect(detector.append(500, from: .second, at: later) == nil)
        }
        #expect(!detector.isDisagreeing)
    }

    /// A thermometer that was carried in from outside is not doubted.
    @Test mutating func doubtsThermometersThatAreApartForAnHour() {
        detector = DisagreementDetector(.temperature)
        let changes = (0..<14).map { _ in pair(24.1, 21) }
        #expect(changes.map(\.count) == Array(repeating: 0, count: 12) + [1, 0])
        #expect(detector.isDisagreeing && detector.larger == .first)
        for _ in 0..<20 { #expect(pair(24.1, 21).isEmpty) }
        #expect((0..<20).flatMap { _ in pair(21, 23.9) } == [.ended])
        #expect(!detector.isDisagreeing && detector.larger == .second)
        for _ in 0..<40 { #expect(pair(-3, 0).isEmpty) }
    }

    @Test mutating func usesEachValueOnce() {
        #expect(detector.append(5, from: .first, at: .boot) == nil)
        for _ in 0..<10 { #expect(detector.append(500, from: .second, at: .boot) == nil) }
        #expect(!detector.isDisagreeing)
    }
}
