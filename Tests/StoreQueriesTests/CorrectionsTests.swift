import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

/// Charts of a series that its source corrected.
@Suite struct CorrectionsTests {
    private static let west = "data.gov.sg:west"
    private static let hours = 6..<18

    private static func time(_ hour: Int) -> String {
        "2026-11-23T\(hour < 10 ? "0" : "")\(hour):00:00Z"
    }

    /// Makes a store with one number for each hour but 12:00, corrected as a test says.
    private static func store(
        _ corrections: [(String, Int, Double)]
    ) throws -> ImportedStore {
        let store = try ImportedStore()
        for hour in hours where hour != 12 {
            try store.add(west, time(hour), (.pm25, Double(hour)))
        }
        for (name, hour, value) in corrections {
            try store.add("\(west) \(name)", time(hour), (.pm25, value))
        }
        return store
    }

    private static func series(_ store: ImportedStore, points: Int) throws -> ChannelSeries {
        let reader = try store.reader()
        let channel = try #require(try StoreChannel("\(west)/pm25", in: reader))
        let range = TimeRange(
            from: WallTime(iso8601: time(0)),
            to: WallTime(iso8601: "2026-11-24T00:00:00Z")
        )
        return try ChannelSeries(channel, reader, StoreTimes(reader), range, points: points)
    }

    private static func values(_ series: ChannelSeries) -> [String: Double] {
        var values: [String: Double] = [:]
        for step in series.steps {
            guard let wall = step.time?.wall, let mean = step.point.bucket.mean else { continue }
            values[wall.iso8601] = series.channel.number(mean)
        }
        return values
    }

    @Test(arguments: [11, 100, 600])
    func theLastCorrectionOfEachValueCounts(points: Int) throws {
        let store = try Self.store([
            ("late", 8, 80), ("late", 15, 150), ("late 2", 8, 88), ("late 3", 8, 8.5),
        ])
        let whole = Self.values(try Self.series(store, points: points))
        let count = try Self.series(store, points: points).steps
            .reduce(0) { $0 + $1.point.bucket.count }
        #expect(count == 11)
        if points == 600 {
            #expect(whole.count == 11)
            #expect(whole[Self.time(8)] == 8.5 && whole[Self.time(15)] == 150)
            #expect(whole[Self.time(9)] == 9 && whole[Self.time(17)] == 17)
        }
        let sum = try Self.series(store, points: points).steps
            .reduce(0) { $0 + $1.point.bucket.sum }
        let first = Self.hours.filter { $0 != 12 }.reduce(0, +) * 10
        #expect(sum == Int64(first) - 80 + 85 - 150 + 1_500)
    }

    @Test func aValueThatOnlyCameLateIsShown() throws {
        let store = try Self.store([("late", 12, 3)])
        let series = try Self.series(store, points: 600)
        #expect(Self.values(series)[Self.time(12)] == 3)
        #expect(series.steps.reduce(0) { $0 + $1.point.bucket.count } == 12)
    }

    @Test func whatIsNotCorrectedStaysAsItIs() throws {
        let plain = try Self.series(try Self.store([]), points: 40)
        let reader = try Self.store([]).reader()
        let channel = try #require(try StoreChannel("\(Self.west)/pm25", in: reader))
        let times = try StoreTimes(reader)
        let none = try Corrections(of: channel, reader, times, TimeRange())
        #expect(none == nil)
        // Corrections of another quantity are none of this one.
        let store = try Self.store([])
        try store.add("\(Self.west) late", Self.time(8), (.pm10, 99))
        #expect(try Self.series(store, points: 40).steps == plain.steps)
    }
}
