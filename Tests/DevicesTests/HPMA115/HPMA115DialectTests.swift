import Testing

@testable import Core
@testable import Devices

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

    @Test func readsTheUnaskedFrameOfAC0() throws {
        var part = HPMA115Simulator(seed: 3)
        var dialect = HPMA115Dialect()
        let frame = part.advance(to: .boot.advanced(by: .seconds(1)))
        #expect(frame.count == 32)
        guard case .measurement(let outcomes, nil)? = dialect.decode(frame).first else {
            Issue.record("no measurement")
            return
        }
        let words = [4, 6, 8, 10].map { Int64(frame[$0]) << 8 | Int64(frame[$0 + 1]) }
        #expect(outcomes.map { $0.value?.mantissa } == words)
        var other = PlantowerDialect()
        #expect(other.decode(frame).first == .rejected("another maker's frame"))
    }

    @Test func answersWhenItIsAskedAndSendsNothingUnaskedAfterStopAutoSend() throws {
        var part = HPMA115Simulator(seed: 3)
        let (stop, read): ([UInt8], [UInt8]) = ([0x68, 1, 0x20, 0x77], [0x68, 1, 0x04, 0x93])
        #expect(part.receive(stop, at: .boot) == [0xA5, 0xA5])
        #expect(part.isMeasuring && part.nextActivity == nil)
        let later = MonotonicInstant.boot.advanced(by: .seconds(60))
        #expect(part.advance(to: later).isEmpty)
        #expect(part.receive(read, at: later).prefix(3) == [0x40, 0x0D, 0x04])
        #expect(part.receive([0x68, 1, 0x02, 0x95], at: later) == [0xA5, 0xA5])
        #expect(part.receive(read, at: later) == [0x96, 0x96])
        #expect(part.receive([0x68, 1, 0x01, 0x96], at: later) == [0xA5, 0xA5])
        #expect(part.nextActivity == nil, "stopped for good, until it is told to send")
        #expect(part.receive([0x68, 1, 0x40, 0x57], at: later) == [0xA5, 0xA5])
        #expect(part.nextActivity == later.advanced(by: .seconds(1)))
    }

    @Test func keepsItsCoefficientWithinItsLimits() {
        var part = HPMA115Simulator(seed: 3)
        let read: [UInt8] = [0x68, 1, 0x10, 0x87]
        #expect(part.receive(read, at: .boot) == [0x40, 2, 0x10, 100, 0x4A])
        #expect(part.receive([0x68, 2, 0x08, 0x50, 0x3E], at: .boot) == [0xA5, 0xA5])
        #expect(part.receive(read, at: .boot) == [0x40, 2, 0x10, 80, 0x5E])
        #expect(part.receive([0x68, 2, 0x08, 0x0A, 0x84], at: .boot) == [0x96, 0x96])
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
