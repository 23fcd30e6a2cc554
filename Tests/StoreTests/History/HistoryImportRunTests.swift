import Core
import Testing

@testable import Store

/// An import in pieces, among which a station writes its own.
@Suite struct HistoryImportRunTests {
    private static let days = [
        "2017-09-02_sds011_sensor_5331.csv", "2017-09-03_sds011_sensor_5331.csv",
        "2017-09-20_sds011_sensor_5331_short_day.csv",
    ]
    private static let pieceCount = 100
    private let folder = HistoryFolder()

    private func open() throws -> History {
        try HistoryFile.open(path: folder.database, plan: StorePlan(.megabytes(4))).0
    }

    private static func samples() throws -> [ImportedSample] {
        var samples: [ImportedSample] = []
        for name in days {
            var file = ImportFile(
                name,
                as: .sensorCommunity,
                isKnown: { _, _ in false },
                take: { samples.append($0) }
            )
            try file.receive(try ExportFixture.bytes(name))
            _ = try file.finish()
        }
        return samples
    }

    private static func pieces(_ samples: [ImportedSample]) -> [[ImportedSample]] {
        stride(from: 0, to: samples.count, by: pieceCount).map {
            Array(samples[$0..<min($0 + pieceCount, samples.count)])
        }
    }

    /// Times and values of what was imported, by time; with repetitions, should there be any.
    private func stored() throws -> [String] {
        let reader = try HistoryReader(path: folder.database)
        let clock = ClockAnchors(runs: [], anchors: try reader.anchors())
        var found: [(WallTime, String)] = []
        for stream in try reader.streams() where stream.id.isImported {
            let spans = try StreamExtents(reader).spans(of: stream.id)
            let all = try RawSamples(reader, stream.id, spans)
            while let sample = try all.next() {
                let time = try #require(clock.time(sample.boot, sample.tick))
                let values = sample.outcomes.compactMap { $0.value?.description }
                found.append((time.wall, values.joined(separator: " ")))
            }
        }
        return found.sorted { $0.0 < $1.0 }.map { "\($0.0.iso8601Tenths) \($0.1)" }
    }

    private static func lines(_ samples: [ImportedSample]) -> [String] {
        samples.sorted { $0.wall < $1.wall }.map { sample in
            let values = sample.values.map(\.value.description).joined(separator: " ")
            return "\(sample.wall.iso8601Tenths) \(values)"
        }
    }

    /// The journal goes into the history between any two pieces, and its place is kept.
    @Test(arguments: [false, true]) func aStationWritesBetweenPieces(isBackwards: Bool) throws {
        let samples = try Self.samples()
        var dust = DustSeries(every: 10)
        let history = try open()
        try history.append([dust.start()])
        let run = HistoryImportRun()
        let pieces = Self.pieces(isBackwards ? samples.reversed() : samples)
        for piece in pieces {
            try run.add(piece, to: history)
            let own = dust.samples(20)
            try history.append([dust.block(own)])
        }
        let report = try run.report()
        #expect(report.samples == samples.count && run.count == samples.count)
        #expect(history.cursor == dust.sequence)
        try history.close()
        #expect(try stored() == Self.lines(samples))
        let reader = try HistoryReader(path: folder.database)
        #expect(try reader.cursor() == dust.sequence)
        let own = try #require(try reader.streams().first { !$0.id.isImported })
        let all = try RawSamples(reader, own.id, try StreamExtents(reader).spans(of: own.id))
        var count = 0
        while try all.next() != nil { count += 1 }
        #expect(count == 20 * pieces.count)
    }

    /// What broke off after any piece is completed by the same samples, and nothing is there twice.
    @Test(arguments: 0...11) func aBreakLeavesPiecesThatASecondImportCompletes(count: Int) throws {
        let samples = try Self.samples()
        let first = try open()
        let broken = HistoryImportRun()
        for piece in Self.pieces(samples).prefix(count) { try broken.add(piece, to: first) }
        first.abandon()
        #expect(try stored().count == broken.count)
        let history = try open()
        let run = HistoryImportRun()
        for piece in Self.pieces(samples) { try run.add(piece, to: history) }
        #expect(try run.report().known == broken.count)
        #expect(run.count == samples.count - broken.count)
        try history.close()
        #expect(try stored() == Self.lines(samples))
    }

    /// A trial writes nothing, and says what the import then needs.
    @Test func aTrialSaysWhatTheImportNeeds() throws {
        let samples = try Self.samples()
        let history = try open()
        let before = HistoryImportRun()
        for piece in Self.pieces(Array(samples.prefix(300))) { try before.add(piece, to: history) }
        let stored = try stored()
        let trial = try HistoryImportTrial(beside: history)
        for piece in Self.pieces(samples) { try trial.add(piece, beside: history) }
        while try !trial.lookAhead(in: history) {}
        let expected = try trial.report(beside: history)
        #expect(try self.stored() == stored)
        let run = HistoryImportRun()
        for piece in Self.pieces(samples) { try run.add(piece, to: history) }
        let report = try run.report()
        #expect((expected.samples, expected.known) == (report.samples, report.known))
        #expect(expected.known == 300 && expected.overwritten == report.overwritten)
        #expect(abs(expected.share - report.share) < 0.01)
        try history.close()
    }

    @Test func moreThanTheHistoryHoldsIsSeenBefore() throws {
        let start = try #require(WallTime(iso8601: "2019-01-01T00:00:00Z"))
        let values: [ImportedSample.Value] = try Self.samples()[0].values
        let history = try open()
        let trial = try HistoryImportTrial(beside: history)
        for piece in 0..<400 {
            let samples = (0..<HistoryImportRun.pieceCountMax).map { index in
                let place = piece * HistoryImportRun.pieceCountMax + index
                return ImportedSample(
                    source: "sensor-community:1",
                    wall: start.advanced(by: .seconds(place * 145)),
                    values: values.map { value in
                        let mantissa = Int64(place % 97 * 131 + place % 13)
                        return ImportedSample.Value(
                            value.quantity,
                            FixedPoint(mantissa, decimals: value.quantity.decimals)
                        )
                    }
                )
            }
            try trial.add(samples, beside: history)
        }
        while try !trial.lookAhead(in: history) {}
        let report = try trial.report(beside: history)
        #expect(report.samples == 400 * HistoryImportRun.pieceCountMax && report.share > 0.25)
        #expect(report.refusal(isBold: false) != nil)
        #expect(try HistoryReader(path: folder.database).streams().isEmpty)
        try history.close()
    }
}
