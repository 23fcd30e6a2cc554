import Core
import TestSupport
import Testing

@testable import Store

@Suite struct HistoryMergeTests {
    private let folder = HistoryFolder()
    private static let pm25 = Quantity.pm25
    private static let psi = Quantity(name: "psi-24h", unit: "", decimals: 0)

    private func open() throws -> History {
        try HistoryFile.open(path: folder.database, plan: StorePlan(.megabytes(4))).0
    }

    private func sample(
        _ hour: Int64,
        _ value: Int64,
        _ quantity: Quantity = pm25,
        of source: String = "data.gov.sg:west"
    ) -> ImportedSample {
        ImportedSample(
            source: source,
            wall: WallTime(nanoseconds: (1_795_000_000 + hour * 3_600) * 1_000_000_000),
            values: [.init(quantity, FixedPoint(value, decimals: quantity.decimals))]
        )
    }

    /// Values by device and hour, each with the quantity's name.
    private func stored() throws -> [String: [String]] {
        let reader = try HistoryReader(path: folder.database)
        var found: [String: [String]] = [:]
        for stream in try reader.streams() where stream.id.isImported {
            let spans = try StreamExtents(reader).spans(of: stream.id)
            let samples = try RawSamples(reader, stream.id, spans)
            while let sample = try samples.next() {
                let hour = (sample.tick.tenths / 10 - 1_795_000_000) / 3_600
                for (quantity, outcome) in zip(stream.quantities, sample.outcomes) {
                    guard case .value(let value, _) = outcome else { continue }
                    found[stream.device, default: []].append("\(hour) \(quantity.name) \(value)")
                }
            }
        }
        return found.mapValues { $0.sorted() }
    }

    @Test func writesEachValueOnceHoweverOftenItComes() throws {
        let rows = (0..<24).map { sample(Int64($0), 100 + Int64($0)) }
        for expected in [MergedValue.written, .same, .same] {
            let history = try open()
            #expect(try history.merge(rows.shuffled()).allSatisfy { $0 == expected })
            try history.close()
        }
        #expect(try stored()["data.gov.sg:west"]?.count == 24)
    }

    @Test func keepsWhatWasCorrectedBesideIt() throws {
        let history = try open()
        #expect(try history.merge([sample(1, 100), sample(2, 110)]) == [.written, .written])
        #expect(try history.merge([sample(1, 105), sample(2, 110)]) == [.revised, .same])
        #expect(try history.merge([sample(1, 105)]) == [.same])
        #expect(try history.merge([sample(1, 106), sample(1, 107)]) == [.revised, .revised])
        #expect(try history.merge([sample(1, 108)]) == [.older], "three corrections are kept")
        #expect(try history.merge([sample(1, 107), sample(3, 120)]) == [.same, .written])
        try history.close()
        let found = try stored()
        #expect(found["data.gov.sg:west"] == ["1 pm25 10.0", "2 pm25 11.0", "3 pm25 12.0"])
        #expect(found["data.gov.sg:west late"] == ["1 pm25 10.5"])
        #expect(found["data.gov.sg:west late 2"] == ["1 pm25 10.6"])
        #expect(found["data.gov.sg:west late 3"] == ["1 pm25 10.7"])
    }

    @Test func takesLateValuesWithoutAnotherBoot() throws {
        let history = try open()
        // Each hour brings its own value and the one of four hours before.
        for hour in Int64(4)..<400 {
            let merged = try history.merge([sample(hour, 100), sample(hour - 4, 90, Self.psi)])
            #expect(merged == [.written, .written])
        }
        // Late values of the same quantity go into a stream beside, in their own order.
        #expect(try history.merge([sample(0, 1), sample(1, 2), sample(2, 3)]).count == 3)
        #expect(try history.merge([sample(3, 4)]) == [.written])
        try history.close()
        let reader = try HistoryReader(path: folder.database)
        #expect(try reader.boots().filter { $0.id.isImported }.count == 1)
        #expect(try stored()["data.gov.sg:west late"]?.count { $0.contains("pm25") } == 4)
    }

