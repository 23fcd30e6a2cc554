import Alerts
import Core
import Testing

@Suite struct NoticeTextTests {
    private var raised: AlertEvent.Raised {
        var raised = AlertEvent.Raised(7, AlertEvent.Key("who-24h", "balcony/pm25"))
        (raised.value, raised.limit, raised.unit, raised.over) = (16.1, 15, "µg/m³", 86_400)
        return raised
    }

    @Test func saysValueUnitTimeAndLimit() throws {
        let text = try #require(NoticeText(.raised(raised), in: .en))
        #expect(text.title == "Air Quality Alert" && text.body.isEmpty)
        #expect(text.subtitle == "balcony/pm25: 16.1 µg/m³ (mean of 24 h, limit 15)")
        let german = try #require(NoticeText(.raised(raised), in: .de))
        #expect(german.subtitle == "balcony/pm25: 16,1 µg/m³ (Mittel über 24 h, Grenze 15)")
    }

    @Test(arguments: NoticeText.Language.allCases)
    func everyLanguageHasEveryWord(_ language: NoticeText.Language) throws {
        var full = raised
        (full.held, full.flags) = (600, ["humid", "flapping", "test"])
        let text = try #require(NoticeText(.raised(full), in: language))
        #expect(text.title.hasPrefix("TEST: ") && text.title.count > 10)
        #expect(text.body.split(separator: "\n").count == 3)
        let resolved = AlertEvent.Resolved(
            number: 8,
            raise: 7,
            key: full.key,
            why: .noData,
            lasted: 90_000,
            worst: 31.5,
            severity: .warning
        )
        let end = try #require(NoticeText(.resolved(resolved), in: language))
        #expect(end.subtitle.hasSuffix(" 25 h"))
        #expect(end.body.split(separator: "\n").count == 2)
    }

    @Test func whatIsNoNoticeHasNoText() {
        let silenced = AlertEvent.silenced(.init(raised.key, for: 60, by: "pi"))
        #expect(NoticeText(silenced, in: .en) == nil)
    }

    @Test func aRuleWithoutAValueSaysWhy() throws {
        var silent = AlertEvent.Raised(1, AlertEvent.Key("silent", "balcony"))
        silent.why = "unplugged"
        let text = try #require(NoticeText(.raised(silent), in: .en))
        #expect(text.subtitle == "silent:balcony, unplugged")
    }
}
