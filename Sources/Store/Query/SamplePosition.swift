import Core

/// Where a sample is: its stream, boot and tick; rows of one stream with equal ticks share a place.
package struct SamplePosition: Codable, Hashable, Sendable {
    package let stream: StreamID
    package let boot: BootID
    package let tick: Tick

    package init(stream: StreamID, boot: BootID, tick: Tick) {
        (self.stream, self.boot, self.tick) = (stream, boot, tick)
    }

    private enum CodingKeys: CodingKey {
        case stream, boot, tick
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        stream = StreamID(try values.decode(UInt16.self, forKey: .stream))
        let text = try values.decode(String.self, forKey: .boot)
        guard let boot = BootID(text) else {
            let place = DecodingError.Context(
                codingPath: values.codingPath,
                debugDescription: "boot is 32 hexadecimal digits"
            )
            throw DecodingError.dataCorrupted(place)
        }
        self.boot = boot
        tick = Tick(tenths: try values.decode(Int64.self, forKey: .tick))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(stream.rawValue, forKey: .stream)
        try values.encode("\(boot)", forKey: .boot)
        try values.encode(tick.tenths, forKey: .tick)
    }
}
