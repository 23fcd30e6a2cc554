import Core

/// Values of a notice by the names that templates use; the names are the same for all notices.
package enum NoticeValues {
    /// All names that templates may use.
    package static let names = Set(sampleValues.keys)
    /// Values of the example notice `sample`.
    static let sampleValues = values(sample, sampleStation)

    /// An example notice with all parts, for trying a template.
    package static let sample: Notice = {
        var notice = Notice(
            number: 412,
            kind: .raised,
            key: "who-24h balcony/pm25",
            severity: .warning,
            text: (
                title: "Air Quality Alert",
                subtitle: "PM2.5 of 16.1 µg/m³ (24 h mean, guideline 15) measured 07:49",
                body: ["since 06:10, worst 18.4 µg/m³"]
            ),
            time: WallTime(nanoseconds: 1_795_321_800_000_000_000)
        )
        notice.link = "http://station.local/alerts"
        notice.measurement = .init(quantity: "PM2.5", value: 16.1, unit: "µg/m³")
        return notice
    }()

    /// Makes a notice that a person asks for, to try the receiver: it has no invented value.
    ///
    /// - Parameters:
    ///   - language: `en`, `de` or `it`; English for any other.
    ///   - receiver: One whose service takes values alone is sent the example's.
    package static func test(
        at time: WallTime?,
        in language: String = "en",
        for receiver: (any NoticeReceiver)? = nil
    ) -> Notice {
        let words = testWords[language] ?? testWords["en"] ?? ("", "")
        var notice = Notice(
            number: 0,
            kind: .raised,
            key: "test",
            severity: .warning,
            text: (words.title, words.subtitle, []),
            time: time
        )
        (notice.isTest, notice.language) = (true, language)
        if let receiver, !receiver.takes(notice) { notice.measurement = sample.measurement }
        return notice
    }

    private static let testWords: [String: (title: String, subtitle: String)] = [
        "en": ("Notices arrive", "This is a test: nothing is wrong."),
        "de": ("Meldungen kommen an", "Das ist eine Probe: Alles ist in Ordnung."),
        "it": ("Gli avvisi arrivano", "Questa è una prova: va tutto bene."),
    ]

    private static let sampleStation = StationIdentity(
        id: "7f3a21c9d0e4",
        name: "balcony",
        model: "Raspberry Pi 4 Model B",
        version: "0.1.0"
    )

    package static func values(
        _ notice: Notice,
        _ station: StationIdentity
    ) -> [String: TemplateValue] {
        let parts = notice.key.split(separator: " ", maxSplits: 1).map(String.init)
        let measurement = notice.measurement
        let title = (notice.isTest ? "TEST: " : "") + notice.title
        return [
            "number": .number(FixedPoint(Int64(notice.number), decimals: 0)),
            "kind": .text(notice.kind.rawValue),
            "key": .text(notice.key),
            "rule": TemplateValue(parts.first),
            "channel": TemplateValue(parts.count > 1 ? parts[1] : nil),
            "severity": .text(notice.severity.rawValue),
            "priority": .number(FixedPoint(priority(notice.severity), decimals: 0)),
            "silent": .flag(notice.severity == .notice),
            "title": .text(title),
            "subtitle": .text(notice.subtitle),
            "body": .text(notice.body.joined(separator: "\n")),
            "message": .text(notice.message),
            "text": .text("\(title)\n\(notice.message)"),
            "time": TemplateValue(notice.time),
            "link": TemplateValue(notice.link),
            "quantity": TemplateValue(measurement?.quantity),
            "value": measurement.map { .number($0.value) } ?? .none,
            "unit": TemplateValue(measurement?.unit),
            "picture": TemplateValue(notice.picture?.name),
            "test": .flag(notice.isTest),
            "station": .text(station.id),
            "stationName": .text(station.name),
            "version": .text(station.version),
        ]
    }

    /// ntfy's scale of 1…5: 3 is its default, 5 rings through.
    private static func priority(_ severity: Notice.Severity) -> Int64 {
        switch severity {
        case .notice: 3
        case .warning: 4
        case .critical: 5
        }
    }
}
