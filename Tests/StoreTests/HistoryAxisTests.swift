import Readings
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
}
