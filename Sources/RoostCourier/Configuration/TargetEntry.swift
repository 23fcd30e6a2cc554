import Core
import Profiles

/// One target of the configuration.
package struct TargetEntry: Sendable {
    package let id: String
    /// Type of the target, such as `influx2`.
    package let type: String
    package let common: TargetOptions
    package let secrets: [SecretName]
    /// The entry's JSON, to see what a reload changes.
    package let source: JSONValue
    package let make: TargetDependencies.MakeTarget

    /// Reads an entry; nil with problems noted when it is wrong.
    init?(
        _ value: JSONValue,
        at place: String,
        receivers: Set<String>,
        _ problems: ProblemList
    ) {
        guard var reader = EntryReader(value, at: place, problems) else { return nil }
        let id = reader.id()
        let type = reader.object.required("type")
        var common = Self.common(&reader)
        guard let type else { return nil }
        let before = problems.problems.count
        guard let kind = TargetKind(rawValue: type) else {
            guard !receivers.contains(type) else {
                let words = "\"\(type)\" is a receiver of notices: move it to `receivers`"
                reader.object.problem("type", words)
                return nil
            }
            let all = TargetKind.allCases.map(\.rawValue)
            reader.object.problem(
                "type",
                "unknown type \"\(type)\", known are \(all.joined(separator: ", "))",
                meant: Spelling.nearest(to: type, among: all)
            )
            return nil
        }
        let make = kind.read(&reader, &common)
        reader.object.finish()
        guard let id, let make, problems.problems.count == before else { return nil }
        (self.id, self.type, self.common) = (id, type, common)
        (secrets, source, self.make) = (reader.secrets, value, make)
    }

    /// Reads the options that every target has.
    static func common(_ reader: inout EntryReader) -> TargetOptions {
        var common = TargetOptions()
        common.streams = reader.patterns("streams")
        reader.object.record("backlog", .number) { field in
            (field.choices, field.bounds) = (["all", "none"], 1...1e9)
        }
        switch reader.object.value("backlog") {
        case nil, .string("all"): break
        case .string("none"): common.hasBacklog = false
        case .number(let seconds) where (1...1e9).contains(seconds):
            common.ageLimit = .seconds(Int64(seconds))
        case .some(let value):
            reader.object.problem(
                "backlog",
                "expected \"all\", \"none\" or seconds, found \(value.shown)"
            )
        }
        if let age = reader.object.seconds("maxAgeSeconds", in: 1...1e9) { common.ageLimit = age }
        common.isMetered = reader.flag("metered", usual: false)
        common.isLocal = reader.flag("local", usual: false)
        common.pace = reader.object.seconds("paceSeconds", in: 0...86_400)
        common.liveInterval = reader.object.seconds("batchSeconds", in: 0...86_400)
        common.timeoutSeconds = Int(reader.object.number("timeoutSeconds", in: 1...600) ?? 60)
        common.trust = reader.trust()
        reader.object.record(usual: [
            "backlog": "all", "timeoutSeconds": "\(TargetOptions().timeoutSeconds)",
            "trust": "system",
        ])
        return common
    }

    /// Combines the target's own traits with the owner's options; the stricter limit counts.
    package func traits(_ own: SampleTargetTraits) -> SampleTargetTraits {
        var traits = own
        if let age = common.ageLimit { traits.ageLimit = min(age, own.ageLimit ?? age) }
        if let pace = common.pace { traits.pace = max(pace, own.pace) }
        if let interval = common.liveInterval {
            traits.liveInterval = max(interval, own.liveInterval)
        }
        return traits
    }
}
