import Core
import RoostCourier
import Synchronization

/// Drives of a station with a radiation counter, in memory; the ring may lose the oldest samples.
final class SimulatedDrives: DriveSource {
    private struct State {
        var drives: [PlannedDrive] = []
        /// Number of samples that the ring has overwritten, oldest first.
        var lost = 0
        var isUndated = false
        /// Tenths of a second by which the dates have moved since the beginning.
        var shift: Int64 = 0
    }

    private let boot = BootID(bytes: Array(repeating: 0xD1, count: 16))
    private let state = Mutex(State())

    init() {}

    /// Number of samples of all drives that ever ended.
    var recorded: Int { state.withLock { $0.drives.reduce(0) { $0 + $1.samples } } }

    /// Ends a survey with a number of samples.
    func end(_ name: String, samples: Int, isPrivate: Bool = false) {
        state.withLock { state in
            let tick = Tick(tenths: Int64(state.drives.count + 1) * 100_000)
            let place = OutboxPosition(boot: boot, bootNumber: 1, tick: tick)
            var drive = PlannedDrive(name: name, at: place, samples: samples)
            drive.isPrivate = isPrivate
            let start = Self.wall(17_953_218_000 + tick.tenths)
            drive.dates = DriveDates(
                from: start,
                to: Self.wall(17_953_218_000 + tick.tenths + Int64(samples) * 50)
            )
            state.drives.append(drive)
        }
    }

    /// Overwrites so many more samples, oldest first.
    func lose(_ count: Int) { state.withLock { $0.lost += count } }

    /// Sets whether drives wait for their date.
    func setUndated(_ isUndated: Bool) { state.withLock { $0.isUndated = isUndated } }

    func drives(after place: OutboxPosition?) async throws -> [PlannedDrive] {
        state.withLock { state in
            var lost = state.lost
            return state.drives.map { drive in
                let gone = min(lost, drive.samples)
                lost -= gone
                var left = PlannedDrive(
                    name: drive.name,
                    at: drive.place,
                    samples: drive.samples - gone
                )
                left.isPrivate = drive.isPrivate
                // Each further anchor moves the dates a little.
                state.shift = (state.shift + 7) % 40
                left.dates = drive.dates.map { dates in
                    DriveDates(
                        from: Self.wall(dates.from.nanoseconds / 100_000_000 + state.shift),
                        to: Self.wall(dates.to.nanoseconds / 100_000_000 + state.shift)
                    )
                }
                left.dating = state.isUndated ? .waits : .known
                left.hasOldest = lost == 0 && left.samples > 0 && gone > 0
                return left
            }.filter { drive in place.map { drive.place > $0 } ?? true }
        }
    }

    func file(of drive: PlannedDrive, _ dates: DriveDates) async throws -> DriveMade {
        guard drive.samples > 0 else { return .empty }
        // One sample in ten has no fix.
        let lines = (0..<drive.samples).filter { $0 % 10 != 9 }
        let text = lines.map { number in
            let record = BGeigieRecord(
                device: 2_709,
                at: Self.wall(dates.from.nanoseconds / 100_000_000 + Int64(number) * 50),
                rate: 30 + number % 7,
                place: BGeigieRecord.Place(
                    latitude: FixedPoint(460_671_000 + Int64(number) * 900, decimals: 7),
                    longitude: FixedPoint(111_211_000, decimals: 7),
                    altitude: FixedPoint(19_400, decimals: 2)
                ),
                hasFix: true
            )
            return record.text + "\r\n"
        }
        let bytes = Array((BGeigieRecord.logHead + text.joined()).utf8)
        return .file(
            DriveFile(
                name: "roost-\(drive.place.tick.tenths).LOG",
                bytes: bytes,
                lines: lines.count
            )
        )
    }

    func number(of boot: BootID) async throws -> Int? { boot == self.boot ? 1 : nil }

    /// Returns the time for tenths of a second since 1970.
    private static func wall(_ tenths: Int64) -> WallTime {
        WallTime(nanoseconds: tenths * 100_000_000)
    }
}
