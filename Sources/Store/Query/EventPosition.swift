import Core

/// The position of an event: its boot, its instant, and its number within that instant.
package struct EventPosition: Codable, Hashable, Sendable {
    package let boot: BootID
    /// Nanoseconds since that boot.
    package let nanoseconds: Int64
    /// Number of the event among those of this instant, from 0, in the order of writing.
    package let ordinal: Int

    package init(boot: BootID, nanoseconds: Int64, ordinal: Int) {
        (self.boot, self.nanoseconds, self.ordinal) = (boot, nanoseconds, ordinal)
    }

    private enum CodingKeys: CodingKey {
        case boot, nanoseconds, ordinal
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let text = try values.decode(String.self, forKey: .boot)
        guard let boot = BootID(text) else {
            let place = DecodingError.Context(
                codingPath: values.codingPath,
                debugDescription: "boot is 32 hexadecimal digits"
            )
            throw DecodingError.dataCorrupted(place)
        }
        self.boot = boot
        nanoseconds = try values.decode(Int64.self, forKey: .nanoseconds)
        ordinal = try values.decode(Int.self, forKey: .ordinal)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode("\(boot)", forKey: .boot)
        try values.encode(nanoseconds, forKey: .nanoseconds)
        try values.encode(ordinal, forKey: .ordinal)
    }
}
