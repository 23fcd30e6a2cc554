import Core
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct RecordSwitchTests {
    private static func reading(_ second: Int, _ device: String = "dust") -> Reading {
        let at = MonotonicInstant.boot.advanced(by: .seconds(second))
        return Reading(Channel(device: device, quantity: .pm25), at: at, .value(1.5))
    }

    @Test func eachReadingIsJudgedByItsOwnTime() {
        let recording = RecordSwitch()
        #expect(recording.stored([Self.reading(1)]) == [Self.reading(1)])
        recording.set(["dust"], at: .boot.advanced(by: .seconds(10)))
        recording.set([], at: .boot.advanced(by: .seconds(20)))
        #expect(recording.keeps("dust"))
        let readings = [5, 10, 19, 20, 30].map { Self.reading($0) }
        let outcomes = recording.stored(readings).map(\.outcome.value?.mantissa)
        #expect(outcomes == [15, nil, nil, 15, 15])
        #expect(recording.stored([Self.reading(12, "air")]) == [Self.reading(12, "air")])
    }

    @Test func aReasonWhyThereIsNoValueStays() {
        let recording = RecordSwitch()
        recording.set(["dust"], at: .boot)
        let channel = Channel(device: "dust", quantity: .pm25)
        let absent = Reading(channel, at: .boot, .noData(.unplugged))
        #expect(recording.stored([absent]) == [absent])
        #expect(recording.stored([Self.reading(1)]).map(\.outcome) == [.noData(.notKept)])
        #expect(!recording.keeps("dust") && recording.keeps("air"))
    }

    @Test func changesHaveABound() {
        let recording = RecordSwitch()
        for second in 0..<(RecordSwitch.changeLimit * 3) {
            recording.set(second % 2 == 0 ? ["dust"] : [], at: .boot.advanced(by: .seconds(second)))
        }
        let last = RecordSwitch.changeLimit * 3 - 1
        #expect(recording.keeps("dust"))
        #expect(recording.stored([Self.reading(last)])[0].outcome.value != nil)
        #expect(recording.stored([Self.reading(last - 1)])[0].outcome == .noData(.notKept))
    }
}
