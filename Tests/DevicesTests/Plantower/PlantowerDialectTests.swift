import Profiles
import Testing

@testable import Core
@testable import Devices

@Suite struct PlantowerDialectTests {
    private static func recording(_ name: String) throws -> [[UInt8]] {
        try SDS011Recording(hexDump: Fixture.text("\(name).hexdump")).pieces
    }

    /// Rows of a table without its head, as numbers.
    private static func rows(_ name: String) throws -> [[Double]] {
        try Fixture.text("\(name).csv").split(separator: "\n").dropFirst().map { line in
            line.split(separator: ",").map { Double($0.drop { $0 == " " }) ?? -.infinity }
        }
    }

    private func measured(_ bytes: [UInt8]) -> [Outcome]? {
        var dialect = PlantowerDialect()
        let utterances = dialect.decode(bytes)
        guard utterances.count == 1, case .measurement(let outcomes, id: nil) = utterances[0]
        else { return nil }
        return outcomes
    }

    /// A frame of so many bytes with these words; the checksum is computed here, on its own.
    static func frame(_ words: [Int]) -> [UInt8] {
        var bytes: [UInt8] = [0x42, 0x4D, 0, UInt8(words.count * 2 + 2)]
        for word in words { bytes += [UInt8((word >> 8) & 0xFF), UInt8(word & 0xFF)] }
        let sum = bytes.reduce(0) { $0 + Int($1) }
        return bytes + [UInt8(sum >> 8), UInt8(sum & 0xFF)]
    }

    @Test(arguments: ["PMS3003", "PMSx003"])
    func readsEveryValueOfTheRecording(name: String) throws {
        let (frames, rows) = (try Self.recording(name), try Self.rows(name))
        #expect(frames.count == 10 && rows.count == 10)
        for (frame, row) in zip(frames, rows) {
            let outcomes = try #require(measured(frame))
            let values = outcomes.map { $0.value?.doubleValue }
            // Columns are time, three raw masses, three masses, and counts per cm³.
            let counts = row.dropFirst(7).map { ($0 * 100).rounded() }
            let expected: [Double?] = row[4...6].map { $0 } + counts
            #expect(Array(values.prefix(expected.count)) == expected)
            let rest = outcomes.dropFirst(expected.count)
            #expect(rest.allSatisfy { $0 == .noData(.notMeasured) })
        }
    }

