import Core
import Profiles

/// Members of the Plantower family by what their frames hold.
///
/// Those of one length look the same on the wire, so the owner's profile says which it is: a
/// PMS5003T has temperature and humidity where a PMS5003 counts the largest particles.
///
/// - Source: Plantower, *PMS5003 series data manual V2.5*, appendix I, *PMS5003T* and *PMS5003S
///   series data manual*; `avaldebe/PyPMS:src/pms/sensors/plantower/`. A PMSA003-S has the fields
///   of a PMS5003 by `WeSpeakEnglish/polluSensWeb:sensors.json`.
package enum PlantowerVariant: String, Hashable, Sendable, CaseIterable {
    case pms3003 = "PMS3003"
    case pms5003 = "PMS5003"
    case pms5003S = "PMS5003S"
    case pms5003T = "PMS5003T"
    case pms5003ST = "PMS5003ST"

    /// Members with other names and the same frames.
    private static let others: [String: PlantowerVariant] = [
        "PMS1003": .pms5003, "PMS6003": .pms5003, "PMS7003": .pms5003, "PMSA003": .pms5003,
        "PMSA003-S": .pms5003,
    ]

    /// Every name that a profile may say.
    package static let names = (allCases.map(\.rawValue) + others.keys).sorted()

    /// The member that a maker's name means; nil when it is none.
    package init?(named name: String) {
        guard let variant = Self(rawValue: name) ?? Self.others[name] else { return nil }
        self = variant
    }

    /// Guesses the variant from the number of words in a frame, for a profile that names none.
    init(wordCount: Int) {
        self = wordCount == 17 ? .pms5003ST : wordCount == 13 ? .pms5003 : .pms3003
    }

    /// Bytes of a frame.
    var byteCount: Int {
        switch self {
        case .pms3003: 24
        case .pms5003, .pms5003S, .pms5003T: 32
        case .pms5003ST: 40
        }
    }

    /// Names of the words from the fourth on; words behind the last name are reserved.
    var fields: [String] {
        let masses = ["pm1", "pm25", "pm10"]
        let small = ["n03", "n05", "n1", "n25"]
        let large = ["n5", "n10"]
        return switch self {
        // Nothing known stands behind its masses.
        case .pms3003: masses
        case .pms5003: masses + small + large
        case .pms5003S: masses + small + large + ["formaldehyde"]
        case .pms5003T: masses + small + ["temperature", "humidity"]
        case .pms5003ST: masses + small + large + ["formaldehyde", "temperature", "humidity"]
        }
    }
}

extension PlantowerVariant {
    /// The member that a profile's `settings.variant` names; nil when it names none.
    ///
    /// - Throws: `DialectError` for a name that is no member, and for other settings.
    package static func named(in profile: Profile) throws(DialectError) -> PlantowerVariant? {
        let problems = ProblemList()
        guard var reader = ObjectReader(profile.settings, at: "settings", problems) else {
            throw DialectError(problems.problems)
        }
        let name = reader.string("variant", in: names)
        reader.finish()
        guard problems.problems.isEmpty else { throw DialectError(problems.problems) }
        return name.flatMap(Self.init(named:))
    }
}
