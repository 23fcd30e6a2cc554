import Configuration
import FoundationEssentials
import Profiles

/// The stored record of one device, plugged in or not.
struct DeviceRecord: Codable, Hashable, Sendable {
    /// Under which it reads; nil for an adapter that is only ignored.
    var name: String?
    var isIgnored = false
    /// The profile's id.
    var profile: String?
    /// Last port of the device, as `AdapterKey`.
    var port: String?
    /// USB number of the adapter there, of one that is ignored: `1a86:7523`.
    var usb: String?

    /// Text that the store keeps: JSON with sorted keys.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

/// Names and wishes for every device that was ever adopted or ignored, by identity.
struct DeviceRegistry: Hashable, Sendable {
    /// Records at most: the store keeps 64 settings, and others need some.
    ///
    /// At the bound a new device works under its name and is not remembered.
    static let limit = 48
    /// In front of an identity it is the key of its setting.
    static let keyPrefix = "device."

    private(set) var records: [String: DeviceRecord] = [:]

    init() {}

    subscript(identity: String) -> DeviceRecord? { records[identity] }

    /// Changes or adds a record.
    ///
    /// - Returns: false at the bound.
    mutating func put(_ identity: String, _ record: DeviceRecord) -> Bool {
        guard records[identity] != nil || records.count < Self.limit else { return false }
        records[identity] = record
        return true
    }

    mutating func remove(_ identity: String) { records[identity] = nil }

    /// Adds records from the store; known ones stay unchanged.
    ///
    /// - Returns: Identities whose records cannot be read.
    mutating func load(_ settings: [String: String]) -> [String] {
        var unread: [String] = []
        for (key, value) in settings.sorted(by: { $0.key < $1.key })
        where key.hasPrefix(Self.keyPrefix) {
            let identity = String(key.dropFirst(Self.keyPrefix.count))
            guard records[identity] == nil else { continue }
            let record = try? JSONDecoder().decode(DeviceRecord.self, from: Data(value.utf8))
            guard let record, put(identity, record) else {
                unread.append(identity)
                continue
            }
        }
        return unread
    }

    /// The identity that has a name.
    func identity(named name: String) -> String? {
        records.filter { $0.value.name == name }.map(\.key).min()
    }

    private static func base(for profile: Profile) -> String {
        // Every device of lines has the same driver, and so has every part on a bus.
        let driver = profile.driver ?? profile.id
        guard profile.kind == .bus else { return driver == "line" ? profile.id : driver }
        // Without its maker: `bme280`.
        return profile.id.split(separator: "-", maxSplits: 1).last.map(String.init) ?? profile.id
    }

    /// Names that the same sensors would not get on another card, sorted.
    func ownNames(_ profiles: [Profile]) -> [String] {
        records.values.compactMap { record -> String? in
            guard let name = record.name else { return nil }
            guard let profile = profiles.first(where: { $0.id == record.profile }) else {
                return name
            }
            let base = Self.base(for: profile)
            let number = name.hasPrefix("\(base)-") ? Int(name.dropFirst(base.count + 1)) : nil
            return name == base || number != nil ? nil : name
        }.sorted()
    }

    /// A name for a new device of a profile that nothing has yet: `sds011`, `sds011-2`.
    ///
    /// - Parameters:
    ///   - suffix: The unique part of the name; nil numbers them: `sds011-A160`.
    ///   - taken: Names that are not free, besides those remembered.
    /// - Returns: 64 bytes at most.
    func freeName(
        for profile: Profile,
        suffix: String? = nil,
        besides taken: Set<String>
    ) -> String {
        var base = Self.base(for: profile)
        if let suffix {
            let plain = suffix.map { PlainName.fits("x\($0)") ? $0 : "-" }
            // Keeps the end: the paths of all sockets begin alike.
            base = "\(base.prefix(24))-\(String(plain.suffix(32)))"
        }
        let used = taken.union(records.values.compactMap(\.name))
        guard used.contains(base) else { return base }
        var number = 2
        while used.contains("\(base)-\(number)") { number += 1 }
        return "\(base)-\(number)"
    }
}
