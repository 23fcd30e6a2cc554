import Core
import FoundationEssentials
import TestSupport
import Testing

@testable import Fuzzing
@testable import Profiles

/// Holds the schema and the reader equal: what one refuses for its form the other refuses too.
@Suite struct ProfileSchemaTests {
    private static func schema() throws -> JSONValue {
        try JSONParser.parse(ShippedProfiles.schema)
    }

    @Test func everyShippedProfileFitsAndTheSampleToo() throws {
        let checker = SchemaChecker(try Self.schema())
        let samples = [ProfileSample.text, ProfileSample.oldText].map { Array($0.utf8) }
        for text in try samples + ShippedProfiles.files.map({ try $0.contents.get() }) {
            #expect(checker.refusals(of: try JSONParser.parse(text)).isEmpty)
        }
        #expect(checker.unknownKeywords.isEmpty)
    }

    @Test func listsTheUnitsAndRatesOfTheReader() throws {
        let units = try Self.schema().text.contains(
            "\"unit\":{\"enum\":" + JSONValue.array(MeasureUnit.known.map { .string($0) }).text
        )
        #expect(units)
        let bauds = JSONValue.array(ProfileReader.bauds.map { .number(Double($0)) })
        #expect(try Self.schema().text.contains("\"items\":{\"enum\":" + bauds.text))
    }

    @Test(arguments: [
        #"{"schemaVersion": 3}"#, "[]", #"{"schemaVersion": 1}"#, #"{"schemaVersion": 2}"#,
        #"{"name": "A", "kind": "gpio", "driver": "pir"}"#,
        #"{"name": "A", "kind": "gpio"}"#,
        #"{"name": "A", "kind": "http", "driver": "http-line"}"#,
        #"{"name": "A", "kind": "board", "board": {}}"#,
        #"{"name": "A", "kind": "board", "board": {"header": {"41": "x"}}}"#,
        #"{"name": "A", "kind": "board", "board": {"header": {"40": ""}}}"#,
    ])
    func agreesOnSmallFiles(text: String) throws {
        let fuzz = try SchemaFuzz()
        var value = try JSONParser.parse(Array(text.utf8))
        if case .object(var fields) = value, fields["name"] != nil {
            fields["schemaVersion"] = .number(2)
            (fields["id"], fields["description"]) = (.string("a"), .string("B"))
            value = .object(fields)
        }
        #expect(fuzz.disagreement(about: value) == nil)
    }

    /// A small choice of what `roost-lab fuzz schema` plays, and the samples of these tests.
    @Test func agreesOnSpoiltProfiles() throws {
        let samples = [ProfileSample.text, ProfileSample.oldText].map { Array($0.utf8) }
        let fuzz = try SchemaFuzz(try samples.map { try JSONParser.parse($0) })
        let count = Exhaustive.spoiltProfiles
        for seed in FuzzKind.schema.seeds(count) {
            let fault = fuzz.fault(seed: seed)
            #expect(fault == nil, "seed \(seed)")
            guard fault == nil else { return }
        }
        #expect(fuzz.takenCount > 0 && fuzz.takenCount < count * 3 / 4)
    }
}
