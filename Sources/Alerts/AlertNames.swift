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

    /// Display name of an alert: `WHO guideline, 24 h: balcony PM2.5` for `who-24h:balcony/pm25`.
    ///
    /// - Parameters:
    ///   - key: Rule and subject, as reports have it.
    /// - Returns: The rule's name and the subject; the name alone for the station.
    package static func name(of key: String, in language: Language) -> String {
        let parts = key.split(separator: ":", maxSplits: 1).map(String.init)
        let name = rule(parts.first ?? key, in: language)
        guard parts.count == 2, parts[1] != "station" else { return name }
        return "\(name): \(subject(parts[1]))"
    }

    /// `balcony PM2.5` for `balcony/pm25`; a device or `station` as it is.
    package static func subject(_ subject: String) -> String {
        guard let quantity = quantity(subject), let slash = subject.firstIndex(of: "/") else {
            return subject
        }
        return "\(subject[..<slash]) \(quantity)"
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
    ]
}
