import Core
import SQLite
import Testing

@testable import Store

@Suite struct HistoryImportTests {
    private static let days = [
        "2017-09-02_sds011_sensor_5331.csv", "2017-09-03_sds011_sensor_5331.csv",
        "2017-09-20_sds011_sensor_5331_short_day.csv",
    ]
    private let folder = HistoryFolder()

    private func open(megabytes: Int = 4) throws -> History {
        try HistoryFile.open(path: folder.database, plan: StorePlan(.megabytes(megabytes))).0
    }

    private func samples(_ name: String) throws -> [ImportedSample] {
        var samples: [ImportedSample] = []
        var file = ImportFile(
            name,
            as: .sensorCommunity,
            isKnown: { _, _ in false },
            take: { samples.append($0) }
        )
        try file.receive(try ExportFixture.bytes(name))
        _ = try file.finish()
        return samples
    }

    @discardableResult
    private func load(
        _ batches: [[ImportedSample]],
        _ outcome: HistoryImport.Outcome = .keep
    ) throws -> HistoryImportReport {
        let history = try open()
        let report = try HistoryImport.run(into: history) { session in
            for batch in batches { try session.add(batch) }
            return (try session.report(), outcome)
        }
        try history.close()
        return report
    }

    /// Returns the imported samples of the history as files would give them, by source and time.
    private func stored() throws -> [ImportedSample] {
        let reader = try HistoryReader(path: folder.database)
        let clock = ClockAnchors(runs: [], anchors: try reader.anchors())
        var found: [ImportedSample] = []
        for stream in try reader.streams() where stream.id.isImported {
            let all = try RawSamples(
                reader,
                stream.id,
                try StreamExtents(reader).spans(of: stream.id)
            )
            while let sample = try all.next() {
                let time = try #require(clock.time(sample.boot, sample.tick))
                #expect(time.isSure)
                let values = zip(stream.quantities, sample.outcomes).compactMap { pair in
                    pair.1.value.map { ImportedSample.Value(pair.0, $0) }
                }
                found.append(
                    ImportedSample(source: stream.device, wall: time.wall, values: values)
                )
            }
        }
        return found.sorted { ($0.source, $0.wall) < ($1.source, $1.wall) }
    }

    @Test func realDaysComeBackWithTheirTimesAndDigits() throws {
        let days = try Self.days.map(samples)
        let report = try load(days)
        #expect(report.samples == 1_192)
        #expect(report.streams == 1)
        #expect(report.overwritten.isEmpty)
        let found = try stored()
        #expect(found == days.flatMap(\.self))
        #expect(found.first?.values.map(\.value.description) == ["1.40", "1.00"])
        #expect(try HistoryReader(path: folder.database).boots().count == 1)
    }

    @Test func aSecondImportAddsNothingAndOverlapsAddTheRest() throws {
        let days = try Self.days.map(samples)
        try load([Array(days[0].prefix(300))])
        let report = try load([days[0], days[1]])
        #expect(report.known == 300)
        #expect(report.samples == 870)
        let before = try stored()
        let again = try load(days.reversed())
        #expect(again.known == 1_170)
        #expect(again.samples == 22)
        #expect(try stored() == before + days[2])
    }

    @Test(arguments: [[2, 1, 0], [1, 0, 2], [0, 2, 1]])
    func theOrderOfFilesMakesNoDifference(order: [Int]) throws {
        let days = try Self.days.map(samples)
        for index in order { try load([days[index]]) }
        #expect(try stored() == days.flatMap(\.self))
        for day in days { #expect(try load([day]).samples == 0) }
    }

    @Test func whatIsDiscardedLeavesTheHistoryAsItWas() throws {
        let days = try Self.days.map(samples)
        try load([days[0]])
        let before = try stored()
        let report = try load([days[1]], .discard)
        #expect(report.samples == 585)
        #expect(try stored() == before)
        #expect(try load([days[1]]).samples == 585)
    }

    @Test func anErrorInTheMiddleLeavesNothingBehind() throws {
        struct Stop: Error {}
        let days = try Self.days.map(samples)
        let history = try open()
        #expect(throws: Stop.self) {
            try HistoryImport.run(into: history) {
                session -> (value: Int, outcome: HistoryImport.Outcome) in
                try session.add(days[0])
                throw Stop()
            }
        }
        try history.close()
        #expect(try stored().isEmpty)
        #expect(try HistoryReader(path: folder.database).streams().isEmpty)
        #expect(try load(days).samples == 1_192)
    }

