/// A limit for a mean over a day or a year.
///
/// - Source: WHO, *Global air quality guidelines*, 2021, table 0.1. A day may be above its limit
///   three or four times a year.
struct Guideline: Hashable, Sendable {
    static let rule = "who-2021"
    static let unit = "µg/m³"
    static let source = "WHO, Global air quality guidelines, 2021, table 0.1"

    let quantity: String
    let averagingSeconds: Int
    /// µg/m³; met up to it.
    let limit: Int

    private static let (day, year) = (86_400, 365 * 86_400)
    static let all = [
        Guideline(quantity: "pm25", averagingSeconds: day, limit: 15),
        Guideline(quantity: "pm25", averagingSeconds: year, limit: 5),
        Guideline(quantity: "pm10", averagingSeconds: day, limit: 45),
        Guideline(quantity: "pm10", averagingSeconds: year, limit: 15),
    ]

    static func of(_ quantity: String, _ averagingSeconds: Int) -> Guideline? {
        all.first { $0.quantity == quantity && $0.averagingSeconds == averagingSeconds }
    }
}
