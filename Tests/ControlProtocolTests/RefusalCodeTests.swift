import ControlProtocol
import Testing

@Suite struct RefusalCodeTests {
    @Test func anotherBuildsCodeIsReadAsAFault() throws {
        let line = #"{"version":3,"error":{"code":"made-up","message":"no"}}"#
        #expect(throws: ControlFailure(code: .internal, message: "no")) {
            try ControlCodec.body(String.self, from: line)
        }
    }

    /// A client is not to blame for what a program answers.
    @Test(arguments: [
        "", "{", "[]", #"{"version":3}"#, #"{"version":"3","body":"x"}"#,
        #"{"version":3,"body":7}"#,
    ])
    func anAnswerThatCannotBeReadIsNoBadRequest(line: String) {
        #expect {
            try ControlCodec.body(String.self, from: line)
        } throws: { error in
            (error as? ControlFailure)?.code == .badAnswer
        }
    }

    @Test(arguments: RefusalCode.allCases)
    func eachCodeTravels(code: RefusalCode) throws {
        let failure = ControlFailure(code: code, message: "no", pointer: "/name")
        let line = try ControlCodec.line(refusing: failure)
        #expect(line.contains("\"\(code.rawValue)\""))
        #expect(throws: failure) { try ControlCodec.body(String.self, from: line) }
    }
}
