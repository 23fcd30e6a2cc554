import Core

/// The text of a notice about an alert, in the language of its receiver.
///
/// A limit never stands without its averaging time, and a value never without its unit.
package struct NoticeText: Hashable, Sendable {
    package enum Language: String, CaseIterable, Sendable {
        case en, de, it
    }

    package let title: String
    package let subtitle: String
    /// One sentence a line; empty when there is no more to say.
    package let body: String

    /// The text of an event; nil for those that are no notices.
    package init?(_ event: AlertEvent, in language: Language) {
        let words = Words(language)
        switch event {
        case .raised(let raised):
            let isTest = raised.flags.contains("test")
            let isMotion = raised.key.rule == AlertSet.motion.rawValue
            title = (isTest ? "TEST: " : "") + (isMotion ? words.motion : words.title)
            subtitle = Self.subtitle(raised, words)
            body = Self.body(raised, words)
        case .level(let level):
            title = words.title
            subtitle =
                "\(level.key.subject): " + (level.level > level.was ? words.worse : words.better)
            body = ""
        case .resolved(let resolved):
            title = words.over
            subtitle = "\(resolved.key.subject): \(words.lasted) \(Self.span(resolved.lasted))"
            let worst = resolved.worst.map { "\(words.worst): \(words.number($0))" }
            let noData = resolved.why == .noData ? words.noData : nil
            body = [worst, noData].compactMap(\.self).joined(separator: "\n")
        case .acknowledged, .silenced, .standing: return nil
        }
    }

    private static func subtitle(_ raised: AlertEvent.Raised, _ words: Words) -> String {
        guard let value = raised.value else {
            return ["\(raised.key)", raised.why].compactMap(\.self).joined(separator: ", ")
        }
        let unit = raised.unit.map { " \($0)" } ?? ""
        let over = raised.over.map { "\(words.mean) \(span($0))" }
        let limit = raised.limit.map { "\(words.limit) \(words.number($0))" }
        let more = [over, limit].compactMap(\.self).joined(separator: ", ")
        let measured = "\(raised.key.subject): \(words.number(value))\(unit)"
        return more.isEmpty ? measured : "\(measured) (\(more))"
    }

    private static func body(_ raised: AlertEvent.Raised, _ words: Words) -> String {
        let held = raised.held > 0 ? "\(words.since) \(span(raised.held))" : nil
        let humid = raised.flags.contains("humid") ? words.humid : nil
        let flapping = raised.flags.contains("flapping") ? words.flapping : nil
        return [held, humid, flapping].compactMap(\.self).joined(separator: "\n")
    }

    /// `24 h`, `15 min`, `3 d`: the largest unit of which there are two at least.
    private static func span(_ seconds: Int) -> String {
        if seconds >= 2 * 86_400 { return "\(seconds / 86_400) d" }
        if seconds >= 7_200 { return "\(seconds / 3_600) h" }
        return seconds >= 120 ? "\(seconds / 60) min" : "\(seconds) s"
    }

    /// One language's words.
    private struct Words {
        let language: Language
        let title, over, worse, better, lasted, worst, noData: String
        let mean, limit, since, humid, flapping, motion: String

        init(_ language: Language) {
            self.language = language
            let row = Self.table[language] ?? []
            func word(_ index: Int) -> String { index < row.count ? row[index] : "" }
            (title, over, worse, better) = (word(0), word(1), word(2), word(3))
            (lasted, worst, noData, mean) = (word(4), word(5), word(6), word(7))
            (limit, since, humid, flapping) = (word(8), word(9), word(10), word(11))
            motion = word(12)
        }

        func number(_ value: FixedPoint) -> String {
            language == .en ? "\(value)" : "\(value)".replacing(".", with: ",")
        }

        private static let table: [Language: [String]] = [
            .en: [
                "Air Quality Alert", "Alert is over", "worse", "better", "lasted", "worst value",
                "there were no values for a day", "mean of", "limit", "for",
                "The air is humid: fog can look like dust.", "It keeps coming and going.",
                "Motion",
            ],
            .de: [
                "Luftqualitätsalarm", "Alarm ist vorbei", "schlechter", "besser", "Dauer",
                "schlechtester Wert", "einen Tag lang gab es keine Werte", "Mittel über", "Grenze",
                "seit", "Die Luft ist feucht: Nebel kann wie Staub aussehen.",
                "Er kommt und geht immer wieder.",
                "Bewegung",
            ],
            .it: [
                "Avviso qualità dell’aria", "Avviso terminato", "peggio", "meglio", "durata",
                "valore peggiore", "per un giorno non ci sono stati valori", "media di", "limite",
                "da", "L’aria è umida: la nebbia può sembrare polvere.",
                "Continua ad andare e venire.",
                "Movimento",
            ],
        ]
    }
}
