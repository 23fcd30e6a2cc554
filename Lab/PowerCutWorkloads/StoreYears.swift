import Core
import Glibc
import LinuxIO
import Store

/// A station over simulated years: a dust sensor at an interval, hourly events, a reboot a week.
///
/// After each month the sizes of all files are compared to those of the first, to the byte, but for
/// the copy of the small tables, which is held to its bound.
package struct StoreYears {
    package struct Month: Sendable {
        package let number: Int
        package let byteCounts: [String: Int]
        package let samples: Int
    }

    private static let windowTenths: Int64 = 6_000
    private static let windowsPerTake = 36
    private static let windowsPerBoot = 1_008
    /// Bytes of the second copy of the small tables, at most.
    private static let copyByteMax = 1 << 20

    /// Windows of 600 s in a month: a twelfth of 365.25 days.
    var windowsPerMonth = 4_383
    private let folder: String
    private let interval: Int64
    private let megabytes: Int
    private var dice: SplitMix64
    private var level: Int64 = 120

    /// - Parameters:
    ///   - folder: An empty one.
    ///   - intervalTenths: Between two samples; 10 is 1 Hz.
    package init(_ folder: String, intervalTenths: Int64, megabytes: Int, seed: UInt64) {
        (self.folder, interval, self.megabytes) = (folder, intervalTenths, megabytes)
        dice = SplitMix64(seed: seed)
    }

    /// Simulates so many months; reports each, and throws when a file has changed its size.
    package mutating func run(months: Int, _ report: (Month) -> Void) throws {
        var store = try open()
        var first: [String: Int]?
        var (samples, tick) = (0, Int64(0))
        for window in 0..<months * windowsPerMonth {
            let boots = UInt64(window / Self.windowsPerBoot)
            if window % Self.windowsPerBoot == 0 {
                tick = 0
                if window > 0 {
                    try store.close()
                    store = try open()
                }
            }
            let boot = BootID(bytes: withUnsafeBytes(of: (boots, UInt64(7))) { Array($0) })
            let records = payload(window, boot, &tick, &samples)
            _ = try store.append(JournalRecordCodec.encode(records), boot: boot)
            if window % Self.windowsPerTake == 0 { try store.checkpoint() }
            guard (window + 1) % windowsPerMonth == 0 else { continue }
            try store.set("month", to: "\(window)")
            try store.checkpoint()
            try store.close()
            let found = byteCounts
            report(
                Month(
                    number: (window + 1) / windowsPerMonth,
                    byteCounts: found,
                    samples: samples
                )
            )
            guard first == nil || first == found else {
                throw StoreWorkload.Wrong(description: "\(first ?? [:]) became \(found)")
            }
            first = found
            store = try open()
        }
        try store.close()
    }

    private mutating func payload(
        _ window: Int,
        _ boot: BootID,
        _ tick: inout Int64,
        _ samples: inout Int
    ) -> [JournalRecord] {
        let stream = StoreScript.streams[1]
        var records: [JournalRecord] = []
        if tick == 0 {
            let wall = WallTime(nanoseconds: (1_790_000_000 + Int64(window) * 600) * 1_000_000_000)
            records = [
                .started(at: Tick(tenths: 0), version: "1.0"), .stream(stream),
                .schedule(
                    stream.id,
                    from: Tick(tenths: 0),
                    interval: .milliseconds(interval * 100)
                ),
                .anchor(
                    ClockAnchor(boot: boot, tick: Tick(tenths: 0), wall: wall, isTrusted: true)
                ),
            ]
        }
        let end = tick + Self.windowTenths
        var encoder = SegmentEncoder(
            decimals: stream.quantities.map(\.decimals),
            startingAt: Tick(tenths: tick + interval)
        )
        for at in stride(from: tick + interval, through: end, by: Int(interval)) {
            level = min(max(5, level + Int64.random(in: -3...3, using: &dice)), 3_000)
            encoder.append(
                Tick(tenths: at),
                [
                    .value(FixedPoint(level, decimals: 1)),
                    .value(FixedPoint(level + Int64.random(in: 0...20, using: &dice), decimals: 1)),
                ]
            )
            samples += 1
        }
        records.append(.samples(stream.id, segment: encoder.finished()))
        if window % 6 == 0 {
            let at = MonotonicInstant(nanoseconds: end * 100_000_000)
            records.append(.event(Event(at: at, source: "years", kind: .other("hour"))))
        }
        tick = end
        return records
    }

    private var byteCounts: [String: Int] {
        var counts: [String: Int] = [:]
        for name in ScratchFile.names(folder) {
            var status = stat()
            guard stat("\(folder)/\(name)", &status) == 0 else { continue }
            // The copy of the small tables has as many rows as they have: bounded, not constant.
            let isCopy = name.hasSuffix(".tables") && status.st_size <= Self.copyByteMax
            if !isCopy { counts[name] = Int(status.st_size) }
        }
        return counts
    }

    private func open() throws -> StationStore {
        let place = StoreLocation(
            journal: folder + "/journal.ring",
            history: folder + "/history.db",
            plan: StorePlan(.megabytes(megabytes)),
            version: "1.0"
        )
        let store = try StationStore(place, mirrorSequence: 0) {
            try FileBlockStorage(
                path: place.journalPath,
                blockSize: 4_096,
                blockCount: 256,
                caching: .buffered
            )
        }
        guard store.opening.losses.isEmpty else {
            throw StoreWorkload.Wrong(description: "\(store.opening.losses)")
        }
        return store
    }
}
