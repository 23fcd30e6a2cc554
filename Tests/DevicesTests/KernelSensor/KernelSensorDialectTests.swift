import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Profiles

@Suite struct KernelSensorDialectTests {
    private static func profile(_ values: String, _ names: [(String, Int)]) throws -> Profile {
        let settings = try JSONParser.parse(Array(#"{"values": \#(values)}"#.utf8))
        return Profile(
            id: "test",
            kind: .bus,
            text: ("Test", "A part.", "test"),
            driver: ("kernel-sensor", settings, nil),
            measures: (
                names.map { name, decimals in
                    ChannelProfile(
                        Quantity(name: name, unit: "°C", decimals: decimals),
                        range: -50...100,
                        description: "",
                        shown: "line"
                    )
                }, nil, nil
            )
        )
    }

    private static func answer(_ texts: [String?]) -> [UInt8] {
        BusAnswer(
            texts.map { text in
                text.map { .bytes(Array($0.utf8), choice: 0) } ?? .failed(2)
            }
        ).bytes
    }

    private func shipped(_ id: String) throws -> KernelSensorDialect {
        try KernelSensorDialect(#require(ProfileCatalog.shipped.profile(id)))
    }

    /// Bosch's worked example, as Debian's own driver says it: 25.08 °C, 100 653 Pa.
    @Test func readsTheWorkedExampleOfTheDataSheet() throws {
        var dialect = try shipped("bosch-bme280")
        let answer = Self.answer([
            "25080\n", nil, nil, "46332\n", nil, nil, "100.653253906\n", nil, nil,
        ])
        #expect(
            dialect.decode(answer) == [
                .measurement([.value(25.08), .value(46.33), .value(1006.53)], id: nil)
            ]
        )
    }

    @Test func saysWhatErrorsOfABusMean() {
        let refusal = BusFault.text(.failed(22))
        #expect(refusal.contains("driver refuses") && refusal.contains("`roost bus`"))
        #expect(BusFault.text(.failed(71)).contains("fewer bytes"))
        #expect(BusFault.text(.failed(99)) == "fails with errno 99")
    }

    @Test func readsARawValueWithItsOffsetAndScale() throws {
        let profile = try Self.profile(
            #"{"a": {"attribute": "in_temp", "scale": "0.001"}}"#,
            [("a", 3)]
        )
        var dialect = try KernelSensorDialect(profile)
        let cases: [(String, String?, String?, FixedPoint)] = [
            ("-1280\n", "7\n", "62.500000\n", FixedPoint(-79_563, decimals: 3)),
            ("400\n", nil, "62.5\n", 25), ("400", "0", nil, 0.4),
            ("1000", "-1000.5", "-2.5", 0.001),
        ]
        for (raw, offset, scale, value) in cases {
            let results: [BusAnswer.Result] =
                [.bytes(Array(raw.utf8), choice: 1)]
                + [offset, scale].map { text in
                    text.map { .bytes(Array($0.utf8), choice: 0) } ?? .failed(2)
                }
            let heard = dialect.decode(BusAnswer(results).bytes)
            #expect(heard == [.measurement([.value(value)], id: nil)], "\(raw)")
        }
    }

    @Test(arguments: [
        "", "nan", "inf", "-", "1e3", "12345678901234567890", "25 080", "0x10", "25,08", ".5", "5.",
    ])
    func takesNothingForAValueThatIsNone(text: String) throws {
        var dialect = try shipped("bosch-bme280")
        let answer = Self.answer([text, nil, nil, text, nil, nil, text, nil, nil])
        let heard = dialect.decode(answer)
        guard case .rejected(let why)? = heard.first, heard.count == 1 else {
            Issue.record("\(heard)")
            return
        }
        #expect(why.contains("in_temp says") && why.contains("no number"))
    }

    @Test func leavesOutOnlyWhatCannotBeRead() throws {
        var dialect = try shipped("bosch-bme280")
        let heard = dialect.decode(
            BusAnswer([
                .bytes(Array("25080".utf8), choice: 0), .failed(2), .failed(2),
                .failed(5), .failed(2), .failed(2), .failed(110), .failed(2), .failed(2),
            ]).bytes
        )
        let outcomes: [Outcome] = [.value(25.08), .noData(.badFrames), .noData(.badFrames)]
        #expect(heard == [.measurement(outcomes, id: nil)])
    }

    @Test func knowsTheValueAfterPowerOn() throws {
        let profile = try Self.profile(
            #"{"a": {"attribute": "temperature", "scale": "0.001", "absent": ["85000"]}}"#,
            [("a", 3)]
        )
        var dialect = try KernelSensorDialect(profile)
        let heard = dialect.decode(Self.answer(["85000\n", nil, nil]))
        #expect(heard == [.rejected("temperature says what it says after power-on")])
    }

    @Test func namesEveryMistakeOfItsSettings() throws {
        let profile = try Self.profile(
            #"""
            {"a": {"attribute": "../../etc/passwd"}, "b": {"scale": "one"},
             "c": {"attribute": "in_temp", "scale": "1/0", "offset": "-"}, "d": {}}
            """#,
            [("a", 1), ("b", 1), ("c", 1), ("e", 1)]
        )
        #expect {
            _ = try KernelSensorDialect(profile)
        } throws: { error in
            let places = (error as? DialectError)?.problems.map(\.place) ?? []
            return Set(places) == [
                "settings.values.a.attribute", "settings.values.b.scale",
                "settings.values.b.attribute", "settings.values.c.scale",
                "settings.values.c.offset", "settings.values.d", "settings.values.e",
            ]
        }
    }

    @Test func asksWhatItsSimulatorAnswers() throws {
        let profile = try #require(ProfileCatalog.shipped.profile("bosch-bme280"))
        var part = try KernelSensorSimulator(profile, seed: 3)
        var dialect = try KernelSensorDialect(profile)
        let question = try #require(dialect.commands(for: .measure).first)
        #expect(question.isReadOnly && dialect.questions.isEmpty)
        guard
            case .measurement(let outcomes, nil)? = dialect.decode(
                part.receive(question.bytes, at: .boot)
            ).first
        else {
            Issue.record("no measurement")
            return
        }
        #expect(outcomes.allSatisfy { $0.value != nil } && outcomes.count == 3)
        part.fault = .hanging
        #expect(part.receive(question.bytes, at: .boot).isEmpty)
        part.fault = .failed(code: 5)
        guard
            case .rejected(let why)? = dialect.decode(
                part.receive(question.bytes, at: .boot)
            ).first
        else {
            Issue.record("a value of a part that fails")
            return
        }
        #expect(why.contains("damaged"))
    }
}
