import ControlProtocol
import Core
import Testing

@testable import RoostWeb

/// The faces of other systems in the row *present value* of `docs/reference/flags.md`.
@Suite struct FlaggedFaceTests {
    /// A station reports *no data* with the implausible value beside it: no face shows that value.
    @Test func noFaceHasWhatCannotBe() {
        func report(_ name: String, _ value: Measured?, _ noData: String?) -> ChannelReport {
            var reading = ReadingReport(
                channel: "dust/\(name)",
                instantSeconds: 1,
                ageSeconds: 1,
                outcome: (value, noData),
                unit: "µg/m³",
                quality: value == nil ? ["outOfRange"] : []
            )
            if value == nil { reading.omitted = 4369.1 }
            return ChannelReport(
                channel: "dust/\(name)",
                unit: "µg/m³",
                latest: reading,
                valueAgeSeconds: 1,
                isStale: false
            )
        }
        let values = FreshValues([
            report("pm25", nil, "outOfRange"), report("pm10", Measured("20.5"), nil),
        ])
        #expect(values.text("pm25") == nil && values.text("pm10") == "20.5")
        let texts = [AirrohrFace.text(values), SemicolonFace.line(values)]
        for text in texts { #expect(text.contains("20.5") && !text.contains("4369"), "\(text)") }
    }
}
