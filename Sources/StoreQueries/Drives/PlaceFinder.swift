import Core
import Profiles
import Store

/// Where each of many samples was measured, by the position fixes of one device.
///
/// Reads the fixes as far ahead as a place may depend on them and no further, so that a year needs
/// no more memory than an hour.
package struct PlaceFinder<Fixes: SampleSource> {
    private static var names: (latitude: String, longitude: String) { ("latitude", "longitude") }
    /// A fix further from a sample than `LocationTrack` joins decides nothing.
    package static var reach: Duration { .seconds(60) }
    private static var lookAhead: Int64 { reach.wholeNanoseconds / 100_000_000 }

    private var fixes: Fixes
    private var next: DatedSample?
    private let ordinals: [BootID: UInt32]
    private var track: LocationTrack
    private var boot: BootID?

    /// A finder at the beginning.
    ///
    /// - Parameters:
    ///   - fixes: Samples of the device that knows, oldest first.
    ///   - ordinals: The order of boots.
    ///   - track: An empty one, which knows how far fixes are held and joined: `reach` at most.
    /// - Throws: What the store says.
    package init(
        _ fixes: Fixes,
        ordinals: [BootID: UInt32],
        track: LocationTrack = LocationTrack()
    ) throws {
        (self.fixes, self.ordinals, self.track) = (fixes, ordinals, track)
        next = try self.fixes.next()
    }

    /// Whether a stream says where it was.
    package static func knows(_ stream: StreamDescription) -> Bool {
        [names.latitude, names.longitude].allSatisfy { name in
            stream.quantities.contains { $0.name == name }
        }
    }

    /// Where a sample was measured; each is not before the last one that was asked for.
    ///
    /// - Throws: What the store says.
    package mutating func place(of sample: DatedSample) throws -> LocationTrack.Answer {
        if sample.boot != boot {
            track.reset()
            boot = sample.boot
        }
        let mine = ordinals[sample.boot] ?? .max
        while let fix = next {
            let its = ordinals[fix.boot] ?? .max
            let isAhead = fix.tick.tenths > sample.tick.tenths + Self.lookAhead
            if its > mine || (its == mine && isAhead) { break }
            if fix.boot == sample.boot {
                if let position = Self.position(fix) {
                    track.append(position, at: Self.instant(fix.tick))
                } else if Self.isLost(fix) {
                    track.lose(at: Self.instant(fix.tick))
                }
            }
            next = try fixes.next()
        }
        return track.position(at: Self.instant(sample.tick))
    }

    private static func instant(_ tick: Tick) -> MonotonicInstant {
        .boot.advanced(by: .milliseconds(tick.tenths * 100))
    }

    private static func position(_ fix: DatedSample) -> Position? {
        guard let latitude = outcome(names.latitude, fix)?.value,
            let longitude = outcome(names.longitude, fix)?.value
        else { return nil }
        return Position(latitude, longitude)
    }

    /// Whether the receiver itself says that it does not know where it is.
    private static func isLost(_ fix: DatedSample) -> Bool {
        [names.latitude, names.longitude].contains { outcome($0, fix) == .noData(.noFix) }
    }

    private static func outcome(_ name: String, _ fix: DatedSample) -> Outcome? {
        fix.stream.quantities.firstIndex { $0.name == name }.map { fix.outcomes[$0] }
    }
}
