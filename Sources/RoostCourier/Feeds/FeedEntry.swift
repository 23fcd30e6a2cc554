import Core
import Profiles

/// One entry of `feeds`: a service whose values the station keeps beside its own.
package struct FeedEntry: Sendable {
    package let id: String
    package let kind: FeedKind
    /// URL of the service, without a path: `https://api-open.data.gov.sg`.
    package let url: String
    /// Time between two turns, 10 min…1 day.
    package let period: Duration
    package let isMetered: Bool
    package let isLocal: Bool
    package let timeoutSeconds: Int
    package let trust: ServerTrust
    /// The entry's JSON, to see what a reload changes.
    package let source: JSONValue

    package var secrets: [SecretName] { kind.secrets }

    private static let publications = ["psi", "pm25"]

    /// Reads an entry; nil with problems noted when it is wrong.
    init?(_ value: JSONValue, at place: String, _ problems: ProblemList) {
        guard var reader = EntryReader(value, at: place, problems) else { return nil }
        let before = problems.problems.count
        let id = reader.id()
        let type = reader.object.required("type")
        period = reader.object.seconds("everySeconds", in: 600...86_400) ?? .seconds(3_600)
        isMetered = reader.object.bool("metered") ?? false
        isLocal = reader.object.bool("local") ?? false
        timeoutSeconds = Int(reader.object.number("timeoutSeconds", in: 1...600) ?? 60)
        trust = reader.trust()
        source = value
        guard let type else { return nil }
        let kind: FeedKind
        switch type {
        case "data.gov.sg": kind = Self.singapore(&reader, problems)
        case "arpa-lombardia": kind = Self.arpa(&reader, problems)
        case "peer": kind = Self.peer(&reader, id ?? "", problems)
        default:
            reader.object.problem(
                "type",
                "unknown type \"\(type)\", known are \(FeedKind.names.joined(separator: ", "))",
                meant: Spelling.nearest(to: type, among: FeedKind.names)
            )
            return nil
        }
        let url = kind.standardURL == nil ? reader.url("url") : reader.optionalURL("url")
        reader.object.finish()
        guard let id, problems.problems.count == before, let base = url ?? kind.standardURL else {
            return nil
        }
        (self.id, self.kind) = (id, kind)
        self.url = base.hasSuffix("/") ? String(base.dropLast()) : base
    }

    private static func singapore(_ reader: inout EntryReader, _ problems: ProblemList)
        -> FeedKind
    {
        guard reader.object.has("data") else { return .singapore(data: publications) }
        let place = reader.object.path("data")
        let data = reader.texts("data")
        for name in data where !publications.contains(name) {
            problems.add(place, "expected psi and pm25, found \"\(name)\"")
        }
        if data.isEmpty { problems.add(place, "names nothing: leave it out for psi and pm25") }
        return .singapore(data: publications.filter(data.contains))
    }

    private static func arpa(_ reader: inout EntryReader, _ problems: ProblemList) -> FeedKind {
        let token = reader.object.has("token") ? reader.secret("token") : nil
        let place = reader.object.path("sensors")
        guard case .object(let members)? = reader.object.value("sensors"),
            (1...64).contains(members.count)
        else {
            problems.add(place, "expected 1 to 64 sensors like { \"10273\": \"pm10\" }")
            return .arpa(sensors: [], token: token)
        }
        var sensors: [ARPASensor] = []
        for (id, value) in members.sorted(by: { $0.key < $1.key }) {
            let isID = (1...9).contains(id.utf8.count) && id.utf8.allSatisfy { (48...57) ~= $0 }
            guard isID, case .string(let words) = value, isQuantity(words) else {
                problems.add(
                    "\(place).\(id)",
                    "expected the number of a sensor (idsensore) and what it measures, as "
                        + "\"pm10\" or \"co mg/m³\""
                )
                continue
            }
            let parts = words.split(separator: " ", maxSplits: 1).map(String.init)
            let unit = parts.count > 1 ? parts[1] : "µg/m³"
            guard MeasureUnit.known.contains(unit) else {
                let (message, meant) = MeasureUnit.mistake(unit)
                problems.add("\(place).\(id)", message, meant: meant)
                continue
            }
            sensors.append(ARPASensor(id: id, quantity: parts[0], unit: unit))
        }
        return .arpa(sensors: sensors, token: token)
    }

    private static func isQuantity(_ words: String) -> Bool {
        let name = words.prefix { $0 != " " }
        return (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { (97...122) ~= $0 || (48...57) ~= $0 || $0 == 45 }
    }

    private static func peer(
        _ reader: inout EntryReader,
        _ id: String,
        _ problems: ProblemList
    ) -> FeedKind {
        let token = reader.object.has("token") ? reader.secret("token") : nil
        let place = reader.object.path("channels")
        // Without channels, the station appears only in the list of stations.
        let channels = reader.object.has("channels") ? reader.texts("channels") : []
        for channel in channels where channel.split(separator: "/").count != 2 {
            problems.add(place, "expected device/quantity, found \"\(channel)\"")
        }
        return .peer(name: id, channels: channels, token: token)
    }
}
