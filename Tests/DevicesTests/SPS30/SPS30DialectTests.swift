import Testing

@testable import Core
@testable import Devices

@Suite struct SPS30DialectTests {
    @Test(
        arguments: [
            (SensorAct.wake, [0x7E, 0x00, 0x00, 0x02, 0x01, 0x03, 0xF9, 0x7E]),
            (.rest, [0x7E, 0x00, 0x01, 0x00, 0xFE, 0x7E]),
            (.measure, [0x7E, 0x00, 0x03, 0x00, 0xFC, 0x7E]),
        ] as [(SensorAct, [UInt8])]
    )
    func sendsTheDocumentedCommands(act: SensorAct, bytes: [UInt8]) {
        #expect(SPS30Dialect().commands(for: act).map(\.bytes) == [bytes])
    }

    @Test func measuresOnceItIsStarted() throws {
        var (part, dialect) = (SPS30Simulator(seed: 7), SPS30Dialect())
        func say(_ command: SensorCommand, at second: Int) -> [SensorUtterance] {
            dialect.decode(
                part.receive(command.bytes, at: .boot.advanced(by: .seconds(second)))
            )
        }
        let read = dialect.commands(for: .measure)[0]
        let idle = say(read, at: 0)
        #expect(idle.count == 1 && Self.outcomes(idle[0]) == nil)
        let start = say(dialect.commands(for: .wake)[0], at: 1)
        #expect(start == [.reply("start", id: nil, facts: [])])
        let serial = say(dialect.questions[0], at: 1)
        #expect(serial == [.reply("serial", id: part.serial, facts: [])])
        let values = try #require(Self.outcomes(say(read, at: 2)[0]))
        #expect(values.count == dialect.quantities.count)
        let pm25 = try #require(values[1].value?.doubleValue)
        let pm10 = try #require(values[3].value?.doubleValue)
        #expect(abs(pm10 - pm25 * 1.5) <= 0.02)
        #expect(Self.outcomes(say(read, at: 2)[0]) == nil, "nothing new within a second")
    }

    @Test func passesTheVerifier() throws {
        var (part, dialect) = (SPS30Simulator(seed: 7), SPS30Dialect())
        let acts: [SensorAct] = [.wake, .measure, .measure, .rest]
        let commands = dialect.questions + acts.flatMap { dialect.commands(for: $0) }
        var stream: [UInt8] = []
        for (second, command) in commands.enumerated() {
            let now = MonotonicInstant.boot.advanced(by: .seconds(second))
            stream += part.receive(command.bytes, at: now)
        }
        #expect(dialect.decode(stream).count == 5)
        let verifier = StreamVerifier(
            make: { SPS30Dialect() },
            stream: stream,
            garbage: [[0], [0x7D], [0x7E, 0x7E], [1, 2, 3]]
        )
        try verifier.verify()
        try verifier.fuzz(seed: 6, rounds: 400)
    }

    @Test func refusesWhatIsNotANumber() {
        let nan: [UInt8] = [0x7F, 0xC0, 0, 0]
        let data = Array(repeating: nan, count: 10).flatMap(\.self)
        var content: [UInt8] = [0x00, 0x03, 0x00, 40] + data
        content.append(~content.reduce(0, &+))
        var dialect = SPS30Dialect()
        #expect(dialect.decode([0x7E] + content + [0x7E]) == [.rejected("not a value")])
    }

    private static func outcomes(_ utterance: SensorUtterance) -> [Outcome]? {
        if case .measurement(let outcomes, _) = utterance { outcomes } else { nil }
    }
}
