import Testing

@testable import roost

@Suite struct TrailTests {
    private func trail(_ values: [Double?], every interval: Double = 1) -> Trail {
        var trail = Trail()
        for (index, value) in values.enumerated() {
            trail.append(value, at: Double(index) * interval)
        }
        return trail
    }

    @Test func theLeastIsLowAndTheMostIsHigh() {
        let bars = trail([0, 10, 20, 30, 40, 50, 60, 70]).bars(columns: 8)
        #expect(bars == "▁▂▃▄▅▆▇█")
    }

    @Test func whatHasNoValueIsBlank() {
        #expect(trail([0, nil, nil, 8]).bars(columns: 4) == "▁  █")
        #expect(trail([nil, nil]).bars(columns: 4).isEmpty)
        #expect(trail([3]).bars(columns: 4).isEmpty)
    }

    @Test func nearlyTheSameIsFlat() {
        #expect(Set(trail([20, 20.01, 20, 20.01]).bars(columns: 4)) == ["▁"])
    }

    @Test func barsShowAsMuchTimeAsMakesSense() {
        #expect(trail([1, 2, 3]).span(columns: 20) == 20)
        #expect(trail((0..<900).map { Double($0) }).span(columns: 20) == Trail.shortSpan)
        let slow = trail((0..<900).map { Double($0) }, every: 300)
        #expect(slow.span(columns: 20) == Trail.longSpan)
    }

    @Test func theOldestGoes() {
        var trail = trail((0..<1_500).map { Double($0) })
        trail.append(7, at: 3)
        #expect(trail.bars(columns: 10).count == 10)
    }
}
