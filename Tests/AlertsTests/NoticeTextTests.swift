import Core
import FoundationEssentials
import Testing

@testable import Alerts

@Suite struct NoticeTextTests {
    private var raised: AlertEvent.Raised {
        var raised = AlertEvent.Raised(7, AlertEvent.Key("who-24h", "balcony/pm25"))
        (raised.value, raised.limit, raised.unit, raised.over) = (16.1, 15, "µg/m³", 86_400)
        return raised
    }

    @Test func saysValueUnitTimeAndLimit() throws {
        let text = try #require(NoticeText(.raised(raised), in: .en))
        #expect(text.title == "Air Quality Alert" && text.body.isEmpty)
        #expect(text.subtitle == "balcony PM2.5: 16.1 µg/m³ (mean of 24 h, limit 15)")
        let german = try #require(NoticeText(.raised(raised), in: .de))
        #expect(german.subtitle == "balcony PM2.5: 16,1 µg/m³ (Mittel über 24 h, Grenze 15)")
    }

    /// A device has its title, a target of the outbox its id.
    @Test func aDeviceIsCalledByItsTitle() throws {
        let titles = ["balcony": "Klasse 3b", "influx": "no device"]
        let text = try #require(NoticeText(.raised(raised), in: .en, titles: titles))
        #expect(text.subtitle == "Klasse 3b PM2.5: 16.1 µg/m³ (mean of 24 h, limit 15)")
        let names = [
            ("silent", "balcony", "Keine Werte: Klasse 3b"),
            ("motion", "balcony", "Klasse 3b"), ("outbox", "influx", "Postausgang wartet: influx"),
            ("silent", "attic", "Keine Werte: attic"),
        ]
        for (rule, subject, name) in names {
            let raised = AlertEvent.Raised(1, AlertEvent.Key(rule, subject))
            let text = try #require(NoticeText(.raised(raised), in: .de, titles: titles))
            #expect(text.subtitle == name)
        }
    }

    @Test(arguments: NoticeText.Language.allCases)
    func everyLanguageHasEveryWord(_ language: NoticeText.Language) throws {
        var full = raised
        (full.held, full.flags) = (600, ["humid", "flapping", "test"])
        let text = try #require(NoticeText(.raised(full), in: language))
        #expect(text.title.hasPrefix("TEST: ") && text.title.count > 10)
        #expect(text.body.split(separator: "\n").count == 4)
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

    /// The title says what a notice is about, and no text has a key of the engine.
    @Test(
        arguments: [
            ("silent", "dust", "Sensor Alert", "No values: dust (value stuck)"),
            ("stuck", "dust", "Sensor Alert", "Sensor repeats itself: dust (value stuck)"),
            ("laser", "dust", "Sensor Alert", "Laser near its end: dust (value stuck)"),
            ("card", "station", "Station Alert", "Card wears out (value stuck)"),
            ("outbox", "influx", "Station Alert", "Outbox waits: influx (value stuck)"),
            ("many", "station", "Station Alert", "Many alerts at once (value stuck)"),
            ("motion", "door", "Motion", "door (value stuck)"),
            ("who-24h", "balcony/pm25", "Air Quality Alert", "balcony PM2.5 (value stuck)"),
        ]
    )
    func theTitleIsThatOfTheSubject(row: (String, String, String, String)) throws {
        var raised = AlertEvent.Raised(1, AlertEvent.Key(row.0, row.1))
        raised.why = "stuck"
        let text = try #require(NoticeText(.raised(raised), in: .en))
        #expect((text.title, text.subtitle) == (row.2, row.3))
    }

    /// Every rule that comes with Roost has a name, which is the page's, in each language.
    @Test(arguments: NoticeText.Language.allCases)
    func namesOfRulesAreThoseOfThePage(_ language: NoticeText.Language) throws {
        let parts = #filePath.split(separator: "/").dropLast(3)
        let path = "/\(parts.joined(separator: "/"))/Sources/RoostWeb/www/strings"
        var page: [String: String] = [:]
        for file in [language.rawValue, "explain-\(language.rawValue)"] {
            let text = try Data(contentsOf: URL(filePath: "\(path)/\(file).json"))
            page.merge(try JSONDecoder().decode([String: String].self, from: text)) { $1 }
        }
        let names = page.filter { $0.key.hasPrefix("rule.") }
        for (key, name) in names {
            #expect(AlertNames.rule(String(key.dropFirst(5)), in: language) == name)
        }
        for rule in AlertNames.rules.keys where rule != AlertSet.motion.rawValue {
            #expect(names["rule.\(rule)"] != nil, "\(rule)")
        }
        // A gap's cause and a sample's reason share one list.
        let causes = ["replyTimeout": "silent", "stopped": "driverStopped"]
        for code in AlertNames.reasons.keys where code != "no samples" {
            let cause = page["cause.\(causes[code] ?? code)"]
            #expect(cause == AlertNames.reason(code, in: language), "\(code)")
        }
        for reason in NoData.allCases {
            #expect(AlertNames.reasons[reason.rawValue] != nil, "\(reason)")
        }
        for flag in Quality(rawValue: .max).names where language == .en {
            #expect(page["flag.\(flag).words"] == AlertNames.doubt(flag), "\(flag)")
        }
        for rule in AlertSet.standard.flatMap(\.rules) {
            #expect(AlertNames.rules[rule.id] != nil, "\(rule.id)")
        }
    }
}
