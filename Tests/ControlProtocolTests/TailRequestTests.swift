import ControlProtocol
import Testing

@Suite struct TailRequestTests {
    @Test func aFollowersQuestionTravelsAsTheDocumentedLine() throws {
        let question = GetTail(
            from: "r12003456789-4711",
            limit: 500,
            waitSeconds: 300,
            samples: TailCondition(atLeast: 1, orAfterSeconds: 60)
        )
        let line = try ControlCodec.line(AskedQuestion(question))
        #expect(
            line == #"{"command":"tail","from":"r12003456789-4711","limit":500,"#
                + #""samples":{"atLeast":1,"orAfterSeconds":60},"#
                + #""version":\#(controlProtocolVersion),"waitSeconds":300}"#
        )
        let again = try ControlCodec.message(AskedQuestion<GetTail>.self, from: line)
        #expect(try ControlCodec.line(again) == line)
    }

    @Test func aCursorKeepsItsBytes() throws {
        let blob: [UInt8] = (0..<1_024).map { UInt8(truncatingIfNeeded: $0) }
        let line = try ControlCodec.line(
            AskedQuestion(KeepCursor("influx", blob, isUrgent: true))
        )
        let cursor = try ControlCodec.message(AskedQuestion<KeepCursor>.self, from: line).question
        #expect(cursor.bytes == blob)
        #expect(cursor.name == "influx" && cursor.isUrgent == true)
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
}
