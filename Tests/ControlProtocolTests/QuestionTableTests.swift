import ControlProtocol
import HardwareIO
import Testing

@Suite struct QuestionTableTests {
    private struct Double: Question {
        typealias Answer = Int
        static let about = QuestionFacts("double", for: [.root, .person], "Doubles a number.")
        let number: Int
    }

    private struct Halve: Question {
        typealias Answer = String
        static let about = QuestionFacts("halve", for: [.root], "Halves a number.")
        let number: Int
    }

    /// A client whose lines go to a table.
    private struct Client: QuestionClient {
        let table: QuestionTable
        var user: UInt32 = 1_000

        func exchange(_ line: String, within limit: Duration?) async throws -> String {
            let peer = PeerCredentials(processID: 1, userID: user, groupID: user)
            return try await table.answer(line, from: peer)
        }
    }

    private static var table: QuestionTable {
        var table = QuestionTable("this test", users: LocalUsers(own: 7) { _ in nil })
        table.on(Double.self) { question, _ in question.number * 2 }
        table.on(Halve.self) { question, asker in
            guard question.number % 2 == 0 else {
                throw ControlFailure(code: .badRequest, message: "odd", pointer: "/number")
            }
            return "\(question.number / 2) for \(asker.actor ?? "itself")"
        }
        return table
    }

    @Test func aQuestionFindsItsHandler() async throws {
        let root = Client(table: Self.table, user: 0)
        #expect(try await root.ask(Double(number: 4)) == 8)
        #expect(try await root.ask(Halve(number: 4), for: "anna") == "2 for anna")
        await #expect(
            throws: ControlFailure(code: .badRequest, message: "odd", pointer: "/number")
        ) {
            try await root.ask(Halve(number: 3))
        }
    }

    @Test(arguments: [
        (#"{"version":3,"command":"halve","number":4}"#, "forbidden"),
        (#"{"version":3,"command":"halve"}"#, "forbidden"),
        (#"{"version":9,"command":"treble"}"#, "wrong-version"),
        (#"{"version":3,"command":"treble"}"#, "one of double, halve"),
        (#"{"version":3,"command":"double"}"#, "lacks number"),
        (#"{"version":3,"command":"double","number":"4"}"#, "number has the wrong type"),
        (#"{"command":"double","number":4}"#, "lacks version"), ("[]", "bad-request"),
        ("", "bad-request"),
    ])
    func aBadLineIsRefused(line: String, text: String) async throws {
        let answer = try await Client(table: Self.table).exchange(line, within: nil)
        #expect(answer.contains("\"error\"") && answer.contains(text), "\(answer)")
    }
}
