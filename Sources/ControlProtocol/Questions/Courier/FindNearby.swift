import HardwareIO

package struct FindNearby: Question {
    package typealias Answer = NearbyReport
    package static let about = QuestionFacts(
        "nearby",
        for: .peopleAndDashboard,
        "Looks for MQTT brokers and Home Assistants that announce themselves on the local network."
    )

    package init() {}
}

/// Servers of the local network to which a station could send.
package struct NearbyReport: Codable, Hashable, Sendable {
    /// Servers of one report, at most.
    package static let serversMax = 16

    /// The outcome of the search; never `off`.
    package let search: StationsReport.Search
    /// Why the search failed, as words.
    package let why: String?
    /// Home Assistants first, then encrypted brokers, then others; each kind by name.
    package let items: [NearbyServer]
    /// Found ones beyond `serversMax`.
    package let omittedCount: Int

    package init(
        _ search: StationsReport.Search,
        why: String? = nil,
        items: [NearbyServer] = []
    ) {
        (self.search, self.why) = (search, why)
        self.items = Array(items.prefix(Self.serversMax))
        omittedCount = items.count - self.items.count
    }
}

/// A server that announces itself, with the address of its MQTT broker.
package struct NearbyServer: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// It announces only itself: a broker is expected beside it at the usual port.
        case homeAssistant
        case encryptedBroker
        case broker
    }

    package let kind: Kind
    /// Its own name on the network.
    package let name: String
    /// Host name as `attic.local`.
    package let host: String
    /// Option `url` of a target of type `mqtt`: `mqtt://192.168.1.20:1883`.
    package let url: String
    /// Whether it runs on the station's own computer: option `local` of its target.
    package let isLocal: Bool

    package init(_ kind: Kind, name: String, host: String, url: String, isLocal: Bool = false) {
        self.kind = kind
        self.name = name
        self.host = host
        self.url = url
        self.isLocal = isLocal
    }
}
