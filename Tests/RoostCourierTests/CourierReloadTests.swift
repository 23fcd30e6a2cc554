import ControlProtocol
import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier

/// Tests edits of every key of `courier.json`: a reload applies each, and other entries go on.
///
/// `network.metered` has tests of its own in `CourierFaultTests`.
@Suite struct CourierReloadTests {
    private static let heartbeat = #"{"id":"alive","type":"heartbeat","url":"https://up.test/x"}"#
    // An entry with a secret restarts at each reload, since the secret may have changed.
    private static let phone = #"""
        {"id":"phone","type":"smtp","url":"smtps://m.test","from":"a@b.test","to":["c@d.test"]}
        """#
    private static let feed = #"{"id":"sg","type":"data.gov.sg","data":["pm25"]}"#

    private static func text(_ changes: [String: String] = [:]) -> String {
        let parts = [
            "targets": "[\(CourierLife.influx),\(heartbeat)]", "receivers": "[\(phone)]",
            "feeds": "[\(feed)]",
        ].merging(changes) { $1 }
        let members = parts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return "{\(members.joined(separator: ","))}"
    }

    private static func read(_ changes: [String: String] = [:]) throws -> CourierConfiguration {
        try CourierConfiguration(Array(text(changes).utf8), file: "courier.json")
    }

    /// Members of the file, each with the entries that an edit of it restarts.
    private static let edits: [(key: String, value: String, anew: Set<String>)] = [
        ("network", #"{"proxy":"http://p.test:3128"}"#, ["influx", "alive", "phone", "sg"]),
        ("network", #"{"address":"https://a.test"}"#, ["influx", "alive", "phone", "sg"]),
        ("leave", #"{"channels":["door/*"]}"#, ["influx", "alive", "phone", "sg"]),
        ("stations", #"{"find":true}"#, []), ("stations", #"{"find":true,"local":true}"#, []),
        ("stations", #"{"find":false}"#, []),
        ("stations", #"{"time":false}"#, []),
        (
            "targets", "[\(edited(CourierLife.influx, #""database":"other""#)),\(heartbeat)]",
            ["influx"]
        ),
        (
            "targets", "[\(edited(CourierLife.influx, #""streams":["*/pm25"]"#)),\(heartbeat)]",
            ["influx"]
        ),
        ("targets", "[\(heartbeat),\(CourierLife.influx)]", []),
        (
            "targets", "[\(CourierLife.influx),\(edited(heartbeat, #""everySeconds":600"#))]",
            ["alive"]
        ),
        ("receivers", "[\(edited(phone, #""everySeconds":600"#))]", ["phone"]),
        ("receivers", "[\(edited(phone, #""quiet":{"from":"22:00","to":"07:00"}"#))]", ["phone"]),
        ("feeds", "[\(edited(feed, #""everySeconds":7200"#))]", ["sg"]),
    ]

    /// Returns an entry with one more member, or with another value of a member.
    private static func edited(_ entry: String, _ member: String) -> String {
        let key = member.prefix { $0 != ":" }
        let kept = entry.dropFirst().dropLast().split(separator: ",").filter {
            !$0.hasPrefix(key + ":")
        }
        return "{\(kept.joined(separator: ",")),\(member)}"
    }

    @Test func everyPropertyOfTheFileHasItsEdits() throws {
        let known = Set(Self.edits.map(\.key))
        let configuration = try Self.read()
        let properties = Set(Mirror(reflecting: configuration).children.compactMap(\.label))
        #expect(properties == known.subtracting(["leave"]).union(["left", "source"]))
        let network = Mirror(reflecting: configuration.network).children.compactMap(\.label)
        #expect(Set(network) == ["metered", "proxy", "address"])
        let stations = Mirror(reflecting: configuration.stations).children.compactMap(\.label)
        #expect(Set(stations) == ["isGiven", "isSearching", "isLocal", "asksTime"])
    }

    @Test(arguments: edits.indices)
    func anEditBeginsAnewWhatItIsAbout(index: Int) throws {
        let edit = Self.edits[index]
        try simulate { clock in
            let life = try CourierLife(clock, whole: Self.text())
            let asked = Mutex<[CourierDependencies.NetworkNeeds]>([])
            let node = life.node(seeing: { needs in asked.withLock { $0.append(needs) } })
            try await life.run(node) {
                try await clock.sleep(for: .seconds(30))
                let ids = node.ids
                #expect(ids == ["influx", "alive", "phone", "sg"])
                let before = Dictionary(uniqueKeysWithValues: ids.map { ($0, node.outlet($0)) })
                let count = asked.withLock { $0.count }
                try await node.reload(try Self.read([edit.key: edit.value]))
                try await clock.sleep(for: .seconds(30))
                let anew = ids.filter { node.outlet($0) !== before[$0] ?? nil }
                #expect(Set(anew) == edit.anew, "\(edit.key) \(edit.value)")
                #expect(node.ids.allSatisfy { node.outlet($0) != nil } && node.ids.count == 4)
                if edit.value.contains("proxy") {
                    let proxies = asked.withLock { $0.dropFirst(count).map(\.proxy) }
                    #expect(proxies == Array(repeating: "http://p.test:3128", count: 4))
                }
                // Taken back, it is as before.
                try await node.reload(try Self.read())
                #expect(node.ids == ids)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    /// Tests an entry that is removed, and one that is added.
    @Test func anEntryComesAndGoes() throws {
        try simulate { clock in
            let life = try CourierLife(clock, whole: Self.text())
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(30))
                try await node.reload(try Self.read(["targets": "[]", "feeds": "[]"]))
                #expect(node.ids == ["phone"])
                try await node.reload(try Self.read(["receivers": "[]"]))
                #expect(node.ids == ["influx", "alive", "sg"])
                #expect(await node.report.targets.map(\.id) == ["influx", "alive"])
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }
}
