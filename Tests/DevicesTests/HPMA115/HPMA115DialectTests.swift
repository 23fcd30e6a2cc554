import Devices
import Readings
import Testing

@Suite struct HPMA115DialectTests {
    @Test func readsEveryValueOfTheCapture() throws {
        var dialect = HPMA115Dialect()
        let found = dialect.decode(try Fixture.hexdump("HPMA115C0.hexdump"))
        let expected = try Fixture.rows("HPMA115C0.csv").map { row in
            row.dropFirst().compactMap(Double.init)
        }
        #expect(!expected.isEmpty && found.count == expected.count)
        for (utterance, values) in zip(found, expected) {
            guard case .measurement(let outcomes, nil) = utterance else {
                Issue.record("\(utterance)")
                continue
            }
            #expect(outcomes.map { $0.value?.doubleValue } == values)
        }
    }

    @Test func passesTheVerifier() throws {
        let verifier = StreamVerifier(
            make: { HPMA115Dialect() },
            stream: try Fixture.hexdump("HPMA115C0.hexdump"),
            garbage: [[0], [0xA5, 0xA5], [0x42, 0x00], [0x40, 0x00]]
        )
        try verifier.verify()
        try verifier.fuzz(seed: 4, rounds: 400)
    }

    @Test func readsTheShortAnswerAndTheLongFrame() {
        var dialect = HPMA115Dialect()
        let short: [UInt8] = [0x40, 0x05, 0x04, 0x00, 0x07, 0x00, 0x17, 0x99]
        var long: [UInt8] =
            [0x42, 0x4D, 0, 0x1C, 0, 0, 0, 7, 0, 23] + Array(repeating: 0, count: 20)
        let sum = long.reduce(0) { $0 + Int($1) }
        long += [UInt8(sum >> 8), UInt8(sum & 0xFF)]
        let absent = Outcome.noData(.notMeasured)
        let expected = SensorUtterance.measurement(
            [absent, .value(7), absent, .value(23)],
            id: nil
        )
        #expect(dialect.decode(short + long) == [expected, expected])
    }

    @Test func leavesAPlantowersFrameToIt() throws {
        var dialect = HPMA115Dialect()
        var frame: [UInt8] = [0x42, 0x4D, 0, 0x1C, 0, 5, 0, 7, 0, 9, 0, 5, 0, 7, 0, 9]
        frame += Array(repeating: 0, count: 14)
        let sum = frame.reduce(0) { $0 + Int($1) }
        frame += [UInt8(sum >> 8), UInt8(sum & 0xFF)]
        let found = dialect.decode(frame)
        #expect(found.allSatisfy { if case .rejected = $0 { true } else { false } })
    }

    @Test func theSimulatorStopsAndStarts() throws {
        var part = HPMA115Simulator(seed: 3)
        var dialect = HPMA115Dialect()
        let now = MonotonicInstant.boot.advanced(by: .seconds(10))
        #expect(dialect.decode(part.advance(to: now)).count == 10)
        for command in dialect.commands(for: .rest) { _ = part.receive(command.bytes, at: now) }
        #expect(!part.isMeasuring && part.nextActivity == nil)
        for command in dialect.commands(for: .wake) { _ = part.receive(command.bytes, at: now) }
        #expect(part.isMeasuring)
        let question = try #require(dialect.questions.first)
        #expect(dialect.decode(part.receive(question.bytes, at: now)).count == 1)
    }
}
