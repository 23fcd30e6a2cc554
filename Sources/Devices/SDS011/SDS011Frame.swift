/// Frames of ten bytes that an SDS011 sends.
///
/// - Source: Nova Fitness, *Laser Dust Sensor Control Protocol V1.3*.
package enum SDS011Frame: Hashable, Sendable {
    /// `AA C0`: one measurement.
    case measurement(SDS011Measurement, from: SDS011DeviceID)
    /// `AA C5`: the answer to a command.
    case reply(SDS011Reply, from: SDS011DeviceID)

    package static let byteCount = 10
    static let head: UInt8 = 0xAA
    static let tail: UInt8 = 0xAB
    static let measurementMark: UInt8 = 0xC0
    static let replyMark: UInt8 = 0xC5

    package var deviceID: SDS011DeviceID {
        switch self {
        case .measurement(_, let id), .reply(_, let id): id
        }
    }

    /// The measurement, if it is one.
    package var measurement: SDS011Measurement? {
        if case .measurement(let measurement, _) = self { measurement } else { nil }
    }

    /// The frame as the part sends it, checksum included.
    package var bytes: [UInt8] {
        let mark: UInt8
        var content: [UInt8]
        switch self {
        case .measurement(let measurement, _):
            mark = Self.measurementMark
            let (pm25, pm10) = (measurement.pm25Tenths, measurement.pm10Tenths)
            content = [
                UInt8(truncatingIfNeeded: pm25), UInt8(pm25 >> 8),
                UInt8(truncatingIfNeeded: pm10), UInt8(pm10 >> 8),
            ]
        case .reply(let reply, _):
            mark = Self.replyMark
            content = [reply.command, reply.first, reply.second, reply.third]
        }
        content += deviceID.bytes
        return [Self.head, mark] + content + [content.reduce(0, &+), Self.tail]
    }
}

/// PM2.5 and PM10 of one frame, in tenths of a µg/m³.
package struct SDS011Measurement: Hashable, Sendable {
    package let pm25Tenths: UInt16
    package let pm10Tenths: UInt16

    package static let zero = SDS011Measurement(pm25Tenths: 0, pm10Tenths: 0)

    /// The top of the part's range, seen in fog and with a wet or blocked inlet.
    ///
    /// - Source: opendata-stuttgart/sensors-software#899.
    package static let ceiling = SDS011Measurement(pm25Tenths: 9_999, pm10Tenths: 19_999)

    package init(pm25Tenths: UInt16, pm10Tenths: UInt16) {
        self.pm25Tenths = pm25Tenths
        self.pm10Tenths = pm10Tenths
    }
}

/// The command an answer belongs to, and its three bytes.
package struct SDS011Reply: Hashable, Sendable {
    package let command: UInt8
    package let first: UInt8
    package let second: UInt8
    let third: UInt8

    package init(command: UInt8, _ first: UInt8, _ second: UInt8, _ third: UInt8) {
        self.command = command
        self.first = first
        self.second = second
        self.third = third
    }
}

/// The number a part carries from the factory, as it stands on the wire: `A160`.
package struct SDS011DeviceID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    /// Addresses every part; no part has it.
    package static let everyone = SDS011DeviceID(rawValue: 0xFFFF)

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package init(_ high: UInt8, _ low: UInt8) { rawValue = UInt16(high) << 8 | UInt16(low) }

    /// An id of four hexadecimal digits, or nil.
    package init?(_ text: String) {
        guard text.utf8.count == 4, let value = UInt16(text, radix: 16) else { return nil }
        rawValue = value
    }

    package var bytes: [UInt8] { [UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)] }

    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// The date of the part's program, `18-11-16`.
package struct SDS011Firmware: Hashable, Sendable, CustomStringConvertible {
    /// Year since 2000.
    package let year: UInt8
    package let month: UInt8
    package let day: UInt8

    package init(year: UInt8, month: UInt8, day: UInt8) {
        self.year = year
        self.month = month
        self.day = day
    }

    package var description: String {
        [year, month, day].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }
}
