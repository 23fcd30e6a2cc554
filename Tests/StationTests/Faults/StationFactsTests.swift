import Core
import Testing

@testable import Devices
@testable import Station

@Suite struct StationFactsTests {
    private static let start = MonotonicInstant.boot
    private static let channel = Channel(device: "dust", quantity: .pm25)

    private func at(_ seconds: Int) -> MonotonicInstant {
        Self.start.advanced(by: .seconds(seconds))
    }

    private func facts(
        at seconds: Int,
        latest: Outcome?,
        of second: Int = 0,
        valueAt: Int? = nil,
        outlastsMiss: Bool = false
    ) -> StationFacts {
        var facts = StationFacts(now: at(seconds), startedAt: Self.start)
        var device = StationFacts.Device(name: "dust", location: "/dev/ttyUSB0")
        device.attachedAt = Self.start
        device.limits = StationFacts.Limits(
            age: .seconds(10),
            silence: .seconds(480),
            outlastsMiss: outlastsMiss
        )
        device.latest = latest.map { [Reading(Self.channel, at: at(second), $0)] } ?? []
        device.lastValueAt = valueAt.map(at)
        facts.devices = [device]
        return facts
    }

    @Test func aSensorThatWasAskedInVainIsSilentSinceItsLastValue() {
        let faults = facts(at: 700, latest: .noData(.replyTimeout), of: 690, valueAt: 300).faults
        #expect(faults.map(\.id) == ["sensor-silent:dust"])
        #expect(faults.first?.since == at(300))
        #expect(faults.first?.sentence == "dust at /dev/ttyUSB0 does not answer")
        #expect(faults.first?.nextStep.isEmpty == false)
    }

    @Test func garbageIsNoAnswer() {
        let faults = facts(at: 30, latest: .noData(.badFrames), of: 20).faults
        #expect(faults.first?.sentence.contains("nothing that can be understood") == true)
    }

    @Test func noiseNamesTheSpeed() {
        var facts = facts(at: 30, latest: .noData(.badFrames), of: 20)
        facts.devices[0].baud = 9_600
        #expect(facts.faults.map(\.id) == ["sensor-silent:dust"])
        #expect(facts.faults.first?.sentence.contains("noise at this speed, 9600 baud") == true)
    }

    @Test func anotherSensorIsAFaultOfItsOwnWithBothIds() {
        var facts = facts(at: 30, latest: .noData(.badFrames), of: 20)
        facts.devices[0].baud = 9_600
        facts.devices[0].other = .init(wanted: "B0B0", found: "A160")
        #expect(facts.faults.map(\.id) == ["sensor-other:dust"])
        let sentence = "another sensor answers at /dev/ttyUSB0: A160, and dust is B0B0"
        #expect(facts.faults.first?.sentence == sentence)
        #expect(facts.faults.first?.nextStep.contains("roost devices adopt /dev/ttyUSB0") == true)
    }

    @Test func oneMissInAStreamIsNoFaultAndManyAre() {
        func ids(_ valueAt: Int) -> [String] {
            facts(
                at: 100,
                latest: .noData(.replyTimeout),
                of: 99,
                valueAt: valueAt,
                outlastsMiss: true
            ).faults.map(\.id)
        }
        #expect(ids(97).isEmpty)
        #expect(ids(80) == ["sensor-silent:dust"])
    }

    @Test func aDriverWithoutAnyWordIsSilentToo() {
        #expect(facts(at: 480, latest: nil).faults.isEmpty)
        #expect(facts(at: 481, latest: nil).faults.map(\.id) == ["sensor-silent:dust"])
    }

    @Test(arguments: [NoData.muted, .warmingUp, .noFix, .stopped])
    func whatIsMeantToBeAbsentIsNoFault(_ reason: NoData) {
        #expect(facts(at: 30, latest: .noData(reason), of: 20).faults.isEmpty)
    }

    @Test func aStuckValueIsNamed() {
        let faults = facts(at: 900, latest: .noData(.stuck), of: 890, valueAt: 500).faults
        #expect(faults.map(\.id) == ["sensor-stuck:dust"])
    }

    @Test func aKnownTroubleComesBeforeWhatItCauses() {
        var facts = facts(at: 900, latest: .noData(.replyTimeout), of: 20)
        facts.devices[0].trouble = StationFacts.Trouble(.away, since: at(25), "/dev/ttyUSB0: gone")
        #expect(facts.faults.map(\.id) == ["device-away:dust"])
        #expect(facts.faults.first?.sentence == "dust: /dev/ttyUSB0: gone")
    }

    @Test func whatWasNotSeenSinceTheStartIsMissedOnceItHadTime() {
        var early = StationFacts(now: at(80), startedAt: Self.start)
        early.missing = [.init(subject: "attic", isAdapter: false, since: nil, words: "x:1")]
        var late = StationFacts(now: at(91), startedAt: Self.start)
        late.missing = early.missing
        #expect(early.faults.isEmpty)
        #expect(late.faults.map(\.id) == ["device-away:attic"])
        #expect(late.faults.first?.nextStep.contains("roost devices forget attic") == true)
    }

    @Test func theOldestComesFirst() {
        var facts = facts(at: 900, latest: .noData(.stuck), of: 890, valueAt: 500)
        facts.named = [
            Fault(.mirrorMissing, since: at(600), "no memory"),
            Fault(.storeNotWriting, since: at(100), "full"),
        ]
        let ids = ["store-not-writing", "sensor-stuck:dust", "mirror-missing"]
        #expect(facts.faults.map(\.id) == ids)
    }

    @Test func everyKindHasAnIdOfItsOwnAndANextStep() {
        let faults = Fault.Kind.allCases.map { Fault($0, of: "x", since: Self.start, "x") }
        #expect(Set(faults.map(\.id)).count == faults.count)
        #expect(faults.allSatisfy { !$0.nextStep.isEmpty })
    }
}
