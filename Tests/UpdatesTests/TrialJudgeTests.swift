import ControlProtocol
import Testing
import Updates

@Suite struct TrialJudgeTests {
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
        let before = TrialJudge.baseline(
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

    @Test func isGoodWithAFirstValueAndTheSameAbsence() {
        let now = status([channel("balcony/pm25", age: 30)], reasons: ["late:attic"])
        #expect(TrialJudge.verdict(now, before: before) == .good)
        let better = status([channel("balcony/pm25", age: 30)])
        #expect(TrialJudge.verdict(better, before: before) == .good)
    }

    @Test func leavesDevicesOfTheNetworkOutOfIt() {
        let now = status([channel("balcony/pm25", age: 30)], reasons: ["late:court"])
        #expect(TrialJudge.verdict(now, before: before) == .good)
    }

    @Test func waitsForWhatIsMissing() {
        func waits(_ status: StatusReport, _ words: String) {
            guard case .waits(let why) = TrialJudge.verdict(status, before: before) else {
                Issue.record("is good without \(words)")
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
        waits(status([]), "balcony/pm25")
        // The store remembers a value of the time before the start.
        waits(status([channel("balcony/pm25", age: 900)]), "balcony/pm25")
    }

    @Test func asksForAnAnswerAloneWhereNothingIsKnown() {
        #expect(TrialJudge.verdict(status(reasons: ["late:attic"]), before: nil) == .good)
        #expect(TrialJudge.verdict(status(up: 5), before: nil) != .good)
        #expect(TrialJudge.verdict(status(store: .missing), before: nil) != .good)
    }
}
