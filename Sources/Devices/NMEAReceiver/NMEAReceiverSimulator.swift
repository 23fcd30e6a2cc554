import Core
import HardwareIO

/// A receiver that replays a track: five sentences a second, without a fix at first.
///
/// The track is a list of places a second apart, run through again and again from its beginning.
package struct NMEAReceiverSimulator: DatedPeer {
    /// One second of a track.
    package struct Step: Hashable, Sendable {
        /// In counts of 10⁻⁷ degree.
        package let latitude: Int64
        package let longitude: Int64
        /// Metres above the sea, in hundredths.
        package let altitude: Int64

        package init(latitude: Int64, longitude: Int64, altitude: Int64) {
            (self.latitude, self.longitude) = (latitude, longitude)
            self.altitude = altitude
        }
    }

    /// Time from power-on to the first fix: a hot start.
    static let searchTime: Duration = .seconds(3)

    /// Time that the receiver believes it is at `.boot`; 2026-11-22.
    package var wallAtBoot = WallTime(nanoseconds: 1_795_305_600_000_000_000)

    private let track: [Step]
    private let poweredAt: MonotonicInstant
    private var dilution: DriftingValue
    private var next: MonotonicInstant

    /// - Parameters:
    ///   - track: At least one step; nil walks along the Adige in Trento, by the seed.
    package init(
        track: [Step]? = nil,
        seed: UInt64 = 1,
        poweredAt now: MonotonicInstant = .boot
    ) {
        self.track = track.flatMap { $0.isEmpty ? nil : $0 } ?? Self.walk(seed)
        poweredAt = now
        dilution = DriftingValue(seed: seed, start: 90, within: 60...400)
        next = now.advanced(by: .seconds(1))
    }

    package var nextActivity: MonotonicInstant? { next }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] { [] }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        var sent: [UInt8] = []
        while next <= now {
            sent += sentences(at: next)
            next = next.advanced(by: .seconds(1))
        }
        return sent
    }

    /// 1.4 m a second, a little of it to the side.
    private static func walk(_ seed: UInt64) -> [Step] {
        var sideways = DriftingValue(seed: seed, start: 1_000, within: 0...2_000)
        var (latitude, longitude): (Int64, Int64) = (460_671_000, 111_150_000)
        return (0..<1_800).map { number in
            latitude += 120
            longitude += Int64(sideways.next() - 1_000) / 20
            return Step(
                latitude: latitude,
                longitude: longitude,
                altitude: 19_000 + Int64(number % 200)
            )
        }
    }

    private mutating func sentences(at now: MonotonicInstant) -> [UInt8] {
        let seconds = now.nanoseconds / 1_000_000_000
        let (time, date) = said(at: now)
        let hasFix = poweredAt.duration(to: now) >= Self.searchTime
        let step = track[Int(seconds % Int64(track.count))]
        let place =
            Self.packed(step.latitude, digits: 2, ("N", "S")) + ","
            + Self.packed(step.longitude, digits: 3, ("E", "W"))
        let hundredths = Int64(dilution.next())
        let hdop = FixedPoint(hundredths, decimals: 2).description
        let altitude = FixedPoint(step.altitude / 10, decimals: 1).description
        let lines =
            hasFix
            ? [
                "GNRMC,\(time),A,\(place),0.8,12.0,\(date),,,A",
                "GNVTG,12.0,T,,M,0.8,N,1.5,K,A",
                "GNGGA,\(time),\(place),1,09,\(hdop),\(altitude),M,47.6,M,,",
                "GNGSA,A,3,04,05,09,12,17,19,22,24,,,,,1.80,\(hdop),1.50",
                "GPGSV,1,1,02,04,55,120,38,05,23,200,31",
            ]
            : [
                "GNRMC,\(time),V,,,,,,,\(date),,,N", "GNVTG,,,,,,,,,N",
                "GNGGA,\(time),,,,,0,00,99.99,,,,,,", "GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99",
                "GPGSV,1,1,00",
            ]
        return lines.flatMap(Self.bytes)
    }

    /// `hhmmss.ss` and `ddmmyy`.
    private func said(at now: MonotonicInstant) -> (time: String, date: String) {
        let wall = wallAtBoot.advanced(by: MonotonicInstant.boot.duration(to: now))
        let time = CivilTime(secondsSince1970: Int(wall.nanoseconds / 1_000_000_000))
        let date = [time.date.day, time.date.month, time.date.year % 100]
        return (
            time.clockWords.filter { $0 != ":" } + ".00",
            date.map { CivilTime.two($0) }.joined()
        )
    }

    private static func bytes(_ content: String) -> [UInt8] {
        let checksum = content.utf8.reduce(0, ^)
        let digits = String(checksum, radix: 16, uppercase: true)
        return Array("$\(content)*\(checksum < 16 ? "0" : "")\(digits)\r\n".utf8)
    }

    /// Degrees as degrees and minutes with five decimals, and a letter.
    private static func packed(
        _ value: Int64,
        digits: Int,
        _ letters: (String, String)
    ) -> String {
        let units = (value.magnitude * 6 + 5) / 10  // 60 × 10⁵ to the degree of 10⁷.
        let (degrees, minutes) = units.quotientAndRemainder(dividingBy: 6_000_000)
        func padded(_ number: UInt64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let (whole, fraction) = minutes.quotientAndRemainder(dividingBy: 100_000)
        return padded(degrees, digits) + padded(whole, 2) + "." + padded(fraction, 5) + ","
            + (value < 0 ? letters.1 : letters.0)
    }
}
