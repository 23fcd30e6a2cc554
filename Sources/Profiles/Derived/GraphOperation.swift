import Core

/// Calculation of a node on its inputs.
///
/// Made of + − × ÷ and square roots only: IEEE 754 fixes every bit of those, so every CPU agrees.
enum GraphOperation: Hashable, Sendable {
    /// Inputs: mass concentration, relative humidity. It does not hold above `limit` percent.
    case humidityCorrection(HumidityFit, limit: Double)
    /// Inputs: mixing ratio, pressure in Pa; the reference is the pressure of the calibration.
    case pressureCorrection(reference: Double)
    /// Counts per minute that one µSv/h gives, above zero; the dead time in µs.
    case dose(countsPerMicrosievert: Double, deadTime: Double)
    /// Inputs: temperature in °C, relative humidity.
    case dewPoint

    /// Names of the calculations in a profile.
    static let types = ["humidityCorrection", "pressureCorrection", "dose", "dewPoint"]

    /// One input of a calculation.
    struct Input: Hashable, Sendable {
        /// Its key in a node.
        let key: String
        /// Text for messages: `a humidity`.
        let kind: String
        /// Units that it may have.
        let units: [String]
    }

    /// Units of mass concentrations.
    static let massUnits = ["µg/m³", "mg/m³"]

    /// The inputs of a calculation by its name, the measured value first.
    static func inputs(of type: String) -> [Input] {
        switch type {
        case "humidityCorrection":
            [
                Input(key: "input", kind: "a mass concentration", units: massUnits),
                Input(key: "humidity", kind: "a humidity", units: ["%"]),
            ]
        case "pressureCorrection":
            [
                Input(key: "input", kind: "a mixing ratio", units: ["ppm", "ppb"]),
                Input(key: "pressure", kind: "a pressure", units: ["Pa"]),
            ]
        case "dewPoint":
            [
                Input(key: "input", kind: "a temperature", units: ["°C"]),
                Input(key: "humidity", kind: "a humidity", units: ["%"]),
            ]
        default: [Input(key: "input", kind: "counts", units: ["cpm"])]
        }
    }

    /// The unit of the result, by that of the measured value.
    func unit(of first: String) -> String {
        if case .dose = self { "µSv/h" } else { first }
    }

    /// Computes the node.
    ///
    /// - Parameters:
    ///   - values: One for each input.
    ///   - doubts: The flags of all of them.
    func evaluate(_ values: [Double], _ doubts: Quality) -> GraphSignal {
        guard let first = values.first, let last = values.last else { return .noData(.stale) }
        switch self {
        case .humidityCorrection(let fit, let limit):
            guard HumidityFit.believable.contains(last) else { return .noData(.outOfRange) }
            guard last <= limit else { return .noData(.gated) }
            return GraphSignal(first / fit.growth(humidity: last), doubts)
        case .pressureCorrection(let reference):
            guard Self.pressures.contains(last) else { return .noData(.gated) }
            return GraphSignal(first * reference / last, doubts)
        case .dose(let factor, let deadTime):
            let lost = first * deadTime
            guard lost < Self.lostLimit * Self.minute else { return .noData(.gated) }
            return GraphSignal(first / (1 - lost / Self.minute) / factor, doubts)
        case .dewPoint:
            guard HumidityFit.believable.contains(last) else { return .noData(.outOfRange) }
            let dewPoint = DewPoint.celsius(temperature: first, humidity: last)
            return dewPoint.map { GraphSignal($0, doubts) } ?? .noData(.gated)
        }
    }

    /// A minute in µs.
    private static let minute = 60_000_000.0
    /// Share of the time, and of the counts, that a tube may lose.
    ///
    /// - Source: G. F. Knoll, *Radiation Detection and Measurement*, chapter 4, *Dead Time*: the
    ///   nonparalyzable model n = m / (1 − m τ), and that it is for losses below 30 to 40 %.
    private static let lostLimit = 0.3
    /// Pressures in Pa that the correction is for.
    ///
    /// - Source: Sensirion, *SCD4x data sheet*, `set_ambient_pressure`: 70 000 to 120 000 Pa.
    private static let pressures = 70_000.0...120_000.0

    /// Describes the calculation, with its constants.
    var text: String {
        func plain(_ number: Double) -> String { JSONValue.number(number).shown }
        switch self {
        case .humidityCorrection(let fit, let limit):
            return "humidityCorrection \(fit.rawValue), up to \(plain(limit)) %"
        case .pressureCorrection(let reference):
            return "pressureCorrection to \(plain(reference)) Pa"
        case .dose(let counts, let deadTime):
            let lost = deadTime == 0 ? "" : ", dead time \(plain(deadTime)) µs"
            return "dose ÷ \(plain(counts))\(lost)"
        case .dewPoint: return "dewPoint, by the Magnus formula"
        }
    }
}

/// How much of the measured mass is water, by relative humidity.
///
/// - Source: opendata-stuttgart, wiki page *EN-Correction-for-humidity*: the fit of HackAir.
enum HumidityFit: String, Hashable, Sendable, CaseIterable {
    case hackairPM25 = "hackair-pm25"
    case hackairPM10 = "hackair-pm10"

    /// Relative humidity that sensors really report: some say a little more than all.
    static let believable = 0.0...105.0

    /// The measured mass over the dry one, at a humidity in percent.
    func growth(humidity: Double) -> Double {
        switch self {
        case .hackairPM25: 1 + 0.48756 * Self.power(humidity / 100, 860_068)
        case .hackairPM10: 1 + 0.81559 * Self.power(humidity / 100, 583_411)
        }
    }

    /// `base ^ (exponent / 100 000)`, for a base ≥ 0.
    ///
    /// No library function, which may differ in its last bit: the whole part of the exponent by
    /// multiplications, the rest by the binary digits of the fraction, each of which is a square
    /// root. Fifty-two of them leave out less than 2⁻⁵² of the exponent.
    static func power(_ base: Double, _ exponent: Int) -> Double {
        var (result, root, rest) = (1.0, base, exponent % 100_000)
        for _ in 0..<(exponent / 100_000) { result *= base }
        for _ in 0..<52 {
            root = root.squareRoot()
            rest *= 2
            if rest >= 100_000 {
                result *= root
                rest -= 100_000
            }
        }
        return result
    }
}

/// Geiger-Müller tubes whose counts per dose are known.
///
/// - Source: Safecast, *safecast-new-map*, conversion.go: 334 counts per minute and µSv/h for
///   LND 7317 and 7318, 108 for LND 712 and 7128; the latter is the data sheet's 18 counts per
///   second and mR/h of Co-60, with 10 µSv for 1 mR. SBM-20: data sheet, 29 counts per second and
///   mR/h of Ra-226, by the same rule.
enum GraphTube: String, CaseIterable {
    case lnd7317 = "LND7317"
    case lnd7318 = "LND7318"
    case lnd712 = "LND712"
    case lnd7128 = "LND7128"
    case sbm20 = "SBM20"

    var countsPerMicrosievert: Double {
        switch self {
        case .lnd7317, .lnd7318: 334
        case .lnd712, .lnd7128: 108
        case .sbm20: 174
        }
    }
}
