import ControlProtocol
import Core
import Testing

@Suite struct FeedPlacesTests {
    private static let boot = String(repeating: "a7", count: 16)

    @Test func aFeedTravelsAsTheDocumentedLine() throws {
        let places = FeedPlaces(
            streams: ["3": FeedPlaces.Sample(bootID: Self.boot, tick: 28_005_850)],
            event: FeedPlaces.Event(
                bootID: Self.boot,
                nanoseconds: 2_800_585_012_345_678,
                ordinal: 1
            )
        )
        let request = ControlRequest.feed(
            after: places,
            limit: 500,
            waitSeconds: 300,
            samples: FeedCondition(atLeast: 1, orAfterSeconds: 60)
        )
        let line = try ControlCodec.line(request)
        #expect(
            line == #"{"after":{"event":["\#(Self.boot)",2800585012345678,1],"#
                + #""streams":{"3":["\#(Self.boot)",28005850]}},"command":"feed","limit":500,"#
                + #""samples":{"atLeast":1,"orAfterSeconds":60},"#
                + #""version":\#(controlProtocolVersion),"waitSeconds":300}"#
        )
        #expect(try ControlCodec.message(ControlRequest.self, from: line) == request)
    }

    @Test func aCursorKeepsItsBytes() throws {
        let blob: [UInt8] = (0..<1_024).map { UInt8(truncatingIfNeeded: $0) }
        let line = try ControlCodec.line(ControlRequest.cursor("influx", blob, isUrgent: true))
        let request = try ControlCodec.message(ControlRequest.self, from: line)
        #expect(request.blob.map(Array.init) == blob)
        #expect(request.name == "influx" && request.isUrgent == true)
        let report = CursorReport(
            cursors: [.init(name: "influx", blob: blob, number: 7)],
            number: 7,
            durable: 6
        )
        let answer = try ControlCodec.line(ControlAnswer(.success(report)))
        #expect(
            try ControlCodec.message(ControlAnswer<CursorReport>.self, from: answer).body == report
        )
        #expect(report.cursors[0].bytes == blob)
    }

    @Test func aPlaceOfAnotherShapeIsRefusedByName() {
        let line = #"{"version":3,"command":"feed","after":{"streams":{"3":[7]},"notice":0}}"#
        #expect(throws: ControlFailure.self) {
            try ControlCodec.message(ControlRequest.self, from: line)
        }
    }
}
