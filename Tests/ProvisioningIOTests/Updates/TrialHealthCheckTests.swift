import ControlProtocol
import Testing

@testable import ProvisioningIO

@Suite struct TrialHealthCheckTests {
    private func status(
        _ channels: [ChannelReport] = [],
        reasons: [String] = [],
        up: Double = 600,
        store: StoreReport.State? = .ok
    ) -> StatusReport {
        var report = StatusReport(
            name: "roost",
            version: "0.2.0",
            processID: 1,
            uptimeSeconds: up,
            wallTime: nil,
            bootID: nil,
            mode: ModeReport(mode: "normal", name: nil, endsInSeconds: nil),
            lamp: nil,
            channels: channels,
            budget: Self.budget,
            watchdog: nil,
            faults: []
        )
        report.health = HealthReport(reasons: reasons)
        report.store = store.map { state in
            var report = StoreReport(folder: "/var/lib/roost", journal: nil)
            report.state = state
            return report
        }
        return report
    }

    private static let budget = BudgetReport(
        wakeUps: 0,
        wakeUpsPerMinute: 0,
        cpuMilliseconds: 0,
        voluntarySwitches: 0,
        residentKiB: 0,
        privateKiB: 0,
        descriptorCount: 0,
        threadCount: 0,
        readingCount: 0,
        eventCount: 0
    )

    private func channel(
        _ name: String,
        age: Double?,
        isStale: Bool = false,
        interval: Double? = 300
    ) -> ChannelReport {
        let reading = age.map { age in
            ReadingReport(
                channel: name,
                instantSeconds: 1,
                ageSeconds: age,
                outcome: (value: Measured(12.5, decimals: 1), noData: nil),
                unit: "µg/m³",
                quality: []
            )
        }
        var report = ChannelReport(
            channel: name,
            unit: "µg/m³",
            latest: reading,
            valueAgeSeconds: age,
            isStale: isStale
        )
        report.intervalSeconds = interval
        return report
    }

    @Test func remembersWhatWasFreshAndWired() {
        let before = TrialHealthCheck.baseline(
            status(
                [
                    channel("balcony/pm25", age: 20),
                    channel("attic/pm25", age: 9_000, isStale: true),
                    channel("door/motion", age: 5, interval: nil), channel("court/pm25", age: 5),
                    channel("cellar/co2", age: nil),
                ],
                reasons: ["late:attic", "device-away:cellar"]
            ),
            remote: ["court"]
        )
        #expect(before.channels == ["balcony/pm25"])
        #expect(before.reasons == ["device-away:cellar", "late:attic"])
        #expect(before.hasStore)
    }

    private let before = UpdateBaseline(
        reasons: ["late:attic"],
        channels: ["balcony/pm25"],
        hasStore: true
    )

    private func verdict(
        _ status: StatusReport,
        before: UpdateBaseline?,
        after elapsed: Double = 100
    ) -> TrialHealthCheck.Verdict {
        TrialHealthCheck.verdict(status, before: before, after: elapsed)
    }

    @Test func isGoodWithAFirstValueAndTheSameAbsence() {
        let now = status([channel("balcony/pm25", age: 30)], reasons: ["late:attic"])
        #expect(verdict(now, before: before) == .good)
        let better = status([channel("balcony/pm25", age: 30)])
        #expect(verdict(better, before: before) == .good)
    }

    @Test func leavesDevicesOfTheNetworkOutOfIt() {
        let now = status([channel("balcony/pm25", age: 30)], reasons: ["late:court"])
        #expect(verdict(now, before: before) == .good)
    }

    @Test func waitsForWhatIsMissing() {
        func waits(_ status: StatusReport, _ words: String) {
            guard case .waits(let why) = verdict(status, before: before) else {
                Issue.record("does not wait for \(words)")
                return
            }
            #expect(why.contains(words))
        }
        let fresh = [channel("balcony/pm25", age: 30)]
        waits(status(fresh, store: .opening), "opening")
        waits(status(fresh, store: .failing), "failing")
        waits(status(fresh, store: nil), "no store")
        waits(status(fresh, up: 59), "runs for 59 s")
        waits(status(fresh, reasons: ["store-not-writing"]), "store-not-writing")
        waits(status(fresh, reasons: ["late:balcony"]), "late:balcony")
        waits(status(fresh, reasons: ["sensor-silent:balcony"]), "sensor-silent:balcony")
        waits(status([], up: 299), "balcony/pm25")
        // The store remembers a value of the time before the start.
        waits(status([channel("balcony/pm25", age: 900)], up: 299), "balcony/pm25")
    }

    @Test func givesUpFiveMinutesAfterAStartThatDoesNotEnd() {
        let fresh = [channel("balcony/pm25", age: 30)]
        #expect(TrialHealthCheck.unstarted("no answer", after: 299) == .waits("no answer"))
        #expect(TrialHealthCheck.unstarted("no answer", after: 300) == .bad("no answer"))
        let short = status(fresh, up: 40)
        #expect(verdict(short, before: before, after: 300) == .bad("the station runs for 40 s"))
        let failing = status(fresh, store: .failing)
        #expect(verdict(failing, before: before, after: 300) == .bad("the store is failing"))
        let without = status(fresh, store: nil)
        let why = "the station has no store, and had one before"
        #expect(verdict(without, before: before, after: 300) == .bad(why))
        // A store that is brought to a new schema may take longer.
        let opening = status(fresh, store: .opening)
        #expect(verdict(opening, before: before, after: 700) == .waits("the store is opening"))
    }

    @Test(arguments: [(1.0, 300.0), (60, 300), (300, 600), (3_600, 780)])
    func givesUpWhenAValueIsOverdue(interval: Double, limit: Double) {
        func after(_ up: Double) -> TrialHealthCheck.Verdict {
            let old = channel("balcony/pm25", age: up + 100, interval: interval)
            return verdict(status([old], reasons: ["late:balcony"], up: up), before: before)
        }
        #expect(after(limit - 1) == .waits("a fault that was not there: late:balcony"))
        #expect(after(limit) == .bad("no first value of balcony/pm25 in \(Int(limit)) s"))
    }

    @Test func givesUpLateOnAChannelThatTheNewVersionDoesNotKnow() {
        #expect(verdict(status([], up: 779), before: before) != .good)
        let why = "no first value of balcony/pm25 in 780 s"
        #expect(verdict(status([], up: 780), before: before) == .bad(why))
    }

    @Test func asksForAnAnswerAloneWhereNothingIsKnown() {
        #expect(verdict(status(reasons: ["late:attic"]), before: nil) == .good)
        #expect(verdict(status(up: 5), before: nil) != .good)
        #expect(verdict(status(store: .missing), before: nil) != .good)
    }
}
