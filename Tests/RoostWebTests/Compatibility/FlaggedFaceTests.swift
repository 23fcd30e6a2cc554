import ControlProtocol
import Core
import Store
import StoreFixtures
import Testing

@testable import RoostWeb

/// The faces of other systems in the rows *present value* and *upload: Safecast* of
/// `docs/reference/flags.md`.
@Suite struct FlaggedFaceTests {
    @Test(arguments: Quality.everyName)
    func aMeasurementForSafecastLeavesOutWhatCannotBe(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let isOmitted = flag == .outOfRange
        let time = try #require(WallTime(iso8601: "2026-11-22T04:30:00Z"))
        func measurements(_ outcomes: [Outcome]) -> [SafecastMeasurement] {
            let sample = DatedSample(
                stream: DriveFixture.counter,
                boot: DriveFixture.id(0),
                tick: Tick(tenths: 0),
                time: ClockAnchors.Time(wall: time, isSure: true),
                outcomes: outcomes
            )
            return SafecastMeasurement.all(of: sample, nil)
        }
        var outcomes = DriveFixture.row(0, 30, (460_671_000, 111_211_000)).1
        let good = measurements(outcomes)
        #expect(good.map(\.value) == [30])
        outcomes[0] = .value(351_000, flag)
        #expect(measurements(outcomes).map(\.value) == (isOmitted ? [] : [351_000]))
        // Its position is impossible: it is not placed at the station's instead.
        outcomes[0] = .value(30)
        outcomes[1] = .value(FixedPoint(460_671_000, decimals: 7), flag)
        #expect(measurements(outcomes) == (isOmitted ? [] : good))
    }

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
        let texts = [
            AirrohrFace.text(values), AirGradientFace.text(values, name: "b"),
            SemicolonFace.line(values),
        ]
        for text in texts { #expect(text.contains("20.5") && !text.contains("4369"), "\(text)") }
    }
}
