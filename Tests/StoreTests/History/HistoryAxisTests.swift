import Core
import Testing

@testable import Store

@Suite struct HistoryAxisTests {
    private static let boot = BootID(bytes: Array(repeating: 7, count: 16))

    private func span(_ from: Int64, _ to: Int64, offset: Int64 = 0) -> HistorySpan {
        HistorySpan(
            boot: Self.boot,
            from: Tick(tenths: from),
            to: Tick(tenths: to),
            offset: offset
        )
    }

    @Test func aYearIn500StepsHasStepsOfWholeSixHours() {
        let year: Int64 = 365 * 864_000
        let axis = HistoryAxis([span(10, year + 1)], points: 500)
        let length = axis.spans[0].to.tenths - axis.spans[0].from.tenths
        #expect(axis.points <= 500)
        #expect(axis.spans[0].from == Tick(tenths: 0))
        #expect(length % (Int64(axis.points) * 216_000) == 0)
    }

    @Test func onlyWhatWasAskedForCanBeAGap() {
        let axis = HistoryAxis([span(10, 36_010)], points: 1)
        let length = axis.spans[0].to.tenths - axis.spans[0].from.tenths
        let point = HistoryPoint(offset: axis.spans[0].offset, width: length)
        #expect(length > 36_000)
        #expect(axis.inside(point) == 36_000)
    }

    @Test func stepsFinerThanEachRollupStayAsTheyAre() {
        let spans = [span(10, 110), span(500, 600, offset: 100)]
        let axis = HistoryAxis(spans, points: 10)
        #expect(axis.spans == spans)
        #expect(axis.points == 10)
    }

    @Test func nothingKeptIsNothingShown() {
        #expect(HistoryAxis([], points: 10).spans.isEmpty)
    }

    @Test func everyBootBeginsWhereItsBucketsDo() {
        let spans = [span(130, 40_000), span(777, 90_001, offset: 39_870)]
        let axis = HistoryAxis(spans, points: 100)
        let origin = axis.spans[0].offset
        for span in axis.spans {
            #expect(span.from.tenths % 600 == 0)
            #expect((span.offset - origin) % 600 == 0)
        }
        #expect(axis.spans[1].offset >= axis.spans[0].offset + 40_000)
        #expect(axis.points <= 100)
        // All that was asked for is inside the steps, and the room between the boots is not.
        let end = axis.spans[1].offset + axis.spans[1].to.tenths - axis.spans[1].from.tenths
        let whole = HistoryPoint(offset: origin, width: end - origin)
        #expect(axis.inside(whole) == (40_000 - 130) + (90_001 - 777))
    }

    @Test func manyShortBootsGetNoAxisOfRoomAlone() {
        let spans = (0..<200).map { span(50, 1_050, offset: Int64($0) * 1_000) }
        let axis = HistoryAxis(spans, points: 10)
        let last = axis.spans[199]
        let length = last.offset + last.to.tenths - last.from.tenths - axis.spans[0].offset
        #expect(length <= 200_000 * 9 / 8 + 12_000)
    }
}

/// Several boots, a lost run among them: the steps hold exactly what was taken within them.
@Suite struct HistorySeriesTests {
    private let folder = HistoryFolder()

    /// Samples by boot; the second boot ends without a word.
    private func fill() throws -> [(boot: BootID, samples: [StoredSample])] {
        let history = try HistoryFile.open(path: folder.database, plan: StorePlan(.megabytes(8))).0
        var dust = DustSeries(every: 10, seed: 4)
        var boots: [(boot: BootID, samples: [StoredSample])] = []
        for (number, count) in [20_000, 5_003, 31_111].enumerated() {
            dust.boot = BootID(bytes: Array(repeating: UInt8(number + 1), count: 16))
            dust.tick = Int64(number * 70 + 130)
            let start = dust.start()
            let samples = dust.samples(count)
            var blocks = [start, dust.block(samples)]
            if number != 1 {
                blocks.append(dust.block([], [.stopped(at: Tick(tenths: dust.tick))]))
            }
            try history.append(blocks)
            boots.append((dust.boot, samples))
        }
        return boots
    }

    @Test(arguments: [2, 13, 60, 500, 2_000, 9_999])
    func stepsHoldWhatWasTakenWithinThem(points: Int) throws {
        let boots = try fill()
        let reader = try HistoryReader(path: folder.database)
        let spans = try StreamExtents(reader).spans(of: DustSeries.stream.id)
        #expect(spans.map(\.boot) == boots.map(\.boot))
        let axis = HistoryAxis(spans, points: points)
        let series = try HistorySeries(reader).points(DustSeries.stream.id, channel: 0, along: axis)
        #expect(series.count == axis.points && series.count <= points)
        var wanted = [(count: Int64, sum: Int64)](repeating: (0, 0), count: series.count)
        for (boot, samples) in boots {
            let span = try #require(axis.spans.first { $0.boot == boot })
            for sample in samples {
                guard let value = sample.outcomes[0].value?.mantissa else { continue }
                let offset = span.offset + sample.tick.tenths - span.from.tenths
                let step = Int((offset - series[0].offset) / series[0].width)
                wanted[step].count += 1
                wanted[step].sum += value
            }
        }
        let differing = series.indices.filter {
            (series[$0].bucket.count, series[$0].bucket.sum) != wanted[$0]
        }
        #expect(differing == [])
        let asked = spans.reduce(0) { $0 + $1.to.tenths - $1.from.tenths }
        #expect(series.reduce(0) { $0 + axis.inside($1) } == asked)
    }

    @Test func aLostRunIsReadToItsLastSample() throws {
        let boots = try fill()
        let reader = try HistoryReader(path: folder.database)
        #expect(try reader.all() == boots.flatMap(\.samples))
        #expect(try reader.runs().map { $0.stopped != nil } == [true, false, true])
        let spans = try StreamExtents(reader).spans(of: DustSeries.stream.id)
        #expect(spans[1].to.tenths == (boots[1].samples.last?.tick.tenths ?? 0) + 1)
    }

    @Test func piecesAreTheSamplesOneByOne() throws {
        let boots = try fill()
        let reader = try HistoryReader(path: folder.database)
        let spans = try StreamExtents(reader).spans(of: DustSeries.stream.id).map {
            HistorySpan(
                boot: $0.boot,
                from: Tick(tenths: $0.from.tenths + 1_003),
                to: Tick(tenths: $0.to.tenths - 777)
            )
        }
        let samples = try RawSamples(reader, DustSeries.stream.id, spans)
        var (found, rows) = ([StoredSample](), SegmentRows())
        while let piece = try samples.nextRows(into: &rows) {
            #expect(!piece.range.isEmpty)
            for row in piece.range {
                let sample = StoredSample(
                    stream: DustSeries.stream.id,
                    tick: rows.tick(row),
                    outcomes: rows.outcomes(row)
                )
                found.append(sample)
            }
        }
        let wanted = zip(boots, spans).flatMap { boot, span in
            boot.samples.filter { $0.tick >= span.from && $0.tick < span.to }
        }
        #expect(found == wanted)
    }
}
