import Core

/// The indexes that the station knows.
package enum AirIndexTables {
    package static let all = [who, usNowCast, european, singapore, singaporeHour]

    package static func named(_ id: String) -> AirIndex? { all.first { $0.id == id } }

    /// The guideline for a day, and the interim targets on the way to it.
    ///
    /// A day may be above the guideline three or four times a year.
    package static let who = AirIndex(
        id: "who-24h",
        source: "WHO, Global air quality guidelines, 2021, table 0.1",
        beginsAbove: false,
        scales: [
            scale("pm25", .day, whoBands, [0, 15, 25, 37.5, 50, 75]),
            scale("pm10", .day, whoBands, [0, 45, 50, 75, 100, 150]),
        ]
    )

    /// The index of the United States, by the NowCast of the last 12 hours.
    static let usNowCast = AirIndex(
        id: "us-nowcast",
        source: "EPA-454/B-24-002, May 2024, table 6",
        beginsAbove: false,
        scales: [
            AirIndex.Scale(
                quantity: "pm25",
                averaging: .nowCast,
                decimals: 1,
                bands: usBands([
                    (0, 9.0), (9.1, 35.4), (35.5, 55.4), (55.5, 125.4), (125.5, 225.4),
                    (225.5, 325.4),
                ])
            ),
            AirIndex.Scale(
                quantity: "pm10",
                averaging: .nowCast,
                decimals: 0,
                bands: usBands([
                    (0, 54), (55, 154), (155, 254), (255, 354), (355, 424), (425, 604),
                ])
            ),
        ]
    )

    /// The European index of 2024, by the mean of an hour; a band begins above its edge.
    static let european = AirIndex(
        id: "eaqi",
        source: "European Environment Agency, European Air Quality Index, bands of 2024",
        beginsAbove: true,
        scales: [
            scale("pm25", .hour, europeanBands, [0, 5, 15, 50, 90, 140]),
            scale("pm10", .hour, europeanBands, [0, 15, 45, 120, 195, 270]),
        ]
    )

    /// Singapore's index, by the mean of 24 hours.
    ///
    /// A segment's line begins one above the number where the one below ends.
    package static let singapore = AirIndex(
        id: "psi",
        source: "NEA Singapore, Computation of the Pollutant Standards Index, 2014",
        beginsAbove: true,
        scales: [
            AirIndex.Scale(
                quantity: "pm25",
                averaging: .day,
                decimals: nil,
                bands: psiBands([0, 12, 55, 150, 250, 350, 500])
            ),
            AirIndex.Scale(
                quantity: "pm10",
                averaging: .day,
                decimals: nil,
                bands: psiBands([0, 50, 150, 350, 420, 500, 600])
            ),
        ]
    )

    /// Singapore's bands for one hour of fine dust.
    static let singaporeHour = AirIndex(
        id: "psi-1h",
        source: "NEA Singapore, 1-hr PM2.5 bands",
        beginsAbove: true,
        scales: [
            scale("pm25", .hour, ["normal", "elevated", "high", "very-high"], [0, 55, 150, 250])
        ]
    )

    private static let whoBands = [
        "guideline", "above-guideline", "above-target-4", "above-target-3", "above-target-2",
        "above-target-1",
    ]
    private static let europeanBands = [
        "good", "fair", "moderate", "poor", "very-poor", "extremely-poor",
    ]

    private static func scale(
        _ quantity: String,
        _ averaging: AirIndex.Averaging,
        _ names: [String],
        _ starts: [Double]
    ) -> AirIndex.Scale {
        let ends = Array(starts.dropFirst()) + [2 * (starts.last ?? 0)]
        let bands = zip(names, zip(starts, ends)).map { name, edges in
            AirIndex.Band(name: name, from: edges.0, to: edges.1, numbers: nil)
        }
        return AirIndex.Scale(quantity: quantity, averaging: averaging, decimals: nil, bands: bands)
    }

    private static func usBands(_ edges: [(Double, Double)]) -> [AirIndex.Band] {
        let names = ["good", "moderate", "sensitive", "unhealthy", "very-unhealthy", "hazardous"]
        let numbers = [0...50, 51...100, 101...150, 151...200, 201...300, 301...500]
        return zip(names, zip(numbers, edges)).map { name, row in
            AirIndex.Band(name: name, from: row.1.0, to: row.1.1, numbers: row.0)
        }
    }

    private static func psiBands(_ edges: [Double]) -> [AirIndex.Band] {
        let names = [
            "good", "moderate", "unhealthy", "very-unhealthy", "hazardous", "hazardous",
        ]
        let numbers = [0...50, 51...100, 101...200, 201...300, 301...400, 401...500]
        return zip(names, zip(numbers, zip(edges, edges.dropFirst()))).map { name, row in
            AirIndex.Band(name: name, from: row.1.0, to: row.1.1, numbers: row.0)
        }
    }
}
