import Profiles

/// One entry of the configuration that the courier runs: a target or a receiver.
package enum OutletEntry: Sendable {
    case target(TargetEntry)
    case receiver(ReceiverEntry)

    package var id: String {
        switch self {
        case .target(let entry): entry.id
        case .receiver(let entry): entry.id
        }
    }

    /// As in the configuration: `influx2`, `ntfy`.
    package var type: String {
        switch self {
        case .target(let entry): entry.type
        case .receiver(let entry): entry.type
        }
    }

    /// As it stands, to see what a reload changes.
    var source: JSONValue {
        switch self {
        case .target(let entry): entry.source
        case .receiver(let entry): entry.source
        }
    }

    var hasSecrets: Bool {
        switch self {
        case .target(let entry): !entry.secrets.isEmpty
        case .receiver(let entry): !entry.secrets.isEmpty
        }
    }

    /// Whether it sends over a connection that is paid by volume.
    var isMetered: Bool {
        switch self {
        case .target(let entry): entry.common.isMetered
        case .receiver: true
        }
    }

    /// Whether an address of this computer is allowed.
    var isLocal: Bool {
        switch self {
        case .target(let entry): entry.common.isLocal
        case .receiver(let entry): entry.common.isLocal
        }
    }

    /// Whether an address of a private network is refused.
    var isPublicOnly: Bool {
        switch self {
        case .target: false
        case .receiver(let entry): entry.common.isPublicOnly
        }
    }

    /// Of a whole request; nil leaves what each says.
    var timeoutSeconds: Int? {
        switch self {
        case .target(let entry): entry.common.timeoutSeconds
        case .receiver: nil
        }
    }

    /// Patterns of the channels that it gets; empty for receivers.
    var streams: [String] {
        switch self {
        case .target(let entry): entry.common.streams
        case .receiver: []
        }
    }
}

extension CourierConfiguration {
    /// The ids of all entries, which are the names of their cursors.
    var names: Set<String> { Set(entries.map(\.id)) }

    /// All that the courier runs, in the order of the file.
    var entries: [OutletEntry] {
        targets.map(OutletEntry.target) + receivers.map(OutletEntry.receiver)
    }
}
