import Core
import FoundationEssentials
import Profiles
import Testing

/// Holds the schema and the reader equal: what one refuses for its form the other refuses too.
@Suite struct ProfileSchemaTests {
    /// Reasons that go across places or need to know more than a schema can.
    private static let beyondSchema = [
        "differs from the file's name", "is the name of channels[", "is shorter than warm-up",
        "its lowest value is not below", "is no driver", "is for kind",
    ]

    /// How reader and schema disagree about a value; nil when they agree.
    private static func disagreement(_ value: JSONValue, _ checker: SchemaChecker) -> String? {
        let refusals = checker.refusals(of: value)
        var id = ""
        if case .object(let fields) = value, case .string(let text)? = fields["id"] { id = text }
        do throws(ConfigurationError) {
            _ = try ProfileReader().read(Array(value.text.utf8), file: "\(id).json")
            return refusals.isEmpty ? nil : "the reader takes what the schema refuses: \(refusals)"
        } catch {
            guard refusals.isEmpty else { return nil }
            let formal = error.problems.filter { problem in
                !beyondSchema.contains { problem.message.contains($0) }
            }
            return formal.isEmpty ? nil : "the schema takes what the reader refuses: \(formal)"
        }
    }

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
        let checker = SchemaChecker(try Self.schema())
        var value = try JSONParser.parse(Array(text.utf8))
        if case .object(var fields) = value, fields["name"] != nil {
            fields["schemaVersion"] = .number(2)
            (fields["id"], fields["description"]) = (.string("a"), .string("B"))
            value = .object(fields)
        }
        #expect(Self.disagreement(value, checker) == nil)
    }

    /// Wants `ROOST_PROFILE_FUZZ`, a number of profiles, for more than the usual 600, and
    /// `ROOST_PROFILE_SEED` to repeat others.
    @Test func agreesOnSpoiltProfiles() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["ROOST_PROFILE_FUZZ"].flatMap { Int($0) } ?? 600
        let seed = environment["ROOST_PROFILE_SEED"].flatMap { UInt64($0) } ?? 4
        let checker = SchemaChecker(try Self.schema())
        let originals =
            try ShippedProfiles.files.map {
                try JSONParser.parse(try $0.contents.get())
            }
            + [ProfileSample.text, ProfileSample.oldText].map {
                try JSONParser.parse(Array($0.utf8))
            }
        var mutator = ProfileMutator(seed: seed)
        var refusedCount = 0
        for round in 0..<count {
            let value = mutator.mutate(originals[round % originals.count])
            if !checker.refusals(of: value).isEmpty { refusedCount += 1 }
            let words = Self.disagreement(value, checker)
            #expect(words == nil, "round \(round) of ROOST_PROFILE_SEED=\(seed): \(value.text)")
            guard words == nil else { return }
        }
        #expect(refusedCount > count / 4 && refusedCount < count)
    }
}
