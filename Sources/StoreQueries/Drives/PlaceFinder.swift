import Core
import Profiles
import Store

/// Where each of many samples was measured, by the position fixes of one device.
///
/// Reads the fixes as far ahead as a place may depend on them and no further, so that a year needs
/// no more memory than an hour.
package struct PlaceFinder<Fixes: SampleSource> {
    private static var names: (latitude: String, longitude: String) { ("latitude", "longitude") }
    /// A fix further ahead than `LocationTrack` joins decides nothing.
    private static var lookAhead: Int64 { 600 }

    private var fixes: Fixes
    private var next: DatedSample?
    private let ordinals: [BootID: UInt32]
    private var track = LocationTrack()
    private var boot: BootID?

    /// A finder at the beginning.
    ///
    /// - Parameters:
    ///   - fixes: Samples of the device that knows, oldest first.
    ///   - ordinals: The order of boots.
    /// - Throws: What the store says.
    package init(_ fixes: Fixes, ordinals: [BootID: UInt32]) throws {
        (self.fixes, self.ordinals) = (fixes, ordinals)
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
            if fix.boot == sample.boot, let position = Self.position(fix) {
                track.append(position, at: Self.instant(fix.tick))
            }
            next = try fixes.next()
        }
        return track.position(at: Self.instant(sample.tick))
    }

    private static func instant(_ tick: Tick) -> MonotonicInstant {
        .boot.advanced(by: .milliseconds(tick.tenths * 100))
    }

    private static func position(_ fix: DatedSample) -> Position? {
        func value(_ name: String) -> FixedPoint? {
            fix.stream.quantities.firstIndex { $0.name == name }.flatMap { fix.outcomes[$0].value }
        }
        guard let latitude = value(names.latitude), let longitude = value(names.longitude) else {
            return nil
        }
        return Position(latitude, longitude)
    }
}
