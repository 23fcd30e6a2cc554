import Core

/// Operations of a node on its inputs.
enum GraphOperation: Hashable, Sendable {
    /// Times a constant.
    case scale(factor: Int128)
    /// Plus a value.
    case offset(Int64)
    /// Constants, that of the lowest power first: 1…8.
    case polynomial([Int128])
    /// Straight lines between 2…64 points, in ascending order.
    case table([GraphPoint], holdsEnds: Bool)
    case moving(GraphStatistic, GraphWindow)
    /// Inputs: mass concentration, relative humidity. It does not hold above `limit` percent.
    case humidityCorrection(HumidityFit, limit: Int64)
    /// Inputs: mixing ratio, pressure in Pa; the reference is the pressure of the calibration.
    case pressureCorrection(reference: Int64)
    /// Change over time; a counter that steps back begins anew.
    case rate(GraphUnit.Period, isCounter: Bool)
    /// Counts per minute that one µSv/h gives, as a constant above zero; the dead time in ns.
    case dose(countsPerMicrosievert: Int128, deadTime: Int64)
    /// One from `on`, zero beyond `off`, in between as before.
    case threshold(on: Int64, off: Int64)
    /// A new value counts after it has held this many nanoseconds.
    case debounce(hold: Int64)
    case combine(GraphCombination, atLeast: Int)
    /// Passes unless a flag is set, or its second input is zero.
    case gate(unless: Quality)

    /// Its name in a profile.
    var type: String {
        switch self {
        case .scale: "scale"
        case .offset: "offset"
        case .polynomial: "polynomial"
        case .table: "table"
        case .moving(.mean, _): "movingMean"
        case .moving(.median, _): "movingMedian"
        case .moving(.trimmedMean, _): "trimmedMean"
        case .humidityCorrection: "humidityCorrection"
        case .pressureCorrection: "pressureCorrection"
        case .rate: "rate"
        case .dose: "dose"
        case .threshold: "threshold"
        case .debounce: "debounce"
        case .combine: "combine"
        case .gate: "gate"
        }
    }

    static let types = [
        "scale", "offset", "polynomial", "table", "movingMean", "movingMedian", "trimmedMean",
        "humidityCorrection", "pressureCorrection", "rate", "dose", "threshold", "debounce",
        "combine", "gate",
    ]
}

/// One point of a table; constants end at ±10⁹, so products of differences fit.
struct GraphPoint: Hashable, Sendable {
    let x: Int64
    let y: Int64
}

enum GraphStatistic: Hashable, Sendable {
    case mean, median
    /// This many thousandths of the values are left out at either end, rounded down: 10…450.
    case trimmedMean(thousandths: Int)
}

/// Bounds on the earlier values that a node still uses.
struct GraphWindow: Hashable, Sendable {
    /// Values kept at most, 1…1 000; the oldest goes.
    static let countLimit = 1_000

    let count: Int
    /// Greatest age of a value; nil means that only `count` limits the window.
    let span: Duration?
    /// Below this many the node has no data: `warmingUp`.
    let atLeast: Int
}

/// How much of the measured mass is water, by relative humidity.
///
/// - Source: HackAir fit: opendata-stuttgart, wiki page *EN-Correction-for-humidity*. κ-Köhler:
///   Crilley et al., *Atmospheric Measurement Techniques* 11, 709 (2018), equation 6; dry particles
///   of 1.65 g/cm³.
enum HumidityFit: Hashable, Sendable {
    case hackairPM25, hackairPM10
    /// The hygroscopicity κ as a value, 0.05…1; the paper gives 0.2…0.4.
    case kappaKohler(kappa: Int64)
}

enum GraphCombination: String, Hashable, Sendable, CaseIterable {
    case sum, difference, mean, min, max, ratio
}
