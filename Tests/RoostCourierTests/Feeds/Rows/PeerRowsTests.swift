import ControlProtocol
import Testing

@testable import RoostCourier

@Suite struct PeerRowsTests {
    @Test func readsAPage() throws {
        let body = """
            {"channel":"dust/pm25","unit":"µg/m³","decimals":1,"items":[
            {"time":"2026-11-23T09:00:00.3Z","isSure":true,"value":12.3,"noData":null},
            {"time":"2026-11-23T09:01:00.0Z","isSure":true,"value":null,"noData":"timeout"},
            {"time":"2026-11-23T09:02:00.0Z","isSure":false,"value":4.0,"noData":null},
            {"time":null,"isSure":null,"value":4.0,"noData":null}],"next":"a.1"}
            """
        let rows = try PeerRows.decode(Array(body.utf8), from: "garden", of: "dust/pm25")
        let expected = [("2026-11-23T09:00:00.3Z", 12.3), ("2026-11-23T09:01:00.0Z", nil)].map {
            ImportRow(source: "garden", series: "dust/pm25", unit: "µg/m³", time: $0, value: $1)
        }
        #expect(rows.rows == expected)
        #expect(rows.next == "a.1")
        #expect(rows.omissions.map(\.place) == ["/items/2", "/items/3"])
    }

    @Test func aTemperatureMayBeNegative() throws {
        let body = """
            {"channel":"air/temperature","unit":"°C","items":[
            {"time":"2026-11-23T09:00:00.0Z","isSure":true,"value":-4.5}]}
            """
        let rows = try PeerRows.decode(Array(body.utf8), from: "garden", of: "air/temperature")
        #expect(rows.rows.map(\.value) == [-4.5])
    }

    @Test func takesNothingOfAChannelThatWasNotAskedFor() {
        let body = """
            {"channel":"door/motion","unit":"","items":[
            {"time":"2026-11-23T09:00:00.0Z","isSure":true,"value":1}]}
            """
        let fault = FeedFault.shape(
            place: "/channel",
            wanted: "dust/pm25",
            found: "\"door/motion\""
        )
        #expect(throws: fault) {
            try PeerRows.decode(Array(body.utf8), from: "garden", of: "dust/pm25")
        }
    }

    @Test(arguments: [0, 1, 1_024, 1_025, 900_000])
    func aMarkOfTheNextPageHasABound(count: Int) throws {
        let mark = String(repeating: "m", count: count)
        let body = """
            {"channel":"dust/pm25","unit":"","items":[
            {"time":"2026-11-23T09:00:00.0Z","isSure":true,"value":1}],"next":"\(mark)"}
            """
        let rows = try PeerRows.decode(Array(body.utf8), from: "garden", of: "dust/pm25")
        #expect(rows.rows.count == 1, "its rows count")
        #expect(rows.next == ((1...1_024).contains(count) ? mark : nil))
        #expect((rows.fault != nil) == (count > 1_024))
        #expect(rows.omittedCount == (count > 1_024 ? 1 : 0))
    }

    @Test(arguments: ["0x1F", "0x1p3", "inf", "nan", " 1", "1 ", "", "1,5", "+", "1e999"])
    func aTextThatIsNoDecimalNumberIsNone(text: String) throws {
        let body = """
            {"channel":"dust/pm25","unit":"","items":[
            {"time":"2026-11-23T09:00:00.0Z","isSure":true,"value":"\(text)"}]}
            """
        let rows = try PeerRows.decode(Array(body.utf8), from: "garden", of: "dust/pm25")
        #expect(rows.rows.map(\.value) == [nil])
        #expect(rows.omittedCount == 1)
    }

    @Test func saysWhatTheStationRefused() {
        let body = #"{"type":"x","title":"No such channel","detail":"There is no dust/pm3."}"#
        #expect(throws: FeedFault.refused("There is no dust/pm3.")) {
            try PeerRows.decode(Array(body.utf8), from: "garden", of: "dust/pm25")
        }
    }
}
