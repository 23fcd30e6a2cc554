import ControlProtocol
import Core
import Testing

@Suite struct ControlCodecTests {
    @Test func aMessageIsOneLineAndComesBackTheSame() throws {
        let question = AskedQuestion(
            ChangeMode("survey", name: "küche\n/", seconds: 90),
            for: "Ada"
        )
        let line = try ControlCodec.line(question)
        #expect(!line.contains("\n"))
        let again = try ControlCodec.message(AskedQuestion<ChangeMode>.self, from: line)
        #expect(again.question.name == "küche\n/" && again.question.seconds == 90)
        #expect(again.actor == "Ada" && again.version == controlProtocolVersion)
        #expect(try ControlCodec.line(again) == line)
    }

    @Test(arguments: [
        "", "{", "[]", #"{"version":1}"#, #"{"version":"1","device":"dust"}"#,
    ])
    func aBadRequestIsNamed(line: String) {
        #expect {
            try ControlCodec.message(AskedQuestion<MuteDevice>.self, from: line)
        } throws: { error in
            (error as? ControlFailure)?.code == .badRequest
        }
    }

    @Test func aFailureTravelsInPlaceOfTheBody() throws {
        let failure = ControlFailure(code: .badRequest, message: "no")
        let line = try ControlCodec.line(ControlAnswer<TreeReport>(.failure(failure)))
        let answer = try ControlCodec.message(ControlAnswer<TreeReport>.self, from: line)
        #expect(answer.error == failure && answer.body == nil)
    }

    /// Requests from a fixed seed, damaged at random: an answer or a failure, never a trap.
    @Test func survivesDamagedLines() throws {
        var generator = SplitMix64(seed: 7)
        let good = Array(try ControlCodec.line(AskedQuestion(GetReadings(lastSeconds: 60))).utf8)
        var refused = 0
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            do {
                _ = try ControlCodec.message(
                    AskedQuestion<GetReadings>.self,
                    from: String(decoding: bytes, as: UTF8.self)
                )
            } catch {
                refused += 1
            }
        }
        #expect(refused > 1_000)
    }
}
