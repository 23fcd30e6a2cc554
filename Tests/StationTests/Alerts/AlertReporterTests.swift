import ControlProtocol
import Core
import Testing

@testable import Alerts
@testable import Station

@Suite struct AlertReporterTests {
    private static func facts(
        _ faults: [Fault.Kind] = [],
        isSure: Bool = true,
        _ vitals: MachineVitals? = nil
    ) -> AlertReporter.Facts {
        var facts = AlertReporter.Facts()
        facts.faults = faults.map { Fault($0, since: .boot, "\($0.rawValue)") }
        (facts.hasSureTime, facts.vitals) = (isSure, vitals)
        return facts
    }

    @Test func saysOnceWhatIsWellAndThenWhatChanges() {
        var reporter = AlertReporter()
        let well: [AlertReport] = [
            .trouble(.store, subject: "station", nil), .trouble(.clock, subject: "station", nil),
        ]
        #expect(reporter.reports(Self.facts(), at: 0) == well)
        #expect(reporter.reports(Self.facts([.sensorSilent]), at: 60).isEmpty)
        let trouble = reporter.reports(Self.facts([.storeNotWriting], isSure: false), at: 120)
        #expect(
            trouble == [
                .trouble(.store, subject: "station", "store-not-writing"),
                .trouble(.clock, subject: "station", "the time is not sure"),
            ]
        )
        #expect(reporter.reports(Self.facts(), at: 180) == well)
        _ = reporter.forget()
        #expect(reporter.reports(Self.facts(), at: 240) == well)
    }

    /// Now, or three times within a day.
    @Test func lowVoltageIsTroubleWhileItIsThereOrCameThreeTimes() {
        var reporter = AlertReporter()
        func power(_ isLow: Bool, at now: Int) -> [AlertReport] {
            reporter.reports(Self.facts([], MachineVitals(isUnderVoltage: isLow)), at: now)
                .filter { if case .trouble(.power, _, _) = $0 { true } else { false } }
        }
        let (low, often) = ("the voltage is low", "the voltage is low too often")
        #expect(power(false, at: 0) == [.trouble(.power, subject: "station", nil)])
        #expect(power(true, at: 300) == [.trouble(.power, subject: "station", low)])
        #expect(power(false, at: 600) == [.trouble(.power, subject: "station", nil)])
        #expect(power(true, at: 900) == [.trouble(.power, subject: "station", low)])
        #expect(power(true, at: 1_200).isEmpty)
        #expect(power(false, at: 1_500) == [.trouble(.power, subject: "station", often)])
        // The first of them is a day old.
        #expect(power(false, at: 86_700) == [.trouble(.power, subject: "station", nil)])
    }

    @Test(arguments: [(8, 1, false), (9, 1, true), (1, 2, true), (1, 0, false)])
    func aWornCardIsTrouble(lifeTime: Int, endOfLife: Int, isWorn: Bool) {
        var reporter = AlertReporter()
        let card = MachineVitals.Card(lifeTime: lifeTime, endOfLife: endOfLife)
        let reports = reporter.reports(Self.facts([], MachineVitals(card: card)), at: 0)
        let words = isWorn ? "the card has little of its life left" : nil
        #expect(reports.last == .trouble(.card, subject: "station", words))
    }

    @Test func aTargetThatIsLateIsTroubleUntilItIsNot() {
        var reporter = AlertReporter()
        func reports(_ kind: EventKind.Plain) -> [AlertReport] {
            let details = [
                Event.Detail("target", "influx"), .init("why", "401"),
                .init("since", "2026-11-23T06:00:00Z"),
            ]
            return reporter.report(
                Event(
                    at: .boot,
                    source: "courier",
                    name: kind.rawValue,
                    severity: .warning,
                    details: details
                )
            )
        }
        #expect(reports(.outboxHeld).isEmpty)
        let words = "waits since 2026-11-23T06:00:00Z: 401"
        #expect(reports(.outboxLate) == [.trouble(.outbox, subject: "influx", words)])
        #expect(reports(.outboxLate).isEmpty)
        // The courier says it once: other rules hear it from here.
        #expect(reporter.forget() == [.trouble(.outbox, subject: "influx", words)])
        #expect(reports(.outboxLate).isEmpty)
        #expect(reports(.outboxResumed).isEmpty)
        #expect(reports(.outboxInTime) == [.trouble(.outbox, subject: "influx", nil)])
    }
}
