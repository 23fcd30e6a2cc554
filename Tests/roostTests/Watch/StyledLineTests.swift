import Testing

@testable import roost

@Suite struct StyledLineTests {
    @Test func aCutLineKeepsItsWidthAndItsStyle() {
        var line = StyledLine("dust ", .bold)
        line.add("does not answer", .red)
        #expect(line.cut(to: 10).text == "dust does…")
        #expect(line.cut(to: 10).pieces.last?.style == .red)
        #expect(line.cut(to: 20) == line)
        #expect(line.cut(to: 0).width == 0)
    }

    @Test func wideCharactersTakeTwoCells() {
        #expect("温度".cells == 4 && "µg/m³".cells == 5)
        #expect(StyledLine("温度計").cut(to: 4).text == "温…")
    }

    @Test func nothingSteersTheTerminal() {
        #expect(StyledLine("a\u{1B}[2Jb\nc").text == "a·[2Jb·c")
    }

    @Test func wordsBreakBetweenThem() {
        let lines = StyledLine.wrapped(
            "see its cable and its power",
            .plain,
            lead: "→ ",
            columns: 16,
            limit: 3
        ).map(\.text)
        #expect(lines == ["→ see its cable", "  and its power"])
    }

    @Test func whatIsRightGivesWay() {
        let left = StyledLine("balcony")
        #expect(left.with(right: StyledLine("14:32"), columns: 16).text == "balcony    14:32")
        #expect(left.with(right: StyledLine("14:32"), columns: 10).text == "balcony")
    }
}
