import ControlProtocol
import Testing

@testable import RoostWeb

@Suite struct OpenMetricsTests {
    static let status = StatusReport(
        name: "balcony",
        version: "1",
        processID: 1,
        uptimeSeconds: 100,
        wallTime: nil,
        bootID: nil,
        mode: ModeReport(mode: "normal", name: nil, endsInSeconds: nil),
        lamp: nil,
        channels: [],
        budget: BudgetReport(
            wakeUps: 7,
            wakeUpsPerMinute: 0,
            cpuMilliseconds: 0,
            voluntarySwitches: 0,
            residentKiB: 0,
            privateKiB: 0,
            descriptorCount: 0,
            threadCount: 0,
            readingCount: 0,
            eventCount: 0
        ),
        watchdog: nil,
        faults: []
    )

    @Test func openMetricsDescribesTheFamilyAndEnds() {
        let text = OpenMetrics(Self.status, listeners: 0).text
        #expect(text.contains("# TYPE roost_wakeups counter\n# HELP roost_wakeups Wake-ups.\n"))
        #expect(text.contains("\nroost_wakeups_total 7\n") && text.hasSuffix("# EOF\n"))
    }

    @Test func theOlderTextDescribesTheCounter() {
        let text = OpenMetrics(Self.status, listeners: 0, format: .prometheus).text
        #expect(text.contains("# HELP roost_wakeups_total Wake-ups.\nroost_wakeups_total 7\n"))
        #expect(!text.contains("EOF") && text.contains("# TYPE roost_faults gauge\n"))
    }

    @Test(arguments: [
        (nil, OpenMetrics.Format.prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
        ("application/openmetrics-text;version=1.0.0;q=0.6,*/*;q=0.1", .openMetrics),
    ])
    func aCollectorGetsWhatItAsksFor(accept: String?, format: OpenMetrics.Format) {
        #expect(OpenMetrics.Format(accepting: accept) == format)
    }
}
