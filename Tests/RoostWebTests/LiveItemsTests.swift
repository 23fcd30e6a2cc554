import Testing

@testable import RoostWeb

@Suite struct LiveItemsTests {
    @Test func aPageGetsWhatItMissed() {
        var items = LiveItems(epoch: "a")
        for number in 1...5 { _ = items.append(event: "reading", data: "\(number)") }
        guard case .items(let missed) = items.resumption(after: "a-3") else {
            Issue.record("a reset")
            return
        }
        #expect(missed.map(\.number) == [4, 5])
        #expect(missed[0].text == "id: a-4\nevent: reading\ndata: 4\n\n")
        #expect(items.resumption(after: "a-5") == .items([]))
        #expect(items.resumption(after: nil) == .items([]))
    }

    @Test(arguments: ["b-3", "a-6", "a-", "a", "", "-", "a-3-1", "a--1", "a-99999999999999999999"])
    func whatDoesNotFitIsAReset(last: String) {
        var items = LiveItems(epoch: "a")
        for number in 1...5 { _ = items.append(event: "reading", data: "\(number)") }
        #expect(items.resumption(after: last) == .reset)
    }

    @Test func whatIsNotKeptAnyMoreIsAReset() {
        var items = LiveItems(epoch: "a")
        for number in 1...(LiveItems.kept * 2) { _ = items.append(event: "e", data: "\(number)") }
        #expect(items.resumption(after: "a-1") == .reset)
        let recent = LiveItems.kept * 2 - 10
        guard case .items(let missed) = items.resumption(after: "a-\(recent)") else {
            Issue.record("a reset")
            return
        }
        #expect(missed.count == 10)
    }
}
