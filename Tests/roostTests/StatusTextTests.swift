import ControlProtocol
import Testing

@testable import roost

@Suite struct StatusTextTests {
    private func report(
        _ channels: [ChannelReport] = [],
        _ faults: [FaultReport] = []
    ) -> StatusReport {
        StatusReport(
            name: "attic",
            version: "0.1.0",
            processID: 1,
            uptimeSeconds: 5,
            wallTime: nil,
            bootID: nil,
            mode: ModeReport(mode: "normal", name: nil, endsInSeconds: nil),
            lamp: nil,
            channels: channels,
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
            faults: faults
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

    @Test func saysWhatBecomesOfSamplesAtOthers() {
        var held = OutboxReport(id: "influx", type: "influx2", state: .held)
        held.why = "status 401"
        let broker = OutboxReport(id: "home", type: "mqtt", state: .idle)
        var report = report()
        report.sending = [broker, held].map(SendingReport.init)
        let found = lines(report).drop { !$0.hasPrefix("sending ") }
        let wanted = [
            "sending home  all is delivered", "        influx  held until you act: status 401",
        ]
        #expect(found.prefix(2).elementsEqual(wanted))
        report.sendingTrouble = "roost-courier does not answer"
        #expect(lines(report).contains("sending roost-courier does not answer"))
        #expect(!lines(self.report()).contains { $0.hasPrefix("sending") })
    }

    @Test func saysInShortHowTheStationIs() {
        func brief(_ report: StatusReport) -> [String] {
            StationInBrief.lines(report, Paint(isColoured: false))
        }
        let empty = brief(report())
        #expect(empty.count == 9)
        #expect(empty[0] == "attic  up 5.0 s, no faults" && empty[1] == "values  no device yet")
        #expect(empty[6].hasPrefix("  roost devices "))
        let fault = FaultReport(
            id: "silent",
            since: nil,
            ageSeconds: 3,
            sentence: "dust is silent",
            nextStep: "Plug it in again"
        )
        let faulty = brief(report([], [fault, fault]))
        #expect(faulty[0].hasSuffix("2 faults, the oldest: dust is silent"))
        #expect(faulty[4] == "next    Plug it in again")
        #expect(faulty[6].hasPrefix("  roost status "))
    }
}
