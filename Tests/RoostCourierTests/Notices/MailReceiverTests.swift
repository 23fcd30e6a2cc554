import Core
import SimulationKit
import Testing

@testable import RoostCourier

@Suite struct MailReceiverTests {
    private let receiver: MailReceiver = {
        let envelope = MailMessage(
            url: "smtps://mail.example.org",
            from: "roost@example.org",
            recipients: ["me@example.org", "you@example.org"],
            bytes: []
        )
        return MailReceiver(envelope, station: TargetFixture.station, clock: SimulatedClock())
    }()

    @Test func writesEachByte() {
        let text = String(
            decoding: receiver.bytes(NoticeValues.sample, at: TargetFixture.time),
            as: UTF8.self
        )
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0] == "Date: Sun, 22 Nov 2026 04:30:00 +0000")
        #expect(lines[1] == "From: roost@example.org")
        #expect(lines[2...3] == ["To: me@example.org,", " you@example.org"])
        #expect(lines[4].hasPrefix("Subject: =?utf-8?Q?Air_Quality_Alert=3A_PM2.5_of_16.1_=C2=B5g"))
        #expect(lines.contains("Message-ID: <n-412@7f3a21c9d0e4.roost.invalid>"))
        #expect(
            lines.contains("PM2.5 of 16.1 =C2=B5g/m=C2=B3 (24 h mean, guideline 15) measured 07:49")
        )
        #expect(lines.allSatisfy { $0.utf8.count <= 76 } && text.utf8.allSatisfy { $0 < 0x80 })
        #expect(!text.replacing("\r\n", with: "").contains { "\r\n".contains($0) })
    }

    @Test(arguments: [
        ("a=b", "a=3Db\r\n"), ("end ", "end=20\r\n"), ("a\nb", "a\r\nb\r\n"), ("µ", "=C2=B5\r\n"),
        ("a\tb\r", "a=09b=0D\r\n"),
    ])
    func quotes(_ text: String, _ quoted: String) {
        #expect(QuotedPrintable.text(text) == quoted)
    }

    @Test func noTextAddsAHeader() {
        let header = QuotedPrintable.header("Alert\r\nBcc: all@example.org")
        #expect(!header.contains("\r") && !header.contains("\n"))
        let long = QuotedPrintable.header(String(repeating: "µ", count: 200))
        #expect(long.split(separator: "\r\n ").allSatisfy { $0.utf8.count <= 75 })
    }
}