    @Test func theStationGoesOnAfterAnImport() throws {
        var dust = DustSeries(every: 10)
        var native = dust.samples(500)
        let history = try open()
        try history.append([dust.start(), dust.block(native)])
        try history.close()
        let day = try samples(Self.days[0])
        try load([day])
        let again = try open()
        #expect(again.cursor == dust.sequence)
        let more = dust.samples(500)
        native += more
        try again.append([dust.block(more)])
        try again.close()
        #expect(try HistoryReader(path: folder.database).all() == native)
        #expect(try stored() == day)
        let streams = try HistoryReader(path: folder.database).streams()
        #expect(streams.map(\.id.isImported) == [false, true])
    }

    @Test func aQuantityThatIsNewMakesAnotherStreamOfTheDevice() throws {
        let temperature = Quantity(name: "temperature", unit: "°C", decimals: 2)
        let humidity = Quantity(name: "humidity", unit: "%", decimals: 2)
        func sample(_ second: Int, _ values: [ImportedSample.Value]) -> ImportedSample {
            ImportedSample(source: "attic", wall: WallTime(seconds: second), values: values)
        }
        let first = sample(1_500_000_000, [.init(temperature, 21.5)])
        let second = sample(1_500_000_060, [.init(temperature, 21.25), .init(humidity, 40)])
        let third = sample(1_500_000_120, [.init(humidity, 41)])
        try load([[first]])
        let report = try load([[first, second, third]])
        #expect(report.known == 1)
        #expect(report.streams == 1)
        #expect(try stored() == [first, second, third])
    }

    @Test func aFullRingSaysWhatIsPushedOut() throws {
        var dust = DustSeries(every: 10, noise: 1 << 40)
        let history = try open()
        try history.append([dust.start()])
        for _ in 0..<90 { try history.append([dust.block(dust.samples(2_000))]) }
        let count = try HistoryReader(path: folder.database).all().count
        try history.close()
        let report = try load(try Self.days.map(samples))
        let left = try HistoryReader(path: folder.database).all().count
        let gone = try #require(report.overwritten.first)
        #expect(report.overwritten.count == 1)
        #expect(gone.device == "balcony")
        #expect(!gone.isImported)
        #expect(gone.samples == count - left)
        #expect(gone.samples > 0)
        #expect(gone.from?.boot == dust.boot)
        #expect(report.share > 0 && report.share < 0.25)
    }

    @Test func moreThanTheRingHoldsIsTold() throws {
        var generator = SplitMix64(seed: 3)
        let report = try load(
            (0..<8).map { batch in
                (0..<16_000).map { index in
                    let value = Int64.random(in: 0..<1 << 59, using: &generator)
                    return ImportedSample(
                        source: "noise",
                        wall: WallTime(seconds: 1_500_000_000 + (batch * 16_000 + index) * 7),
                        values: [
                            .init(.pm25, FixedPoint(value, decimals: 1)),
                            .init(.pm10, FixedPoint(value ^ 0xFFFF_FFFF_FFFF, decimals: 1)),
                        ]
                    )
                }
            },
            .discard
        )
        #expect(report.samplesShare > 1)
        #expect(report.overwritten.map(\.device) == ["noise"])
        #expect(report.overwritten.first?.isImported == true)
    }

    @Test func anotherConnectionKeepsItOut() throws {
        let history = try open()
        let reader = try HistoryReader(path: folder.database)
        #expect(try reader.streams().isEmpty)
        let error = #expect(throws: StoreError.self) {
            try HistoryImport.run(into: history) { session in (try session.report(), .keep) }
        }
        guard case .database(let found) = error else {
            Issue.record("expected an error of the database")
            return
        }
        #expect(found.code == 5)
    }

    @Test func spansOfImportsAreOrderedByTime() {
        let (first, second) = (ImportedBoot.id(1), ImportedBoot.id(2))
        let spans = [
            HistorySpan(boot: first, from: Tick(tenths: 500), to: Tick(tenths: 900)),
            HistorySpan(boot: second, from: Tick(tenths: 100), to: Tick(tenths: 2_000)),
        ]
        let ordered = ImportedBoot.ordered(spans)
        #expect(ordered.map(\.boot) == [second, first])
        #expect(ordered.map(\.offset) == [0, 400])
        #expect(ordered.last?.to == Tick(tenths: 2_000))
        let native = HistorySpan(boot: .numbered(1), from: Tick(tenths: 9), to: .end)
        #expect(ImportedBoot.ordered([spans[0], native]) == [spans[0], native])
    }

    @Test func anImportedBootSaysWhichItIs() {
        #expect(ImportedBoot.id(7).isImported)
        #expect(ImportedBoot.number(ImportedBoot.id(300)) == 300)
        #expect(!BootID.numbered(7).isImported)
    }
}
