import Core

/// The names of the rules that come with Roost, and what an alert is about, as people read them.
///
/// The page has the same names in its `strings`; a test compares the two.
package enum AlertNames {
    package enum Language: String, CaseIterable, Sendable {
        case en, de, it
    }

    /// Subjects of a notice; its title follows from them.
    package enum Subject: CaseIterable, Sendable {
        case air, sensor, station, motion

        /// The subject of a rule, by its id.
        package init(rule: String) {
            if rule == AlertSet.motion.rawValue {
                self = .motion
            } else if ["silent", "stuck", "laser"].contains(rule) {
                self = .sensor
            } else if AlertTopic(rawValue: rule) != nil || rule == AlertBounds.many.rule {
                self = .station
            } else {
                self = .air
            }
        }
    }

    /// The name of a rule; its id for one of the owner's.
    package static func rule(_ id: String, in language: Language) -> String {
        let row = rules[id] ?? []
        let place = Language.allCases.firstIndex(of: language) ?? 0
        return place < row.count ? row[place] : id
    }

    /// Why a channel has no value, by its code; the text itself where it is no code.
    package static func reason(_ code: String, in language: Language) -> String {
        let row = reasons[code] ?? []
        let place = Language.allCases.firstIndex(of: language) ?? 0
        return place < row.count ? row[place] : code
    }

    /// Why a value is doubted, or an alert is, in English; the code where it is not known.
    package static func doubt(_ code: String) -> String {
        let mark = AlertEvent.Raised.omittedMark
        guard !code.hasPrefix(mark) else {
            return "values that cannot be, left out: \(code.dropFirst(mark.count))"
        }
        return doubts[code] ?? code
    }

    /// Display name of an alert: `WHO guideline, 24 h: balcony PM2.5` for `who-24h:balcony/pm25`.
    ///
    /// - Parameters:
    ///   - key: Rule and subject, as reports have it.
    ///   - titles: What people call devices, by their names; others have their name.
    /// - Returns: The rule's name and the subject; the name alone for the station.
    package static func name(
        of key: String,
        in language: Language,
        titles: [String: String] = [:]
    ) -> String {
        let parts = key.split(separator: ":", maxSplits: 1).map(String.init)
        let name = rule(parts.first ?? key, in: language)
        guard parts.count == 2, parts[1] != "station" else { return name }
        return "\(name): \(subject(parts[1], of: parts[0], titles: titles))"
    }

    /// `Class 3b PM2.5` for `balcony/pm25`; a device without a title or `station` as it is.
    ///
    /// - Parameters:
    ///   - rule: Its subjects about the station, such as a target, are no devices.
    ///   - titles: What people call devices, by their names; others have their name.
    package static func subject(
        _ subject: String,
        of rule: String,
        titles: [String: String] = [:]
    ) -> String {
        guard let quantity = quantity(subject), let slash = subject.firstIndex(of: "/") else {
            return Subject(rule: rule) == .station ? subject : titles[subject] ?? subject
        }
        let device = String(subject[..<slash])
        return "\(titles[device] ?? device) \(quantity)"
    }

    /// `PM2.5` for `balcony/pm25`; nil without a channel.
    package static func quantity(_ subject: String) -> String? {
        guard let slash = subject.lastIndex(of: "/") else { return nil }
        let name = String(subject[subject.index(after: slash)...])
        switch name {
        case "pm1": return "PM1"
        case "pm25": return "PM2.5"
        case "pm4": return "PM4"
        case "pm10": return "PM10"
        case "co2": return "CO2"
        default: return name
        }
    }

    /// In the order of the languages; the page calls two of them by the gap's cause.
    package static let reasons: [String: [String]] = [
        "badFrames": ["frames damaged", "Daten beschädigt", "dati danneggiati"],
        "gated": [
            "formula does not hold",
            "Rechnung gilt hier nicht",
            "il calcolo non vale",
        ],
        "muted": ["muted by you", "von dir stumm geschaltet", "silenziato da te"],
        "noFix": ["position unknown", "Position unbekannt", "posizione sconosciuta"],
        "notKept": [
            "not kept, as you asked",
            "nicht aufgezeichnet, wie gewünscht",
            "non registrato, come richiesto",
        ],
        "notMeasured": [
            "part has no such value",
            "Teil misst das nicht",
            "il componente non lo misura",
        ],
        "outOfRange": ["out of range", "außerhalb des Bereichs", "fuori campo"],
        "replyTimeout": ["sensor silent", "Sensor stumm", "sensore muto"],
        "stale": [
            "input missing or old",
            "Eingang fehlt oder ist alt",
            "ingresso mancante o vecchio",
        ],
        "stopped": ["driver stopped", "Treiber angehalten", "driver fermo"],
        "stuck": ["value stuck", "Wert hängt", "valore bloccato"],
        "unplugged": ["unplugged", "abgezogen", "scollegato"],
        "unusable": ["unusable", "nicht benutzbar", "inutilizzabile"],
        "warmingUp": ["warming up", "wärmt auf", "in riscaldamento"],
        "no samples": ["no samples", "keine Messungen", "nessun campione"],
    ]

    package static let doubts: [String: String] = [
        "ceiling": "at the top of the sensor's range, so at least this: fog, or a wet inlet",
        "disagrees": "another sensor in the same air reads otherwise",
        "estimated": "computed from values nearby, not measured",
        "humid": "air too humid for the way this part measures",
        "inconsistent": "PM2.5 above PM10, which cannot be",
        "jump": "further from the value before than air can change",
        "outOfRange": "no part can give this: it counts nowhere",
        "unchanging": "the same value for suspiciously long",
        "zero": "only zeros for suspiciously long",
        "flapping": "it keeps coming and going",
    ]

    /// In the order of the languages.
    package static let rules: [String: [String]] = [
        "card": ["Card wears out", "Karte nutzt sich ab", "La scheda si consuma"],
        "clock": ["Clock not sure", "Uhr nicht sicher", "Orologio non sicuro"],
        "eaqi": ["European index", "Europäischer Index", "Indice europeo"],
        "laser": ["Laser near its end", "Laser fast am Ende", "Laser quasi alla fine"],
        "many": ["Many alerts at once", "Viele Alarme zugleich", "Molti avvisi insieme"],
        "outbox": ["Outbox waits", "Postausgang wartet", "La posta attende"],
        "power": [
            "Low voltage or battery",
            "Spannung oder Akku niedrig",
            "Tensione o batteria bassa",
        ],
        "psi-sg": ["Singapore's index", "Index von Singapur", "Indice di Singapore"],
        "rise": ["Sudden rise", "Plötzlicher Anstieg", "Aumento improvviso"],
        "sample-levels": ["Single samples", "Einzelne Messungen", "Singoli campioni"],
        "silent": ["No values", "Keine Werte", "Nessun valore"],
        "store": ["Store in trouble", "Speicher in Not", "Archivio in difficoltà"],
        "stuck": ["Sensor repeats itself", "Sensor wiederholt sich", "Il sensore si ripete"],
        "unusual": [
            "Unusual for the hour",
            "Ungewöhnlich für die Stunde",
            "Insolito per quest'ora",
        ],
        "us-nowcast": ["US NowCast", "NowCast (USA)", "NowCast (USA)"],
        "who-24h": ["WHO guideline, 24 h", "Richtwert der WHO, 24 h", "Linea guida OMS, 24 h"],
        "motion": ["Motion", "Bewegung", "Movimento"],
        "psi-sg-1h": [
            "Singapore's index, 1 h", "Index von Singapur, 1 h", "Indice di Singapore, 1 h",
        ],
    ]
}
