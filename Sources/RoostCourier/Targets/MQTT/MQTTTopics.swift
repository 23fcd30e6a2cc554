/// The topics of one station: `PREFIX/STATION/…`.
package struct MQTTTopics: Hashable, Sendable {
    /// Bytes of a topic, as §8.1 allows.
    package static let limit = 250
    /// Topic on which Home Assistant says that it has started.
    static let homeAssistantStatus = "homeassistant/status"
    /// Bytes of one level, so that the longest topic stays within `limit`.
    private static let levelLimit = 64

    package let root: String
    private let object: String

    /// - Parameters:
    ///   - prefix: Levels of `[A-Za-z0-9_-]` with `/` between them, 100 bytes at most.
    package init(prefix: String = "roost", station: String) {
        root = prefix + "/" + Self.level(station)
        object = "roost_" + Self.level(station)
    }

    /// Topic of the courier's own state, `online` or `offline`.
    package var status: String { root + "/status" }
    /// Topic of the station's state, `online` while it answers and its sensors make progress.
    package var station: String { root + "/station" }
    package var lamp: String { root + "/lamp" }
    package var health: String { root + "/health" }
    package var alert: String { root + "/alert" }
    /// Topic of changes of alerts that were over before the broker could hear of them.
    var lateAlert: String { root + "/alert/late" }
    /// Topic of messages that the target sends to itself, to see that messages pass.
    package var proof: String { root + "/proof" }

    package func state(_ device: String) -> String { of(device, "state") }
    /// Topic of samples that are too old to be the present state.
    func lateState(_ device: String) -> String { of(device, "late") }
    package func motion(_ device: String) -> String { of(device, "motion") }
    package func event(_ device: String) -> String { of(device, "event") }
    package func late(_ device: String) -> String { of(device, "event/late") }

    /// Topic of the message that announces all entities of a station.
    var discovery: String { "homeassistant/device/\(object)/config" }

    /// Returns the topic that announces one entity, for Home Assistant before 2024.11.
    func discovery(of component: String, platform: String) -> String {
        "homeassistant/\(platform)/\(uniqueID(component))/config"
    }

    /// Returns the permanent id of an entity.
    func uniqueID(_ component: String) -> String { "\(object)_\(component)" }

    /// Id of the device that Home Assistant shows.
    package var deviceID: String { object }

    private func of(_ device: String, _ end: String) -> String {
        "\(root)/\(Self.level(device))/\(end)"
    }

    /// Makes one level of a topic: characters outside `[A-Za-z0-9_-]` become `_`.
    package static func level(_ text: String) -> String {
        let bytes = text.unicodeScalars.prefix(levelLimit).map { scalar -> Character in
            let isPlain = isPlain(scalar)
            return isPlain ? Character(scalar) : "_"
        }
        return bytes.isEmpty ? "_" : String(bytes)
    }

    /// Whether a text may be the prefix of all topics.
    static func isPrefix(_ text: String) -> Bool {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 100
            && levels.allSatisfy { !$0.isEmpty && $0.unicodeScalars.allSatisfy(isPlain) }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }
}
