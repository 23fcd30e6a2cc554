import Core
import Testing

@testable import Store

@Suite struct SegmentEncoderTests {
    /// Budget of the store: 0.75 bytes for a pair of values, header included.
    @Test func keepsTheBudgetOnARealDayAtOneHertz() throws {
        let segment = try SegmentFixture.hertzDay()
        let day = try rowsInPieces(of: segment, decimals: [1, 1])
        try #require(day.count == 86_400)
        let whole = Self.segments(of: day, decimals: [1, 1], rows: .max, bytes: .max)
        #expect(whole == [segment])  // 58 412 bytes: 0.676 a row.
        let windows = Self.segments(of: day, decimals: [1, 1], rows: 600, bytes: .max)
        #expect(windows.count == 144)
        #expect(windows.reduce(0) { $0 + $1.count } <= 60_600)  // 0.701 a row.
        let pages = Self.segments(of: day, decimals: [1, 1], rows: .max, bytes: 4_096)
        #expect(pages.reduce(0) { $0 + $1.count } <= 58_700)  // 0.679 a row.
        #expect(pages.allSatisfy { $0.count <= 4_096 })
        #expect(try pages.flatMap { try rowsInPieces(of: $0, decimals: [1, 1]) } == day)
    }

    /// Values to the hundredth, each 145 to 152 s: more news in a row than at 1 Hz, of which the
    /// time is 0.7 bytes.
    @Test(arguments: [
        ("2017-09-02_sds011_sensor_5331.csv", ["P2", "P1"], 2, 2.77),
        ("2017-09-03_sds011_sensor_5331.csv", ["P2", "P1"], 2, 3.04),
        ("2017-09-20_sds011_sensor_5331_short_day.csv", ["P2", "P1"], 2, 4.1),
        ("2017-09-02_dht22_sensor_5332.csv", ["temperature", "humidity"], 2, 1.81),
        ("2017-09-03_dht22_sensor_5332.csv", ["temperature", "humidity"], 2, 1.81),
    ])
    func keepsTheBudgetOnSensorCommunityDays(
        file: String,
        columns: [String],
        decimals: Int,
        budget: Double
    ) throws {
        let day = try SegmentFixture.sensorCommunity(file, columns)
        let digits = [decimals, decimals]
        let segment = Self.segments(of: day, decimals: digits, rows: .max, bytes: .max)[0]
        #expect(Double(segment.count) / Double(day.count) <= budget)
        #expect(try rows(of: segment, decimals: digits) == day)
    }

    /// The examples of SPEC.md, worked out there by hand.
    @Test func writesTheBytesOfTheSpecification() throws {
        var pair = SegmentEncoder(decimals: [1, 1], startingAt: Tick(tenths: 600))
        pair.append(Tick(tenths: 600), [.value(12.3), .value(20.5)])
        pair.append(Tick(tenths: 610), [.value(12.4), .value(20.5)])
        pair.append(Tick(tenths: 620), [.value(12.4), .noData(.badFrames)])
        let expected: [UInt8] = [
            0x01, 0x02, 0x11, 0x03, 0xB0, 0x09, 0xF6, 0x01, 0x9A, 0x03,  // Header.
            0x04, 0x09, 0x0A, 0x0D, 0x11,  // Exceptions.
            0x30, 0x00,  // Deltas.
        ]
        #expect(pair.finished() == expected)
        var step = SegmentEncoder(decimals: [0], startingAt: Tick(tenths: 0))
        step.append(Tick(tenths: 0), [.value(5)])
        step.append(Tick(tenths: 10), [.value(5_000)])
        let large: [UInt8] = [1, 1, 0, 2, 0, 0x0A, 2, 0x09, 0x0A, 0xFC, 0x63, 0x70, 0x00]
        #expect(step.finished() == large)
    }

    @Test func aRegularRowWithoutDataCostsNothing() throws {
        var encoder = SegmentEncoder(decimals: [1, 0], startingAt: Tick(tenths: 7))
        for row in 0..<5_000 {
            let tick = Tick(tenths: 7 + 10 * Int64(row))
            encoder.append(tick, [.noData(.unplugged), .noData(.stopped)])
        }
        let segment = encoder.finished()
        #expect(segment.count == 15)
        #expect(try rowsInPieces(of: segment, decimals: [1, 0]).count == 5_000)
    }

    @Test(arguments: SegmentSamples.Air.allCases, SegmentSamples.Rhythm.allCases)
    func boundsItsSizeAndThatOfTheNextRow(
        air: SegmentSamples.Air,
        rhythm: SegmentSamples.Rhythm
    ) {
        let samples = SegmentSamples(seed: 5, count: 100, channels: 3, rhythm, air)
        var encoder = SegmentEncoder(decimals: samples.decimals, startingAt: samples.start)
        for row in samples.rows {
            let bound = encoder.byteCountBound + encoder.rowByteCountBound
            encoder.append(row.tick, row.outcomes)
            #expect(encoder.byteCountBound <= bound)
            #expect(encoder.finished().count <= encoder.byteCountBound)
        }
        #expect(encoder.count == 100)
    }

    @Test func maySayMoreAfterItFinished() throws {
        let samples = SegmentSamples(seed: 6, count: 300, channels: 2, .jittering, .gappy)
        var encoder = SegmentEncoder(decimals: samples.decimals, startingAt: samples.start)
        for (index, row) in samples.rows.enumerated() {
            encoder.append(row.tick, row.outcomes)
            guard index % 50 == 0 else { continue }
            let soFar = try rows(of: encoder.finished(), decimals: samples.decimals)
            #expect(soFar == Array(samples.rows[...index]))
        }
        #expect(encoder.finished() == samples.encoder.finished())
    }

    @Test func trapsWhenTimeStepsBack() async {
        await #expect(processExitsWith: .failure) {
            var encoder = SegmentEncoder(decimals: [1], startingAt: Tick(tenths: 5))
            encoder.append(Tick(tenths: 15), [.value(1.0)])
            encoder.append(Tick(tenths: 14), [.value(1.0)])
        }
    }

    /// Segments of at most so many rows and bytes.
    static func segments(
        of day: [SegmentRow],
        decimals: [Int],
        rows: Int,
        bytes: Int
    ) -> [[UInt8]] {
        var segments: [[UInt8]] = []
        var encoder = SegmentEncoder(decimals: decimals, startingAt: day[0].tick)
        for row in day {
            let bound = encoder.byteCountBound + encoder.rowByteCountBound
            if encoder.count == rows || bound > bytes {
                segments.append(encoder.finished())
                encoder = SegmentEncoder(decimals: decimals, startingAt: row.tick)
            }
            encoder.append(row.tick, row.outcomes)
        }
        return segments + [encoder.finished()]
    }
}