    /// Imports have no place in the order of the node's boots, before or after them.
    @Test func importsAreDatedByThemselves() throws {
        let history = try open()
        let (hour, boot): (Int64, BootID) = (10, .numbered(7))
        _ = try history.merge([sample(hour, 1)])
        let wall = WallTime(seconds: 1_795_000_000 + 5 * 3_600)
        let anchor = ClockAnchor(boot: boot, tick: Tick(tenths: 10), wall: wall, isTrusted: true)
        let begun = JournalRecord.started(at: Tick(tenths: 0), version: "1")
        let records = [begun, .anchor(anchor)]
        let payload = JournalRecordCodec.encode(records)
        _ = try history.append([JournalBlock(sequence: 1, boot: boot, payload: payload)])
        _ = try history.merge([sample(hour + 1, 2), sample(hour - 8, 3, .pm10)])
        try history.close()
        let reader = try HistoryReader(path: folder.database)
        let runs = try NodeRuns.all(in: reader)
        #expect(runs.map(\.boot) == [boot])
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        for stream in try reader.streams() where stream.id.isImported {
            let samples = try RawSamples(
                reader,
                stream.id,
                try StreamExtents(reader).spans(of: stream.id)
            )
            while let sample = try samples.next() {
                let time = clock.time(sample.boot, sample.tick)
                #expect(time?.wall.tenths == sample.tick.tenths)
                #expect(time?.isSure == true)
            }
        }
        #expect(clock.time(boot, Tick(tenths: 10))?.isSure == true)
    }

    @Test func quantitiesThatComeTogetherShareAStream() throws {
        let history = try open()
        _ = try history.merge([sample(1, 100), sample(1, 55, Self.psi)])
        _ = try history.merge([sample(2, 100), sample(2, 55, Self.psi)])
        _ = try history.merge([sample(1, 70, .pm10)])
        _ = try history.merge([sample(2, 71, .pm10), sample(2, 1, of: "arpa:sesto")])
        try history.close()
        let streams = try HistoryReader(path: folder.database).streams()
        let names = streams.map { "\($0.device) \($0.quantities.map(\.name).sorted())" }
        #expect(
            names.sorted() == [
                "arpa:sesto [\"pm25\"]", "data.gov.sg:west [\"pm10\"]",
                "data.gov.sg:west [\"pm25\", \"psi-24h\"]",
            ]
        )
        #expect(try stored()["data.gov.sg:west"]?.count == 6)
    }

    /// Random orders of values and corrections: the last place that has one has the newest value.
    @Test(arguments: 1...Exhaustive.merges)
    func theNewestValueIsFound(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let history = try open()
        var newest: [Int64: Int64] = [:]
        for _ in 0..<30 {
            let rows = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                sample(.random(in: 0..<40, using: &random), .random(in: 0..<3, using: &random))
            }
            let merged = try history.merge(rows)
            let order = rows.indices.sorted { (rows[$0].wall, $0) < (rows[$1].wall, $1) }
            for index in order {
                let (hour, value) = (
                    (rows[index].wall.nanoseconds / 1_000_000_000 - 1_795_000_000) / 3_600,
                    rows[index].values[0].value.mantissa
                )
                switch merged[index] {
                case .written: #expect(newest.updateValue(value, forKey: hour) == nil)
                case .revised: #expect(newest.updateValue(value, forKey: hour) != value)
                case .same: #expect(newest[hour] == value)
                case .older: #expect(newest[hour] != value)
                }
            }
        }
        try history.close()
        var found: [Int64: Int64] = [:]
        let byDevice = try stored()
        for level in 0...LateDevice.countMax {
            for line in byDevice[LateDevice.name("data.gov.sg:west", level: level)] ?? [] {
                let words = line.split(separator: " ")
                let hour = try #require(Int64(words[0]))
                let value = try #require(Double(words[2]))
                found[hour] = Int64((value * 10).rounded())
            }
        }
        #expect(found == newest)
    }
}
