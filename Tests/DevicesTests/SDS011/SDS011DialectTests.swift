import Testing

@testable import Core
@testable import Devices

@Suite struct SDS011DialectTests {
    private static let frames = [
        SDS011Frame.measurement(.init(pm25Tenths: 123, pm10Tenths: 456), from: .init(0xA1, 0x60)),
        .reply(.init(command: 7, 18, 11, 16), from: .init(0xA1, 0x60)),
        .reply(.init(command: 6, 1, 0, 0), from: .init(0xA1, 0x60)),
        .measurement(.zero, from: .init(0x01, 0x02)),
    ]

    @Test func saysWhatTheDecoderSays() {
        let facts = [Fact("firmware", "18-11-16")]
        DialectVerifier(
            dialect: SDS011Dialect(),
            samples: zip(
                Self.frames.map(\.bytes),
                [
                    .measurement([.value(12.3), .value(45.6)], id: "A160"),
                    .reply("firmware", id: "A160", facts: facts),
                    .reply("6 1 0", id: "A160", facts: []),
                    .measurement([.noData(.warmingUp), .noData(.warmingUp)], id: "0102"),
                ]
            ).map { .init($0, $1) },
            garbage: [[0x00], [0xAA], [0xAA, 0xB4], [0xAB, 0xC0]]
        ).verify()
    }

    @Test func isAnsweredByThePartItIsMadeFor() throws {
        var part = SDS011Simulator()
        let modes = try #require(SDS011Dialect().reportModes)
        let acts = SensorAct.allCases.flatMap { SDS011Dialect().commands(for: $0) }
        let commands = SDS011Dialect().questions + modes.answering + modes.streaming + acts
        for command in commands {
            var dialect = SDS011Dialect()
            let answers = dialect.decode(part.receive(command.bytes, at: .boot))
            let names = answers.map { answer -> String? in
                if case .reply(let name, _, _) = answer { name } else { nil }
            }
            #expect(names == [command.reply], "\(command.name)")
        }
    }

    @Test func addressesOnePartAndAsksEverybodyWhoTheyAre() {
        var (dialect, part) = (SDS011Dialect(), SDS011Simulator())
        #expect(dialect.address("a162") == "A162")
        for command in SensorAct.allCases.flatMap({ dialect.commands(for: $0) }) {
            #expect(part.receive(command.bytes, at: .boot).isEmpty, "\(command.name)")
        }
        #expect(dialect.questions.allSatisfy { !part.receive($0.bytes, at: .boot).isEmpty })
        #expect(dialect.address("no id") == "no id")
    }

    @Test(arguments: [true, false])
    func saysWhetherItRuns(isAwake: Bool) throws {
        var (dialect, part) = (SDS011Dialect(), SDS011Simulator())
        let probe = try #require(dialect.stateProbe)
        let act: SensorAct = isAwake ? .wake : .rest
        for command in dialect.commands(for: act) { _ = part.receive(command.bytes, at: .boot) }
        let said = dialect.decode(part.receive(probe.question.bytes, at: .boot))
        let running = SensorUtterance.reply("state", id: "A160", facts: probe.running)
        #expect((said == [running]) == isAwake)
    }

    /// It frames its one value, dust below 100 µm, as `AA CF`.
    @Test func takesNoValueFromAnSDS198() throws {
        let pieces = try SDS011Recording(hexDump: Fixture.text("SDS198.hexdump")).pieces
        var dialect = SDS011Dialect()
        let utterances = dialect.decode(pieces.flatMap(\.self))
        #expect(pieces.count == 6)
        #expect(utterances == pieces.map { _ in .rejected("byte 1 is 207") })
    }
}