    @Test func readsTheLongestFrameWithATemperatureBelowZero() throws {
        let words = [9, 9, 9, 4, 7, 11, 1_200, 360, 60, 8, 2, 1, 25, 0xFFCE, 471, 0, 0x9700]
        let outcomes = try #require(measured(Self.frame(words)))
        let expected: [FixedPoint] = [4, 7, 11, 1_200, 360, 60, 8, 2, 1, 25, -5.0, 47.1]
        #expect(outcomes.map(\.value) == expected)
        #expect(
            PlantowerDialect().quantities.map(\.name).suffix(3) == [
                "formaldehyde", "temperature", "humidity",
            ]
        )
    }

    /// A frame as each member sends it, and what it means there.
    @Test(
        arguments: [
            (.pms5003, [12, 5], ["n5": 12, "n10": 5]),
            (.pms5003S, [12, 5, 31], ["n5": 12, "n10": 5, "formaldehyde": 31]),
            (.pms5003T, [0xFFCE, 471], ["temperature": -5.0, "humidity": 47.1]),
            (
                .pms5003ST, [12, 5, 31, 215, 471],
                ["n5": 12, "n10": 5, "formaldehyde": 31, "temperature": 21.5, "humidity": 47.1]
            ),
        ] as [(PlantowerVariant, [Int], [String: FixedPoint])]
    )
    func readsTheFieldsOfTheMemberThatTheProfileNames(
        variant: PlantowerVariant,
        words: [Int],
        expected: [String: FixedPoint]
    ) throws {
        var dialect = PlantowerDialect(variant)
        let count = variant == .pms5003ST ? 17 : 13
        let measured = [9, 9, 9, 4, 7, 11, 1_200, 360, 60, 18] + words
        let frame = Self.frame(measured + Array(repeating: 0, count: count - measured.count))
        guard case .measurement(let outcomes, nil)? = dialect.decode(frame).first else {
            Issue.record("no measurement")
            return
        }
        let names = dialect.quantities.map(\.name)
        #expect(names == ["pm1", "pm25", "pm10", "n03", "n05", "n1", "n25"] + names.dropFirst(7))
        let values = Dictionary(uniqueKeysWithValues: zip(names, outcomes.map(\.value)))
        #expect(values["pm25"] == 7 && values["n25"] == 18)
        #expect(values.filter { expected[$0.key] != nil } == expected.mapValues { $0 })
        #expect(names.count == 7 + expected.count)
    }

    @Test(arguments: PlantowerVariant.allCases)
    func understandsTheSimulatorOfEachMember(variant: PlantowerVariant) {
        var part = PlantowerSimulator(variant)
        let bytes = part.advance(to: .boot.advanced(by: .seconds(8)))
        var dialect = PlantowerDialect(variant)
        let found = dialect.decode(bytes)
        #expect(found.count == 10)
        for utterance in found {
            guard case .measurement(let outcomes, nil) = utterance else {
                Issue.record("\(utterance)")
                continue
            }
            #expect(outcomes.allSatisfy { $0.value != nil })
        }
    }

    @Test func refusesAFrameOfAnotherMemberThanTheOneNamed() {
        var dialect = PlantowerDialect(.pms5003ST)
        var part = PlantowerSimulator(.pms5003)
        let found = dialect.decode(part.advance(to: .boot.advanced(by: .seconds(1))))
        #expect(found.first == .rejected("a frame of 32 bytes, and a PMS5003ST sends 40"))
        #expect(found.allSatisfy { if case .rejected = $0 { true } else { false } })
    }

    /// Temperature and humidity of a PMS5003T, which the profile does not name.
    @Test func marksCountsThatNoAirCanHave() throws {
        var part = PlantowerSimulator(.pms5003T)
        let outcomes = try #require(measured(part.advance(to: .boot.advanced(by: .seconds(1)))))
        #expect(outcomes[7] == .value(215, .inconsistent))
        #expect(outcomes[8] == .value(458, .inconsistent))
        #expect(outcomes.prefix(7).allSatisfy { $0 == $0.value.map { .value($0) } })
    }

    @Test func saysWhichMembersAProfileMayName() throws {
        func problem(_ settings: [String: JSONValue]) -> String? {
            let profile = Profile(
                id: "mine",
                kind: .usbSerial,
                text: ("Mine", "A part.", "mine.json"),
                driver: ("plantower", .object(settings), nil)
            )
            do throws(DialectError) { _ = try PlantowerVariant.named(in: profile) } catch {
                return error.problems.first?.description
            }
            return nil
        }
        #expect(problem([:]) == nil)
        for name in PlantowerVariant.names { #expect(problem(["variant": .string(name)]) == nil) }
        let names = PlantowerVariant.names.joined(separator: ", ")
        let wrong = try #require(problem(["variant": .string("PMS5003t")]))
        #expect(wrong.hasPrefix("settings.variant: expected one of \(names), found \"PMS5003t\""))
        #expect(problem(["varient": .string("PMS5003")])?.contains("unknown key") == true)
    }

    @Test func takesAFrameOfZerosForWarmingUp() throws {
        let outcomes = try #require(measured(Self.frame([Int](repeating: 0, count: 13))))
        #expect(outcomes.allSatisfy { $0 == .noData(.warmingUp) })
    }

    @Test func understandsFramesHoweverTheyAreCut() throws {
        let frames = [
            try Self.recording("PMS3003")[4], try Self.recording("PMSx003")[0],
            Self.frame([1, 2, 3, 1, 2, 3, 900, 300, 60, 9, 2, 1, 25, 215, 471, 0, 0x9700]),
        ]
        let measurements = try frames.map { frame in
            DialectVerifier.Sample(frame, .measurement(try #require(measured(frame)), id: nil))
        }
        let asleep: [UInt8] = [0x42, 0x4D, 0x00, 0x04, 0xE4, 0x00, 0x01, 0x77]
        DialectVerifier(
            dialect: PlantowerDialect(),
            samples: measurements + [.init(asleep, .reply("228 0", id: nil, facts: []))],
            garbage: [
                [0x00], [0x42], [0x4D, 0x42, 0x4D], [0x42, 0x4D, 0x00], [0x42, 0x4D, 1, 0x1C],
            ]
        ).verify()
    }

    @Test func takesNoValueFromAFrameWithOneWrongBit() throws {
        let frame = try Self.recording("PMSx003")[0]
        for bit in 0..<(frame.count * 8) {
            var (wrong, dialect) = (frame, PlantowerDialect())
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(
                !dialect.decode(wrong).contains {
                    if case .measurement = $0 { true } else { false }
                }
            )
        }
    }

    @Test func knowsTheMakersCommands() {
        let dialect = PlantowerDialect()
        #expect(
            dialect.commands(for: .wake).map(\.bytes) == [
                [0x42, 0x4D, 0xE4, 0x00, 0x01, 0x01, 0x74],
                [0x42, 0x4D, 0xE1, 0x00, 0x01, 0x01, 0x71],
            ]
        )
        #expect(
            dialect.commands(for: .measure).map(\.bytes) == [
                [0x42, 0x4D, 0xE2, 0x00, 0x00, 0x01, 0x71]
            ]
        )
        #expect(
            dialect.commands(for: .rest).map(\.bytes) == [
                [0x42, 0x4D, 0xE4, 0x00, 0x00, 0x01, 0x73]
            ]
        )
        #expect(dialect.questions.map(\.isReadOnly) == [true])
    }
}
