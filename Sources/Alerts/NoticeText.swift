import Core

/// The text of a notice about an alert, in the language of its receiver.
///
/// A limit never stands without its averaging time, and a value never without its unit.
package struct NoticeText: Hashable, Sendable {
    package typealias Language = AlertNames.Language

    package let title: String
    package let subtitle: String
    /// One sentence a line; empty when there is no more to say.
    package let body: String

    /// Makes the text for an event; nil for an acknowledgement, a silence or a standing alert.
    ///
    /// - Parameters:
    ///   - event: Holds the present value if it is a raise.
    ///   - worst: The worst value since the raise; nil when the present value is the worst.
    ///   - isBlind: Whether there is no value now.
    ///   - titles: What people call devices, by their names; others have their name.
    package init?(
        _ event: AlertEvent,
        in language: Language,
        worst: FixedPoint? = nil,
        isBlind: Bool = false,
        titles: [String: String] = [:]
    ) {
        let words = Words(language, titles: titles)
        switch event {
        case .raised(let raised):
            let isTest = raised.flags.contains("test")
            title = (isTest ? "TEST: " : "") + words.title(of: raised.key)
            subtitle = Self.subtitle(raised, words)
            let grew = worst.flatMap { $0 == raised.value ? nil : $0 }
            let lines = [
                grew.map {
                    "\(words.worst): \(words.number($0))\(raised.unit.map { " \($0)" } ?? "")"
                },
                isBlind ? words.blind : nil,
            ]
            let more = [Self.body(raised, words), isTest ? words.test : ""].filter { !$0.isEmpty }
            body = (lines.compactMap(\.self) + more)
                .joined(separator: "\n")
        case .level(let level):
            title = words.title(of: level.key)
            subtitle =
                "\(words.name(level.key)): "
                + (level.level > level.was ? words.worse : words.better)
            body = ""
        case .resolved(let resolved):
            title = words.over
            subtitle = "\(words.name(resolved.key)): \(words.lasted) \(Self.span(resolved.lasted))"
            let worst = resolved.worst.map { "\(words.worst): \(words.number($0))" }
            let noData = resolved.why == .noData ? words.noData : nil
            body = [worst, noData].compactMap(\.self).joined(separator: "\n")
        case .acknowledged, .silenced, .standing: return nil
        }
    }

    private static func subtitle(_ raised: AlertEvent.Raised, _ words: Words) -> String {
        guard let value = raised.value else {
            let why = raised.why.map { AlertNames.reason($0, in: words.language) }
            return words.name(raised.key) + (why.map { " (\($0))" } ?? "")
        }
        let unit = raised.unit.map { " \($0)" } ?? ""
        let over = raised.over.map { "\(words.mean) \(span($0))" }
        let limit = raised.limit.map { "\(words.limit) \(words.number($0))" }
        let more = [over, limit].compactMap(\.self).joined(separator: ", ")
        // A value at the top of the part's range is only a lower bound.
        let least = raised.flags.contains("ceiling") ? "\(words.atLeast) " : ""
        let subject = words.subject(raised.key)
        let measured = "\(subject): \(least)\(words.number(value))\(unit)"
        return more.isEmpty ? measured : "\(measured) (\(more))"
    }

    private static func body(_ raised: AlertEvent.Raised, _ words: Words) -> String {
        let held = raised.held > 0 ? "\(words.since) \(span(raised.held))" : nil
        let humid = raised.flags.contains("humid") ? words.humid : nil
        let flapping = raised.flags.contains("flapping") ? words.flapping : nil
        let omitted = raised.omitted > 0 ? "\(words.omitted): \(raised.omitted)" : nil
        return [held, humid, flapping, omitted].compactMap(\.self).joined(separator: "\n")
    }

    /// `24 h`, `15 min`, `3 d`: in the largest unit that fits twice at least, rounded down.
    private static func span(_ seconds: Int) -> String {
        if seconds >= 2 * 86_400 { return "\(seconds / 86_400) d" }
        if seconds >= 7_200 { return "\(seconds / 3_600) h" }
        return seconds >= 120 ? "\(seconds / 60) min" : "\(seconds) s"
    }

    /// One language's words.
    private struct Words {
        let language: Language
        let titles: [String: String]
        let air, over, worse, better, lasted, worst, noData: String
        let mean, limit, since, humid, flapping, blind, sensor, station: String
        let atLeast, omitted, test: String

        init(_ language: Language, titles: [String: String]) {
            (self.language, self.titles) = (language, titles)
            let row = Self.table[language] ?? []
            func word(_ index: Int) -> String { index < row.count ? row[index] : "" }
            (air, over, worse, better) = (word(0), word(1), word(2), word(3))
            (lasted, worst, noData, mean) = (word(4), word(5), word(6), word(7))
            (limit, since, humid, flapping) = (word(8), word(9), word(10), word(11))
            (blind, sensor, station) = (word(12), word(13), word(14))
            (atLeast, omitted, test) = (word(15), word(16), word(17))
        }

        func title(of key: AlertEvent.Key) -> String {
            switch AlertNames.Subject(rule: key.rule) {
            case .air: air
            case .sensor: sensor
            case .station: station
            case .motion: AlertNames.rule(key.rule, in: language)
            }
        }

        /// `balcony PM2.5`, `No values: balcony`, `Store in trouble`.
        func name(_ key: AlertEvent.Key) -> String {
            let subject = subject(key)
            switch AlertNames.Subject(rule: key.rule) {
            case .air where key.subject.contains("/"), .motion: return subject
            case .air, .sensor, .station:
                let rule = AlertNames.rule(key.rule, in: language)
                return key.subject == "station" ? rule : "\(rule): \(subject)"
            }
        }

        func subject(_ key: AlertEvent.Key) -> String {
            AlertNames.subject(key.subject, of: key.rule, titles: titles)
        }

        func number(_ value: FixedPoint) -> String {
            language == .en ? "\(value)" : "\(value)".replacing(".", with: ",")
        }

        private static let table: [Language: [String]] = [
            .en: [
                "Air Quality Alert", "Alert is over", "worse", "better", "lasted", "worst value",
                "there were no values for a day", "mean of", "limit", "for",
                "The air is humid: fog can look like dust.", "It keeps coming and going.",
                "There is no value now.", "Sensor Alert", "Station Alert",
                "at least", "values that cannot be, left out", "This is a test: nothing is wrong.",
            ],
            .de: [
                "Luftqualitätsalarm", "Alarm ist vorbei", "schlechter", "besser", "Dauer",
                "schlechtester Wert", "einen Tag lang gab es keine Werte", "Mittel über", "Grenze",
                "seit", "Die Luft ist feucht: Nebel kann wie Staub aussehen.",
                "Er kommt und geht immer wieder.",
                "Zurzeit gibt es keinen Wert.", "Sensoralarm", "Stationsalarm",
                "mindestens", "unmögliche Werte, nicht mitgezählt",
                "Das ist eine Probe: Alles ist in Ordnung.",
            ],
            .it: [
                "Avviso qualità dell’aria", "Avviso terminato", "peggio", "meglio", "durata",
                "valore peggiore", "per un giorno non ci sono stati valori", "media di", "limite",
                "da", "L’aria è umida: la nebbia può sembrare polvere.",
                "Continua ad andare e venire.",
                "Ora non c’è alcun valore.", "Avviso del sensore", "Avviso della stazione",
                "almeno", "valori impossibili, non contati", "Questa è una prova: va tutto bene.",
            ],
        ]
    }
}
