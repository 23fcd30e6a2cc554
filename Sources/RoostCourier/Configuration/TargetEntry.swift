import Core
import Profiles
import StoreQueries

/// What making a target needs besides its configuration.
package struct TargetMaterials: Sendable {
    package let secrets: any SecretSource
    package let station: StationIdentity
    package let clock: any NodeClock
    package let zone: Zone

    package init(
        secrets: any SecretSource,
        station: StationIdentity,
        clock: any NodeClock,
        zone: Zone
    ) {
        (self.secrets, self.station) = (secrets, station)
        (self.clock, self.zone) = (clock, zone)
    }
}

/// One target of the configuration.
package struct TargetEntry: Sendable {
    /// What all targets of samples have.
    package struct Common: Hashable, Sendable {
        /// Patterns of `device/quantity`; empty: all but motion.
        package var streams: [String] = []
        /// Whether what was recorded before the target was added is sent.
        package var hasBacklog = true
        package var ageLimit: Duration?
        /// Whether it sends over a connection that is paid by volume.
        package var isMetered = false
        package var pace: Duration?
        package var liveInterval: Duration?
        /// Whether an address of this computer is allowed.
        package var isLocal = false
        package var trust = ServerTrust.system
        package var timeoutSeconds = 60
    }

    package typealias Make = @Sendable (TargetMaterials) throws -> any SampleTarget

    package let id: String
    /// As `influx2`.
    package let type: String
    package let common: Common
    package let secrets: [SecretName]
    /// The entry as it stands, to see what a reload changes.
    package let source: JSONValue
    package let make: Make

    /// Reads an entry; nil with problems noted when it is wrong.
    init?(_ value: JSONValue, at place: String, _ problems: ProblemList) {
        guard var reader = EntryReader(value, at: place, problems) else { return nil }
        let id = reader.id()
        let type = reader.object.required("type")
        var common = Self.common(&reader, problems)
        guard let type else { return nil }
        let before = problems.problems.count
        guard let kind = TargetKind(rawValue: type) else {
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

    private static func common(_ reader: inout EntryReader, _ problems: ProblemList) -> Common {
        var common = Common()
        common.streams = reader.texts("streams", problems)
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
        common.isMetered = reader.object.bool("metered") ?? false
        common.isLocal = reader.object.bool("local") ?? false
        common.pace = reader.object.seconds("paceSeconds", in: 0...86_400)
        common.liveInterval = reader.object.seconds("batchSeconds", in: 0...86_400)
        common.timeoutSeconds = Int(reader.object.number("timeoutSeconds", in: 1...600) ?? 60)
        common.trust = reader.trust()
        return common
    }

    /// What the outbox is to know: the target's own traits, and what the owner says of them.
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
