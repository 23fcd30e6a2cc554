import ControlProtocol
import Testing

@testable import roost

@Suite struct StatusTextTests {
    private func report() -> StatusReport {
        StatusReport(
            name: "attic",
            version: "0.1.0",
            processID: 1,
            uptimeSeconds: 5,
            wallTime: nil,
            bootID: nil,
            mode: ModeReport(mode: "normal", name: nil, endsInSeconds: nil),
            lamp: nil,
            channels: [],
            budget: BudgetReport(
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
            ),
            watchdog: nil,
            faults: []
        )
    }

    private func lines(_ report: StatusReport) -> [String] {
        ReportText.status(report, Paint(isColoured: false))
    }

    @Test func saysInOneLineWhatTheStartFoundWrongWithTheCard() throws {
        var report = report()
        report.cardStart = ["The card cannot be written.", "It is too small."]
        let line = "card    at the last start: The card cannot be written. It is too small."
        #expect(lines(report).contains(line))
        let text = try ControlCodec.line(report)
        #expect(text.contains(#""cardStart":["The card cannot be written.""#))
    }

    @Test func saysNothingOfACardThatWasWhole() throws {
        #expect(!lines(report()).contains { $0.hasPrefix("card ") })
        let text = try ControlCodec.line(report())
        #expect(!text.contains("cardStart"))
    }
}
