import ControlProtocol
import FoundationEssentials
import Profiles
import Testing

@testable import RoostCourier

@Suite struct EntryKindsTests {
    private static let languages = ["en", "de", "it", "es", "fr"]

    private static func file(_ path: String) throws -> String {
        let parts = #filePath.split(separator: "/").dropLast(3)
        let url = URL(filePath: "/" + parts.joined(separator: "/") + "/" + path)
        return String(decoding: try Data(contentsOf: url), as: UTF8.self)
    }

    private func fields(_ type: String, receiver: Bool = false) throws -> [EntryField] {
        let report = try EntryKinds.report(.shipped)
        let kinds = receiver ? report.receivers : report.targets
        return try #require(kinds.first { $0.type == type }).fields
    }

    private static func required(_ fields: [EntryField]) -> [String] {
        fields.filter(\.isRequired).map(\.key)
    }

    /// What each type cannot do without; a password is needed only beside a user.
    @Test(arguments: [
        ("influx1", "url database"), ("influx2", "url org bucket token"),
        ("influx3", "url database token"), ("webhook", "url"), ("mqtt", "url"),
        ("madavi", "sensor"), ("safecast", "apiKey place place.latitude place.longitude"),
        ("heartbeat", "url"), ("gcs", "bucket account"),
        ("s3", "bucket region accessKey secretKey"), ("webdav", "url"),
        ("opensensemap", "box token sensors"), ("sensor-community", "sensor"),
        ("safecast-drives", "apiKey credits cities"),
    ])
    func aTargetNeedsTheseOptions(type: String, keys: String) throws {
        let required = Self.required(try fields(type))
        #expect(required == keys.split(separator: " ").map(String.init))
    }

    @Test(arguments: [
        ("ntfy", "topic"), ("telegram", "token chat"), ("webhook", "url"), ("seed", "url"),
        ("smtp", "url from to"), ("webpush", "contact"), ("apns", "team keyID topic key"),
    ])
    func aReceiverNeedsTheseOptions(type: String, keys: String) throws {
        let required = Self.required(try fields(type, receiver: true)).filter {
            !$0.hasPrefix("quiet.")
        }
        #expect(required == keys.split(separator: " ").map(String.init))
    }

    @Test func everyTypeIsThereOnce() throws {
        let report = try EntryKinds.report(.shipped)
        #expect(report.targets.map(\.type) == TargetKind.allCases.map(\.rawValue))
        #expect(report.receivers.map(\.type) == ReceiverKinds.names(.shipped))
        for kind in report.targets + report.receivers {
            let keys = kind.fields.map(\.key)
            #expect(Set(keys).count == keys.count, "\(kind.type)")
            #expect(kind.fields.contains { $0.isCommon }, "\(kind.type)")
        }
    }

    @Test func optionsSayWhatTheyTake() throws {
        let mqtt = Dictionary(uniqueKeysWithValues: try fields("mqtt").map { ($0.key, $0) })
        #expect(mqtt["url"]?.choices == ["mqtt", "mqtts"] && mqtt["url"]?.kind == .url)
        #expect(mqtt["password"]?.kind == .secret && mqtt["password"]?.isCommon == false)
        #expect(mqtt["discovery"]?.choices == ["device", "single"])
        #expect(mqtt["discovery"]?.usual == "device" && mqtt["homeAssistant"]?.usual == "true")
        #expect(mqtt["url"]?.usual == nil && mqtt["url"]?.example == "192.168.1.5:1883")
        let every = try ["ntfy", "smtp"].map { type in
            try fields(type, receiver: true).first { $0.key == "everySeconds" }?.usual
        }
        #expect(every == ["1200", "3600"])
        #expect(mqtt["homeAssistant"]?.kind == .flag)
        #expect(mqtt["backlog"]?.choices == ["all", "none"] && mqtt["backlog"]?.low == 1)
        #expect(mqtt["timeoutSeconds"]?.high == 600 && mqtt["timeoutSeconds"]?.isCommon == true)
        #expect(try fields("webhook").first?.kind == .secretURL)
        let pins = try fields("sensor-community").first { $0.key == "devices" }
        #expect(pins?.kind == .map && pins?.example == "{ \"sds011\": { \"pin\": 1 } }")
        let number = try fields("safecast").first { $0.key == "deviceID" }
        #expect(number?.isWhole == true)
    }

    @Test func optionsThatMeanNothingAreNotOffered() throws {
        #expect(try !fields("heartbeat").contains { $0.key == "streams" })
        #expect(try !fields("s3").contains { $0.key == "batchSeconds" })
        let push = try fields("webpush", receiver: true).map(\.key)
        #expect(!push.contains("everySeconds") && !push.contains("pictures"))
        #expect(try fields("ntfy", receiver: true).contains { $0.key == "pictures" })
    }

    @Test func theServicesSayWhatToDoThere() throws {
        let report = try EntryKinds.report(.shipped)
        let ntfy = try #require(report.receivers.first { $0.type == "ntfy" })
        #expect(ntfy.name == "ntfy" && ntfy.about?.isEmpty == false)
        let url = try #require(ntfy.fields.first { $0.key == "url" })
        #expect(url.example == "https://ntfy.sh" && url.about == "The server." && !url.isRequired)
    }

    @Test func editorsGetASchema() throws {
        let text = EntrySchema(try EntryKinds.report(.shipped)).text
        let root = try JSONParser.parse(Array(text.utf8))
        let targets = root["properties"]?["targets"]?["items"]?["oneOf"]?.elements ?? []
        let entry = try #require(
            targets.first { $0["properties"]?["type"]?["const"] == .string("safecast") }
        )
        let required = entry["required"]?.elements?.compactMap(\.string) ?? []
        #expect(required == ["id", "type", "apiKey", "place"])
        let place = entry["properties"]?["place"]
        #expect(place?["required"]?.elements?.compactMap(\.string) == ["latitude", "longitude"])
        #expect(place?["properties"]?["latitude"]?["minimum"] == .number(-90))
        #expect(entry["properties"]?["apiKey"]?["$ref"] == .string("#/$defs/secret"))
    }

    /// A page of the reference has every key of every type.
    @Test func theReferenceHasEveryOption() throws {
        let page = try Self.file("docs/reference/courier.md")
        let report = try EntryKinds.report(.shipped)
        // The keys of presets stand in their files.
        for kind in report.targets + report.receivers where kind.name == nil {
            #expect(page.contains("`\(kind.type)`"), "\(kind.type)")
            for field in kind.fields {
                let key = field.key.split(separator: ".").last ?? ""
                #expect(page.contains("`\(key)`"), "\(kind.type): \(field.key)")
            }
        }
    }

    /// The form of the page has a name for every type and every key, in each language.
    @Test(arguments: languages)
    func theFormHasANameForEveryOption(language: String) throws {
        let text = try Self.file("Sources/RoostWeb/www/strings/entries-\(language).json")
        let texts = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        let report = try EntryKinds.report(.shipped)
        for kind in report.targets + report.receivers {
            #expect(texts["kind.\(kind.type)"] != nil, "\(kind.type)")
            #expect(texts["kind.\(kind.type).about"] != nil, "\(kind.type)")
            for field in kind.fields where field.kind != .object {
                let names = ["entry.\(kind.type).\(field.key)", "entry.\(field.key)"]
                #expect(names.contains { texts[$0] != nil }, "\(kind.type): \(field.key)")
            }
        }
    }
}
