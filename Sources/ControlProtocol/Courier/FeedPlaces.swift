/// A follower's position in `feed`: the last record of each kind that it has.
///
/// In JSON, with boots as 32 hexadecimal digits:
/// `{"streams":{"3":["…",28005850]},"event":["…",2800585012345678,0]}`.
package struct FeedPlaces: Codable, Hashable, Sendable {
    /// The position of a sample in its stream; equal ticks are one position.
    package struct Sample: Codable, Hashable, Sendable {
        /// Thirty-two hexadecimal digits.
        package let bootID: String
        /// Tenths of a second since that boot.
        package let tick: Int64

        package init(bootID: String, tick: Int64) {
            (self.bootID, self.tick) = (bootID, tick)
        }

        package init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            bootID = try list.decode(String.self)
            tick = try list.decode(Int64.self)
        }

        package func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(bootID)
            try list.encode(tick)
        }
    }

    /// The position of an event.
    package struct Event: Codable, Hashable, Sendable {
        /// Thirty-two hexadecimal digits.
        package let bootID: String
        /// Nanoseconds since that boot.
        package let nanoseconds: Int64
        /// Index among the events of that instant, from 0.
        package let ordinal: Int

        package init(bootID: String, nanoseconds: Int64, ordinal: Int) {
            (self.bootID, self.nanoseconds, self.ordinal) = (bootID, nanoseconds, ordinal)
        }

        package init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            bootID = try list.decode(String.self)
            nanoseconds = try list.decode(Int64.self)
            ordinal = try list.decode(Int.self)
        }

        package func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(bootID)
            try list.encode(nanoseconds)
            try list.encode(ordinal)
        }
    }

    /// Last sample by stream number; a stream that is missing here starts at its first sample.
    package var streams: [String: Sample]
    /// The last event; nil starts at the first.
    package var event: Event?

    package init(streams: [String: Sample] = [:], event: Event? = nil) {
        (self.streams, self.event) = (streams, event)
    }
}
