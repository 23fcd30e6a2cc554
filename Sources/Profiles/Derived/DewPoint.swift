/// The temperature to which air must cool for its water to condense.
///
/// - Source: WMO-No. 8, *Guide to Instruments and Methods of Observation*, volume I, annex 4.B: the
///   saturation pressure over water is 6.112 hPa × e^(17.62 t / (243.12 + t)), −45 to 60 °C.
enum DewPoint {
    private static let slope = 17.62
    private static let offset = 243.12
    /// Temperatures in °C that the formula is for.
    private static let temperatures = -45.0...60.0
    /// Per cent below which the result is of no use: a sensor's own error is larger than the value.
    private static let leastHumidity = 1.0

    /// Computes the dew point in °C; nil outside of the formula's range.
    ///
    /// - Parameters:
    ///   - temperature: Of the air, in °C.
    ///   - humidity: In per cent; a sensor that says more than 100 is in saturated air.
    static func celsius(temperature: Double, humidity: Double) -> Double? {
        guard temperatures.contains(temperature), humidity >= leastHumidity else { return nil }
        let share = humidity < 100 ? humidity / 100 : 1
        let exponent = logarithm(share) + slope * temperature / (offset + temperature)
        return offset * exponent / (slope - exponent)
    }

    /// The natural logarithm of a number above zero, to 10⁻¹⁵.
    ///
    /// No library function, which may differ in its last bit. With powers of two the number comes
    /// into 0.75…1.5, and its logarithm is 2 artanh z with z = (x − 1) / (x + 1), |z| ≤ 0.2: the
    /// series of z + z³/3 + z⁵/5 + … leaves out less than 10⁻¹⁸ after thirteen terms.
    static func logarithm(_ number: Double) -> Double {
        var (rest, twos) = (number, 0.0)
        while rest < 0.75 { (rest, twos) = (rest * 2, twos - 1) }
        while rest >= 1.5 { (rest, twos) = (rest / 2, twos + 1) }
        let z = (rest - 1) / (rest + 1)
        var sum = 0.0
        for term in (0..<13).reversed() { sum = sum * z * z + 1 / Double(2 * term + 1) }
        return twos * 0.693_147_180_559_945_309_417 + 2 * z * sum
    }
}
