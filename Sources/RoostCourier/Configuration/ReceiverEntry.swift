import Core
import Profiles

/// One receiver of the configuration: how to reach people, and which notices they get.
package struct ReceiverEntry: Sendable {
    package let id: String
    package let type: String
    package let common: ReceiverOptions
    package let secrets: [SecretName]
    package let source: JSONValue
    package let make: TargetDependencies.MakeReceiver

    /// Reads an entry; nil with problems noted when it is wrong.
    init?(
        _ value: JSONValue,
        at place: String,
        _ presets: PresetCatalog,
        _ problems: ProblemList
    ) {
        guard var reader = EntryReader(value, at: place, problems) else { return nil }
        let before = problems.problems.count
        let id = reader.id()
        let type = reader.object.required("type")
        var common = Self.common(&reader)
        guard let type else { return nil }
        let make = ReceiverKinds.read(type, &reader, &common, presets)
        if make == nil { reader.object.ignoreTheRest() }
        reader.object.finish()
        guard let id, let make, problems.problems.count == before else { return nil }
        (self.id, self.type, self.common) = (id, type, common)
        (secrets, source, self.make) = (reader.secrets, value, make)
    }

    /// Makes a test of the receiver, in its language.
    package func test(_ receiver: any NoticeReceiver, at time: WallTime?) -> Notice {
        NoticeValues.test(at: time, in: common.language, for: receiver)
    }

    /// What counts where a receiver's options are left out, in the words of the file.
    private static var usual: [String: String] {
        let usual = ReceiverOptions()
        return [
            "everySeconds": "\(Int(usual.every.inSeconds))",
            "remindSeconds": usual.remind.map { "\(Int($0.inSeconds))" } ?? "never",
            "waitSeconds": "\(Int(usual.wait.inSeconds))",
            "severities": usual.severities.sorted().map(\.rawValue).joined(separator: ", "),
            "language": usual.language, "trust": "system",
        ]
    }

    /// Reads the options that every receiver has.
    static func common(_ reader: inout EntryReader) -> ReceiverOptions {
        var common = ReceiverOptions()
        if let every = reader.object.seconds("everySeconds", in: 60...86_400) {
            common.every = every
        }
        reader.object.record("remindSeconds", .number) { $0.choices = ["never"] }
        if reader.object.value("remindSeconds") == .string("never") {
            common.remind = nil
        } else if let remind = reader.object.seconds("remindSeconds", in: 300...604_800) {
            common.remind = remind
        }
        if let wait = reader.object.seconds("waitSeconds", in: 0...3_600) { common.wait = wait }
        let known = Notice.Severity.allCases.map(\.rawValue)
        let severities = reader.texts("severities", in: known)
        if !severities.isEmpty {
            common.severities = Set(severities.compactMap(Notice.Severity.init))
        }
        common.rules = reader.texts("rules")
        common.channels = reader.texts("channels")
        common.tellsResolved = reader.flag("resolved", usual: true)
        common.language = reader.object.string("language", in: ["en", "de", "it"]) ?? "en"
        common.quiet = reader.object.object("quiet").flatMap(QuietHours.init)
        common.hasPictures = reader.flag("pictures", usual: false)
        common.isLocal = reader.flag("local", usual: false)
        common.trust = reader.trust()
        reader.object.record(usual: usual)
        return common
    }
}
