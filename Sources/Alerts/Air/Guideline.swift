/// A limit for a mean over a day or a year.
///
/// - Source: WHO, *Global air quality guidelines*, 2021, table 0.1. A day may be above its limit
///   three or four times a year.
package struct Guideline: Hashable, Sendable {
    /// ID of the guidelines in JSON answers.
    package static let rule = "who-2021"
    package static let unit = "µg/m³"
    package static let source = "WHO, Global air quality guidelines, 2021, table 0.1"

    package let quantity: String
    package let averagingSeconds: Int
    /// In µg/m³; a mean at the limit still meets it.
    package let limit: Int

    private static let (day, year) = (86_400, 365 * 86_400)
    package static let all = [
        Guideline(quantity: "pm25", averagingSeconds: day, limit: 15),
        Guideline(quantity: "pm25", averagingSeconds: year, limit: 5),
        Guideline(quantity: "pm10", averagingSeconds: day, limit: 45),
        Guideline(quantity: "pm10", averagingSeconds: year, limit: 15),
    ]

    /// Returns the limit of a quantity for this averaging time; nil without one.
    package static func of(_ quantity: String, _ averagingSeconds: Int) -> Guideline? {
        all.first { $0.quantity == quantity && $0.averagingSeconds == averagingSeconds }
    }
}
