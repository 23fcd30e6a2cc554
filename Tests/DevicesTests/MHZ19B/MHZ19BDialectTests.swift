import Testing

@testable import Core
@testable import Devices

@Suite struct MHZ19BDialectTests {
    /// From the maker's document: 608 ppm.
    private static let reply: [UInt8] = [0xFF, 0x86, 0x02, 0x60, 0x47, 0x00, 0x00, 0x00, 0xD1]

    @Test func readsTheDocumentedReply() {
        var dialect = MHZ19BDialect()
        #expect(dialect.decode(Self.reply) == [.measurement([.value(608)], id: nil)])
    }

    @Test func passesTheVerifier() throws {
        let verifier = StreamVerifier(
            make: { MHZ19BDialect() },
            stream: Self.reply + Self.reply,
            garbage: [[0], [0xFF], [0xFF, 0xFF], [0x86]]
        )
        try verifier.verify()
        try verifier.fuzz(seed: 5, rounds: 400)
    }

    @Test func theSimulatorAnswersItsQuestionAndNothingElse() throws {
        var part = MHZ19BSimulator(seed: 2)
        var dialect = MHZ19BDialect()
        let question = try #require(dialect.questions.first)
        let garbled = question.bytes.map { $0 ^ 1 }
        #expect(part.receive(garbled, at: .boot).isEmpty)
        let answer = dialect.decode(part.receive([1, 2] + question.bytes, at: .boot))
        #expect(answer.count == 1)
        #expect(part.nextActivity == nil)
    }
}
