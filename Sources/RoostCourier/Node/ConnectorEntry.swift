import ControlProtocol
import Profiles

/// One entry of the configuration that the courier runs: a target, a receiver or a feed.
enum ConnectorEntry: Sendable {
    case target(TargetEntry)
    case receiver(ReceiverEntry)
    case feed(FeedEntry)

    var id: String {
        switch self {
        case .target(let entry): entry.id
        case .receiver(let entry): entry.id
        case .feed(let entry): entry.id
        }
    }

    /// Type in the configuration, such as `influx2` or `ntfy`.
    var type: String {
        switch self {
        case .target(let entry): entry.type
        case .receiver(let entry): entry.type
        case .feed(let entry): entry.kind.name
        }
    }

    /// The list of the configuration that it stands in; nil for a feed.
    var section: EntrySection? {
        switch self {
        case .target: .targets
        case .receiver: .receivers
        case .feed: nil
        }
    }

    /// The entry's JSON, to see what a reload changes.
    var source: JSONValue {
        switch self {
        case .target(let entry): entry.source
        case .receiver(let entry): entry.source
        case .feed(let entry): entry.source
        }
    }

    var hasSecrets: Bool {
        switch self {
        case .target(let entry): !entry.secrets.isEmpty
        case .receiver(let entry): !entry.secrets.isEmpty
        case .feed(let entry): !entry.secrets.isEmpty
        }
    }

    /// Whether it sends over a connection that is paid by volume.
    var isMetered: Bool {
        switch self {
        case .target(let entry): entry.common.isMetered
        case .receiver: true
        case .feed(let entry): entry.isMetered
        }
    }

    /// Whether an address of this computer is allowed.
    var isLocal: Bool {
        switch self {
        case .target(let entry): entry.common.isLocal
        case .receiver(let entry): entry.common.isLocal
        case .feed(let entry): entry.isLocal
        }
    }

    /// Whether an address of a private network is refused.
    var isPublicOnly: Bool {
        switch self {
        case .target, .feed: false
        case .receiver(let entry): entry.common.isPublicOnly
        }
    }

    /// Seconds that a whole request may last; nil leaves the limit of each request.
    var timeoutSeconds: Int? {
        switch self {
        case .target(let entry): entry.common.timeoutSeconds
        case .receiver: nil
        case .feed(let entry): entry.timeoutSeconds
        }
    }

    /// Patterns of the channels that it gets; empty for receivers and feeds.
    var streams: [String] {
        switch self {
        case .target(let entry): entry.common.streams
        case .receiver, .feed: []
        }
    }
}

extension CourierConfiguration {
    /// The ids of targets and receivers, which are the names of their cursors; feeds have none.
    var names: Set<String> { Set(targets.map(\.id) + receivers.map(\.id)) }

    /// All targets, receivers and feeds, in the order of the file.
    var entries: [ConnectorEntry] {
        targets.map(ConnectorEntry.target) + receivers.map(ConnectorEntry.receiver)
            + feeds.map(ConnectorEntry.feed)
    }
}
