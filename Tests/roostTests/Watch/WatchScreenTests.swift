import Testing

@testable import roost

@Suite struct WatchScreenTests {
    @Test(arguments: [(60, 20), (80, 24), (120, 50), (40, 10), (200, 60), (12, 3), (5, 1)])
    func nothingIsWiderOrTallerThanTheScreen(_ columns: Int, _ rows: Int) {
        for state in [
            WatchState(), WatchFixture.state(), WatchFixture.state(channels: 40, faults: 9),
            WatchFixture.state(channels: 0, devices: 0, events: 0),
        ] {
            let lines = WatchFixture.screen(state, columns, rows)
            #expect(lines.count <= max(rows, 1))
            #expect(lines.allSatisfy { $0.width <= columns })
        }
    }

    @Test(arguments: [(60, 20), (80, 24), (120, 50)])
    func lampValuesAndFaultsAreAlwaysThere(_ columns: Int, _ rows: Int) {
        let state = WatchFixture.state(faults: 2, lamp: "poor", devices: 9)
        let lines = WatchFixture.screen(state, columns, rows).map(\.text)
        #expect(lines.count == rows)
        #expect(lines[0].contains("balcony") && lines[0].contains("●○○ poor"))
        for channel in ["dust/pm25", "dust/pm10", "attic/temperature"] {
            #expect(lines.contains { $0.contains(channel) && $0.contains(".5 µg/m³") })
        }
        #expect(lines.contains { $0.contains("FAULTS 2") })
        #expect(lines.contains { $0.contains("dust0 at /dev/ttyUSB0 does not answer") })
        #expect(lines.contains { $0.contains("→ see its cable") })
        #expect(lines.contains { $0.contains("device-0") })
        #expect(lines.last?.contains("q ends this view") == true)
    }

    @Test(arguments: [(60, 20), (80, 24), (120, 50)])
    func aWellStationShowsItsEventsAndBars(_ columns: Int, _ rows: Int) {
        let lines = WatchFixture.screen(WatchFixture.state(), columns, rows).map(\.text)
        #expect(lines.contains { $0.contains("dust/pm25") && $0.contains("█") })
        #expect(lines.contains { $0.contains("bars: last") })
        #expect(lines.contains { $0.contains("13:30:56  door") }, "the newest, by the clock")
        #expect(!lines.contains { $0.contains("FAULTS") })
    }

    @Test func whatDoesNotFitIsCounted() {
        let lines = WatchFixture.screen(WatchFixture.state(channels: 40), 80, 24).map(\.text)
        #expect(lines.contains { $0.contains("more lines; a taller window shows them") })
        #expect(lines.contains { $0.contains("device-0") }, "values leave room for devices")
    }

    @Test func noValueSaysWhyInPlaceOfTheBars() {
        var state = WatchFixture.state()
        let silent = WatchFixture.reading(
            "dust/pm25",
            nil,
            "µg/m³",
            at: 4_999,
            noData: "replyTimeout"
        )
        state.prepend(past: [silent])
        let lines = WatchFixture.screen(state, 60, 20).map(\.text)
        #expect(lines.contains { $0.contains("dust/pm25") && $0.contains("does not answer") })
    }

    @Test func aStationThatIsGoneIsSaidInWords() {
        var state = WatchFixture.state()
        state.trouble = "no station answers at /run/roost/roost.sock"
        let lines = WatchFixture.screen(state, 80, 24).map(\.text)
        #expect(lines[0].contains("no answer"))
        #expect(lines.contains { $0.contains("no station answers at") })
    }

    @Test func coloursAreLeftOutWhereTheyAreNotWanted() {
        let line = WatchFixture.screen(WatchFixture.state(), 80, 24)[0]
        #expect(!line.painted(isColoured: false).contains("\u{1B}"))
        #expect(line.painted(isColoured: true).contains("\u{1B}[1;32m●"))
    }

    @Test func anotherDayHasItsDate() {
        let moment = WatchFixture.moment
        #expect(moment.clock(at: 5_000) == "13:32:07")
        #expect(moment.clock(at: 5_000 - 86_400) == "11-21 13:32:07")
        #expect(moment.date == "2026-11-22 13:32:07")
    }
}
