import Profiles
import Testing

@testable import Core
@testable import Devices

@Suite struct LineDeviceDialectTests {
    /// A profile with the given settings; channels a (0.1, 0…100) and b (1, -50…50).
    static func profile(_ settings: String) throws -> Profile {
        let value = try JSONParser.parse(Array(settings.utf8))
        return Profile(
            id: "test-line",
            kind: .usbSerial,
            text: (name: "Test", description: "A line.", origin: "test"),
            driver: (name: "line", settings: value, duty: nil),
            measures: (
                channels: [
                    channel("a", decimals: 1, 0...100, step: 50),
                    channel("b", decimals: 0, -50...50),
                ],
                graph: nil, board: nil
            )
        )
    }

    private static func channel(
        _ name: String,
        decimals: Int,
        _ range: ClosedRange<Double>,
        step: Double? = nil
    ) -> ChannelProfile {
        ChannelProfile(
            Quantity(name: name, unit: "1", decimals: decimals),
            range: range,
            description: "",
            shown: "line",
            step: step
        )
    }

    private static let plain = #"{"fields": ["a", null, "b"], "absent": ["--"]}"#

    @Test(
        arguments: [
            ("1.5;7;-3", [.value(1.5), .value(-3)]),
            (" 1.5 ; 7;-3 ", [.value(1.5), .value(-3)]),
            ("--;x;4", [.noData(.notMeasured), .value(4)]),
            ("1.50;;4", [.value(1.5), .value(4)]),
        ] as [(String, [Outcome])]
    )
    func readsALine(line: String, outcomes: [Outcome]) throws {
        var dialect = try LineDeviceDialect(Self.profile(Self.plain))
        let found = dialect.decode(Array("cut in half\n\(line)\r\n".utf8))
        #expect(found == [.measurement(outcomes, id: nil)])
    }

    @Test(arguments: [
        "1.5;7", "1.5;7;3;4", "1,5;7;3", "nan;7;3", "1e3;7;3", "101;7;3", "1.5;7;", "+1;7;3",
        ".5;7;3",
        "5.;7;3", "0x10;7;3", "1.5;7;-51", "99999999999999999999;7;1",
    ])
    func refusesALineThatIsNotToBeBelieved(line: String) throws {
        var dialect = try LineDeviceDialect(Self.profile(Self.plain))
        let found = dialect.decode(Array("\n\(line)\n".utf8))
        #expect(found.count == 1)
        #expect(found.allSatisfy { if case .rejected = $0 { true } else { false } })
    }

    @Test(arguments: [
        ("1.5;7", "3 fields expected, found 2"),
        ("1.5;7;3,0", #"field 3, b: "3,0" is no plain number"#),
        ("101;7;3", #"field 1, a: "101" is not within 0…100"#),
        ("1.5;7;\u{1B}[2J", #"field 3, b: "\u{1b}[2J" is no plain number"#),
    ])
    func saysWhatIsWrongWithALine(line: String, words: String) throws {
        var dialect = try LineDeviceDialect(Self.profile(Self.plain))
        #expect(dialect.decode(Array("\n\(line)\n".utf8)) == [.rejected(words)])
    }

    @Test func believesNoLineJoinedInItsMiddle() throws {
        var dialect = try LineDeviceDialect(Self.profile(Self.plain))
        #expect(dialect.decode(Array("5;7;3\n".utf8)).isEmpty)
    }

    @Test func checksWhatTheProfileSaysIsThere() throws {
        let settings =
            #"{"fields": ["a", "b"], "prefix": "$X ", "checksum": true, "delimiter": " "}"#
        let sum = "X 1.5 4".utf8.reduce(0, ^)
        var dialect = try LineDeviceDialect(Self.profile(settings))
        let digits = String(sum, radix: 16)
        let good = "$X 1.5 4*\(digits.count == 1 ? "0" : "")\(digits)\n"
        #expect(
            dialect.decode(Array(good.utf8)) == [.measurement([.value(1.5), .value(4)], id: nil)]
        )
        #expect(dialect.decode(Array("$X 1.6 4*\(digits)\n".utf8)) == [.rejected("checksum")])
        #expect(dialect.decode(Array("$Y 1.5 4*00\n".utf8)) == [.rejected("another beginning")])
    }

    @Test(
        arguments: [
            (#"{}"#, ["settings.fields"]),
            (
                #"{"fields": ["a", "c"], "delimiter": ";;"}"#,
                ["settings.delimiter", "settings.fields[1]", "settings.fields"]
            ),
            (#"{"fields": ["a", "a", "b"]}"#, ["settings.fields[1]"]),
            (#"{"fields": ["a", "b"], "delimiter": "."}"#, ["settings.delimiter"]),
            (#"{"fields": ["a", "b"], "speling": 1}"#, ["settings.speling"]),
            (#"{"fields": []}"#, ["settings.fields"]),
            (
                #"{"fields": [\#(String(repeating: "null,", count: 64))null]}"#,
                ["settings.fields"]
            ),
            (#"{"fields": ["a", "b"], "prefix": "a\n"}"#, ["settings.prefix"]),
            (
                #"{"fields": ["a", "b"], "prefix": "\#(String(repeating: "p", count: 65))"}"#,
                ["settings.prefix"]
            ),
            (
                #"{"fields": ["a", "b"], "query": "\#(String(repeating: "q", count: 257))"}"#,
                ["settings.query"]
            ),
        ] as [(String, [String])]
    )
    func namesEveryMistakeOfAProfile(settings: String, places: [String]) throws {
        let profile = try Self.profile(settings)
        do throws(DialectError) {
            _ = try LineDeviceDialect(profile)
            Issue.record("accepted")
        } catch {
            #expect(error.problems.map(\.place) == places)
        }
    }

    @Test func passesTheVerifierWithAChecksum() throws {
        let settings = #"{"fields": ["a", "b"], "prefix": "$X;", "checksum": true}"#
        let profile = try Self.profile(settings)
        var part = try LineDeviceSimulator(profile, seed: 3)
        let stream = part.advance(to: .boot.advanced(by: .seconds(12)))
        let verifier = StreamVerifier(
            make: { try LineDeviceDialect(profile) },
            stream: stream,
            garbage: [[0x0A], Array("noise\n".utf8)]
        )
        try verifier.verify()
        try verifier.fuzz(seed: 8, rounds: 400)
    }

    /// Input is thrown away at each sample: what had begun is not joined with what comes.
    @Test func theTailOfALineAfterALossIsPassedOver() throws {
        var dialect = try LineDeviceDialect(Self.profile(Self.plain))
        _ = dialect.decode(Array("cut in half\n4.5;".utf8))
        dialect.loseInput(isCut: true)
        let found = dialect.decode(Array("5;1;2\n2.5;7;1\n9".utf8))
        #expect(found == [.measurement([.value(2.5), .value(1)], id: nil)])
        dialect.loseInput(isCut: false)
        let next = dialect.decode(Array("1.5;7;3\n".utf8))
        #expect(next == [.measurement([.value(1.5), .value(3)], id: nil)])
        var known = try LineDeviceDialect(Self.profile(#"{"fields": ["a", "b"], "prefix": "B"}"#))
        known.loseInput(isCut: true)
        let whole = known.decode(Array("B2.5;1\n".utf8))
        #expect(whole == [.measurement([.value(2.5), .value(1)], id: nil)])
    }
}
