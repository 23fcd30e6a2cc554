import Testing

@testable import StoreQueries

@Suite struct MotionRecordsTests {
    @Test func eachMotionHasItsLengthAndItsPicture() async throws {
        let stage = try RecordsStage(
            [("door", 60, 5), ("hall", 61, 2), ("door", 120, 30), ("door", 200, nil)],
            pictures: [("door", 60), ("hall", 61), ("door", 200)]
        )
        let (items, next) = try await stage.page(after: nil, limit: 50)
        #expect(items == ["door200#3", "door120+30", "hall61+2#2", "door60+5#1"])
        #expect(next == nil)
    }

    /// The ends of motions lie on another page than their beginnings, at every size of a page.
    @Test(arguments: 1...9) func pagesTogetherAreTheWhole(limit: Int) async throws {
        var motions: [(source: String, second: Int64, length: Int64?)] = []
        for number in 0..<24 as Range<Int64> {
            // A long one of the hall over several short ones of the door.
            if number % 6 == 0 { motions.append(("hall", 100 + number * 10, 45)) }
            motions.append(("door", 101 + number * 10, number % 5 == 4 ? nil : 3))
        }
        // Two whose motions the history does not have: in between, and before all.
        var pictures: [(source: String, second: Int64)] = [("attic", 20)]
        for motion in motions where motion.second % 20 < 10 {
            pictures.append((motion.source, motion.second))
            if motion.second == 141 { pictures.append(("attic", 145)) }
        }
        let stage = try RecordsStage(motions, pictures: pictures)
        let (whole, _) = try await stage.page(after: nil, limit: 200)
        #expect(whole.count == motions.count + 2)
        #expect(whole.filter { $0.contains("#") }.count == pictures.count)
        #expect(whole.filter { $0.hasSuffix("?") }.count == 2 && whole.last == "attic20#1?")
        var (found, cursor): ([String], MotionRecords.Cursor?) = ([], nil)
        var pages = 0
        repeat {
            let (items, next) = try await stage.page(after: cursor, limit: limit)
            found += items
            // As a browser sends it back.
            cursor = next.flatMap { MotionRecords.Cursor($0.description) }
            #expect((next == nil) == (cursor == nil))
            pages += 1
        } while cursor != nil && pages < 100
        #expect(found == whole)
    }

    @Test func withoutADateTheBootAndTheInstantJoin() async throws {
        let stage = try RecordsStage(
            [("door", 60, 5), ("door", 120, 5)],
            pictures: [("door", 60), ("door", 90), ("door", 120)],
            isDated: false
        )
        let (items, _) = try await stage.page(after: nil, limit: 50)
        #expect(items == ["door120+5#3", "door90#2?", "door60+5#1"])
    }

    @Test func aCursorThatIsNoneIsRefused() {
        for text in ["", "~", "~~", "~~x", "a~~1", "~a~1", "~~1~", "~~-1"] {
            #expect(MotionRecords.Cursor(text) == nil, "\(text)")
        }
        #expect(MotionRecords.Cursor("~~7")?.picture == 7)
    }
}
