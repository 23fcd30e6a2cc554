import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Profiles

@Suite struct I2CSensorDialectTests {
    private static func dialect(
        _ settings: String,
        _ names: [(String, Int)]
    ) throws -> I2CSensorDialect {
        try I2CSensorDialect(
            Profile(
                id: "test",
                kind: .bus,
                text: ("Test", "A part.", "test"),
                driver: ("i2c-sensor", try JSONParser.parse(Array(settings.utf8)), nil),
                measures: (
                    names.map { name, decimals in
                        ChannelProfile(
                            Quantity(name: name, unit: "°C", decimals: decimals),
                            range: -50...50_000,
                            description: "",
                            shown: "line"
                        )
                    }, nil, nil
                )
            )
        )
    }

    private static func answer(_ reads: [UInt8]..., number: Int = 0) -> [UInt8] {
        BusAnswer(reads.map { .bytes($0, choice: 0) }, number: number).bytes
    }

    /// The example of Sensirion's data sheet of the SCD4x: 500 ppm, 25 °C, 37 %.
    @Test func readsTheWorkedExampleOfTheDataSheet() throws {
        var dialect = try Self.dialect(
            #"""
            {"measure": ["write ec05", "wait 1", "read 9"], "check": "words",
             "serial": ["write 3682", "wait 1", "read 9"],
             "values": {"co2": {"bit": 0},
                        "temperature": {"bit": 16, "scale": "175/65535", "offset": "-45"},
                        "humidity": {"bit": 32, "scale": "100/65535"}}}
            """#,
            [("co2", 0), ("temperature", 2), ("humidity", 2)]
        )
        let example: [UInt8] = [0x01, 0xF4, 0x33, 0x66, 0x67, 0xA2, 0x5E, 0xB9, 0x3C]
        let heard = dialect.decode(Self.answer([], [], example))
        #expect(heard == [.measurement([.value(500), .value(25), .value(37)], id: nil)])
        let serial: [UInt8] = [0xF8, 0x96, 0x31, 0x9F, 0x07, 0xC2, 0x3B, 0xBE, 0x89]
        let said = dialect.decode(Self.answer([], [], serial, number: 3))
        #expect(said == [.reply("serial", id: "f8969f073bbe", facts: [])])
        // A late answer is not held for another.
        let late = dialect.decode(Self.answer([], [], example, number: 3))
        #expect(late == [.reply("serial", id: "01f466675eb9", facts: [])])
        for index in example.indices {
            var spoilt = example
            spoilt[index] ^= 4
            let heard = dialect.decode(Self.answer([], [], spoilt))
            #expect(heard == [.rejected("measure: a checksum is wrong")])
        }
    }

    /// An AHT20's twenty bits: 50 % and 25 °C by the formulas of its data sheet.
    @Test func readsBitsAcrossBytesAndAChecksumOfTheWhole() throws {
        var dialect = try Self.dialect(
            #"""
            {"measure": ["write ac3300", "wait 80", "read 7"], "check": "whole",
             "values": {"humidity": {"bit": 8, "bits": 20, "scale": "100/1048576"},
                        "temperature": {"bit": 28, "bits": 20, "scale": "200/1048576",
                                        "offset": "-50"}}}
            """#,
            [("humidity", 1), ("temperature", 1)]
        )
        let content: [UInt8] = [0x1C, 0x80, 0x00, 0x06, 0x00, 0x00]
        let sum = I2CSensorDialect.Check.crc(content, from: 0xFF)
        let heard = dialect.decode(Self.answer([], [], content + [sum]))
        #expect(heard == [.measurement([.value(50), .value(25)], id: nil)])
    }

    /// Bits of its status say that an AHT20 is busy, or was not calibrated.
    @Test func takesNoValueOfAPartThatSaysItHasNone() throws {
        let profile = try #require(ProfileCatalog.shipped.profile("aosong-aht20-direct"))
        var dialect = try I2CSensorDialect(profile)
        func heard(_ status: UInt8) -> [SensorUtterance] {
            let content: [UInt8] = [status, 0x80, 0x00, 0x06, 0x00, 0x00]
            let sum = I2CSensorDialect.Check.crc(content, from: 0xFF)
            return dialect.decode(Self.answer([], [], content + [sum]))
        }
        #expect(heard(0x1C) == [.measurement([.value(25), .value(50)], id: nil)])
        #expect(heard(0x9C) == [.rejected("measure: the part is busy")])
        #expect(heard(0x14) == [.rejected("measure: the part is not calibrated")])
        #expect(heard(0x1C).count == 1)
    }

    private static let shipped = ProfileCatalog.shipped.profiles.filter {
        $0.driver == "i2c-sensor"
    }

    /// A data wire at ground gives zeros, one that nothing drives gives ones.
    @Test(arguments: shipped.map(\.id), [0x00, 0xFF] as [UInt8])
    func takesNoValueOfAWireThatIsHeld(id: String, level: UInt8) throws {
        let profile = try #require(ProfileCatalog.shipped.profile(id))
        var dialect = try I2CSensorDialect(profile)
        let command = try #require(dialect.commands(for: .measure).first)
        let question = try #require(BusQuestion(command.bytes.dropLast()))
        let results = question.steps.map { step -> BusAnswer.Result in
            guard case .read(let count) = step else { return .bytes([], choice: 0) }
            return .bytes([UInt8](repeating: level, count: count), choice: 0)
        }
        let heard = dialect.decode(BusAnswer(results).bytes)
        guard case .rejected? = heard.first, heard.count == 1 else {
            Issue.record("\(heard)")
            return
        }
    }

    @Test(arguments: shipped.map(\.id))
    func asksWhatItsSimulatorAnswers(id: String) throws {
        let profile = try #require(ProfileCatalog.shipped.profile(id))
        var part = try I2CSensorSimulator(profile, seed: 3)
        var dialect = try I2CSensorDialect(profile)
        for _ in 0..<20 {
            let question = try #require(dialect.commands(for: .measure).first)
            let heard = dialect.decode(part.receive(question.bytes, at: .boot))
            guard case .measurement(let outcomes, _)? = heard.first else {
                Issue.record("\(heard)")
                return
            }
            #expect(outcomes.count == dialect.quantities.count)
            #expect(outcomes.allSatisfy { $0.value != nil })
        }
        for question in dialect.questions {
            let heard = dialect.decode(part.receive(question.bytes, at: .boot))
            guard case .reply("serial", id: .some, _)? = heard.first else {
                Issue.record("\(heard)")
                return
            }
        }
    }

    @Test func readsFloatsAndSignedNumbers() throws {
        var dialect = try Self.dialect(
            #"""
            {"measure": ["read 6"],
             "values": {"a": {"bit": 0, "float": true}, "b": {"bit": 32, "signed": true}}}
            """#,
            [("a", 2), ("b", 0)]
        )
        // 439.09 of Sensirion's example of the SCD30.
        let heard = dialect.decode(Self.answer([0x43, 0xDB, 0x8C, 0x2E, 0xFF, 0x9C]))
        #expect(heard == [.measurement([.value(439.1), .value(-100)], id: nil)])
        let none = dialect.decode(Self.answer([0x7F, 0xC0, 0, 0, 0, 0]))
        #expect(none == [.rejected("a is no number")])
    }

    @Test func knowsTheChecksumOfTheDataSheet() {
        #expect(I2CSensorDialect.Check.crc([0xBE, 0xEF], from: 0xFF) == 0x92)
    }

    @Test func namesEveryMistakeOfItsSettings() throws {
        #expect {
            _ = try Self.dialect(
                #"""
                {"measure": ["read 3", "write", "read 999", "jump 3", 5],
                 "check": "crc", "rest": ["wait 300", "wait 300"],
                 "values": {"a": {"bit": 23, "bits": 4}, "c": {}}, "color": 1,
                 "valid": [{"bit": 20, "bits": 5, "is": 1, "otherwise": "no"},
                           {"bits": 2, "is": 4, "otherwise": "no"}, {"is": 0}]}
                """#,
                [("a", 0), ("b", 0)]
            )
        } throws: { error in
            let places = (error as? DialectError)?.problems.map(\.place) ?? []
            return Set(places) == [
                "settings.measure[1]", "settings.measure[2]", "settings.measure[3]",
                "settings.measure[4]", "settings.rest", "settings.check", "settings.values.a.bit",
                "settings.values.b", "settings.values.c", "settings.color",
                "settings.valid[0].bit", "settings.valid[1].is", "settings.valid[2].otherwise",
            ]
        }
    }
}
