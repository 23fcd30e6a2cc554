import Core
import Profiles

/// One receiver of the configuration: a way to people, and what goes there when.
package struct ReceiverEntry: Sendable {
    /// What all receivers have.
    package struct Common: Hashable, Sendable {
        /// At most one notice in this time, 1 min…24 h.
        package var every: Duration = .seconds(1_200)
        /// Reminds while an alert lasts; nil never.
        package var remind: Duration? = .seconds(14_400)
        /// The first notice waits so long, so that what happens at once goes together.
        package var wait: Duration = .seconds(10)
        package var severities: Set<Notice.Severity> = [.warning, .critical]
        /// Patterns of rules; empty: all.
        package var rules: [String] = []
        /// Patterns of `device/quantity`; empty: all.
        package var channels: [String] = []
        /// Whether the end of an alert is a notice too.
        package var tellsResolved = true
        /// `en`, `de` or `it`.
        package var language = "en"
        /// Minutes of the local day, from and to; below `critical` waits for the end.
        package var quiet: QuietHours?
        package var isLocal = false
        package var trust = ServerTrust.system
    }

    package typealias Make = @Sendable (TargetMaterials) throws -> any NoticeReceiver

    package let id: String
    package let type: String
    package let common: Common
    package let secrets: [SecretName]
    package let source: JSONValue
    package let make: Make

    /// Reads an entry; nil with problems noted when it is wrong.
    init?(_ value: JSONValue, at place: String, _ problems: ProblemList) {
        guard var reader = EntryReader(value, at: place, problems) else { return nil }
        let before = problems.problems.count
        let id = reader.id()
        let type = reader.object.required("type")
        let common = Self.common(&reader, problems)
        guard let type else { return nil }
        let make = ReceiverKinds.read(type, &reader, common)
        if make == nil { reader.object.ignoreTheRest() }
        reader.object.finish()
        guard let id, let make, problems.problems.count == before else { return nil }
        (self.id, self.type, self.common) = (id, type, common)
        (secrets, source, self.make) = (reader.secrets, value, make)
    }

    private static func common(_ reader: inout EntryReader, _ problems: ProblemList) -> Common {
        var common = Common()
        if let every = reader.object.seconds("everySeconds", in: 60...86_400) {
            common.every = every
        }
        if reader.object.value("remindSeconds") == .string("never") {
            common.remind = nil
        } else if let remind = reader.object.seconds("remindSeconds", in: 300...604_800) {
            common.remind = remind
        }
        if let wait = reader.object.seconds("waitSeconds", in: 0...3_600) { common.wait = wait }
        let severities = reader.texts("severities", problems)
        if !severities.isEmpty {
            let known = Notice.Severity.allCases.map(\.rawValue)
            common.severities = Set(severities.compactMap(Notice.Severity.init))
            for word in severities where !known.contains(word) {
                reader.object.problem(
                    "severities",
                    "expected some of \(known.joined(separator: ", ")), found \"\(word)\""
                )
            }
        }
        common.rules = reader.texts("rules", problems)
        common.channels = reader.texts("channels", problems)
        common.tellsResolved = reader.object.bool("resolved") ?? true
        common.language = reader.object.string("language", in: ["en", "de", "it"]) ?? "en"
        common.quiet = reader.object.object("quiet").flatMap(QuietHours.init)
        common.isLocal = reader.object.bool("local") ?? false
        common.trust = reader.trust()
        return common
    }
}

/// A part of each local day in which people want to sleep.
package struct QuietHours: Hashable, Sendable {
    /// Minutes since midnight; `to` may be the earlier of both.
    package let from: Int
    package let to: Int

    package init(from: Int, to: Int) { (self.from, self.to) = (from, to) }

    init?(_ reader: ObjectReader) {
        var reader = reader
        func minutes(_ key: String, _ reader: inout ObjectReader) -> Int? {
            guard let text = reader.required(key) else { return nil }
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
                (0...23).contains(hour), (0...59).contains(minute)
            else {
                reader.problem(key, "expected a time like 22:30, found \"\(text)\"")
                return nil
            }
            return hour * 60 + minute
        }
        let from = minutes("from", &reader)
        let to = minutes("to", &reader)
        reader.finish()
        guard let from, let to else { return nil }
        self.init(from: from, to: to)
    }

    /// Whether a minute of the local day is within.
    package func contains(_ minute: Int) -> Bool {
        from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
    }
}
