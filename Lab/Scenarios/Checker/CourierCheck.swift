import ControlProtocol
import Core
import Store

/// Demands that a courier accounts for every recorded sample as delivered, waiting or left out,
/// and that the receiver has exactly those counted as delivered.
struct CourierCheck {
    let world: World
    let history: HistoryReader
    /// Whether the ring has written over samples.
    let isOverwritten: Bool
    /// Whether a card lied or rotted: what it lost is in no file.
    let isBetrayed: Bool

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Rows in the files that had been recorded when the courier last reported its progress.
    private struct Rows {
        var count = 0
        /// Rows of the last second: the courier may have looked before they were written.
        var newest = 0
        /// The older ones that the receiver does not have.
        var missing: [SampleKey] = []
    }

    /// - Returns: How many samples were checked.
    /// - Throws: `Failure`.
    func run() throws -> Int {
        if let fault = world.records.courierFaults.first { throw Failure(description: fault) }
        guard let last = world.records.deliveries.last else {
            throw Failure(description: "the courier never said how far it is")
        }
        let (counts, rows) = (last.counts, try rows(until: last.at))
        let leftOut = counts.leftOut.values.reduce(0, +)
        let words =
            "\(counts.delivered) delivered, \(counts.waiting) waiting, \(leftOut) left out"
        guard counts.waiting == 0 else {
            throw Failure(description: "\(words), and nothing failed for hours")
        }
        let certain = rows.count - rows.newest
        let isWhole =
            isOverwritten
            ? counts.recorded >= certain : (certain...rows.count).contains(counts.recorded)
        guard isWhole || isBetrayed else {
            throw Failure(description: "\(words), of \(rows.count) recorded")
        }
        if rows.missing.count > leftOut, let first = rows.missing.first {
            throw Failure(
                description: "\(words), but \(rows.missing.count) are not at the receiver, "
                    + "\(first) for one"
            )
        }
        try nothingIsMadeUp()
        try datesAreRight()
        return rows.count
    }

    private func rows(until end: MonotonicInstant) throws -> Rows {
        let records = world.records
        let delivered = Dictionary(
            world.receiver.digests.map { ($0.key.named(records.firstName), $0.value) }
        ) { $1 }
        let segments = records.segments
        let bootedAt = Dictionary(segments.map { ($0.boot, $0.bootedAt) }) { first, _ in first }
        var rows = Rows()
        for stream in try history.streams() where !stream.id.isImported {
            let spans = try history.boots().map {
                HistorySpan(boot: $0.id, from: Tick(tenths: 0), to: .end)
            }
            let samples = try RawSamples(history, stream.id, spans)
            while let sample = try samples.next() {
                guard let booted = bootedAt[sample.boot] else { continue }
                let age = booted.advanced(by: .milliseconds(sample.tick.tenths * 100))
                    .duration(to: end)
                guard age >= .zero else { continue }
                rows.count += 1
                let isNewest = age < .seconds(1)
                rows.newest += isNewest ? 1 : 0
                let device = records.firstName(of: stream.device)
                let key = SampleKey(device, stream.id, sample.boot, sample.tick)
                guard let found = delivered[key] else {
                    if !isNewest { rows.missing.append(key) }
                    continue
                }
                guard found == DeliveredDigest.of(stream.quantities, sample.outcomes) else {
                    throw Failure(description: "\(key) is another at the receiver")
                }
            }
        }
        return rows
    }

    /// Checks that samples came with their own dates, also after a year without power; a boot
    /// whose clock lied is left out.
    private func datesAreRight() throws {
        guard !isBetrayed else { return }
        var boots: [String: MonotonicInstant] = [:]
        for (boot, segments) in Dictionary(grouping: world.records.segments, by: \.boot) {
            guard let start = segments.first?.bootedAt, let end = segments.last?.end else {
                continue
            }
            let isLiar = world.records.windows.contains { window in
                window.kind.area == .clock && ![.suspend, .clockUnknown].contains(window.kind)
                    && window.start <= end && window.end >= start
            }
            if !isLiar { boots[String(boot.description.prefix(8))] = start }
        }
        for (key, date) in world.receiver.dates {
            guard let start = boots[key.boot] else { continue }
            let truth = world.trueTime(at: start.advanced(by: .milliseconds(key.tenths * 100)))
            guard abs(date.nanoseconds - truth.nanoseconds) <= Self.dateTolerance else {
                throw Failure(
                    description: "\(key) is of \(truth.iso8601), and came as of \(date.iso8601)"
                )
            }
        }
    }

    /// Nanoseconds as for the files, with the part of a second that a date leaves out.
    private static let dateTolerance: Int64 = 4_000_000_000

    /// Checks that each value at the receiver was heard in the live stream, and that a repeated
    /// one is the same.
    ///
    /// That a device is away is recorded now and then, and no client of the live stream hears it.
    private func nothingIsMadeUp() throws {
        let records = world.records
        if let changed = world.receiver.changed {
            throw Failure(description: "\(changed) was delivered twice with different values")
        }
        struct Heard: Hashable {
            let device: String
            let boot: Substring
            let tenths: Int64
        }
        let boots = records.segments.map { "\($0.boot)" }
        var heard: Set<Heard> = []
        for sample in records.samples {
            let boot = boots[Int(sample.segment)].prefix(8)
            let device = records.firstName(of: records.devices[Int(sample.device)])
            // A row may be a tenth later than its sample.
            for tenths in sample.tick.tenths...sample.tick.tenths + 1 {
                heard.insert(Heard(device: device, boot: boot, tenths: tenths))
            }
        }
        for key in world.receiver.valued.map({ $0.named(records.firstName) }) {
            let wanted = Heard(device: key.device, boot: key.boot[...], tenths: key.tenths)
            guard heard.contains(wanted) else {
                let near = heard.filter { $0.device == key.device && $0.boot == key.boot[...] }
                    .map(\.tenths).min { abs($0 - key.tenths) < abs($1 - key.tenths) }
                throw Failure(
                    description: "\(key) is at the receiver and was never measured; "
                        + "the nearest is of \(near.map { "\($0)" } ?? "another boot")"
                )
            }
        }
    }
}

// MARK: P11

extension Checker {
    func deliveriesAddUp() throws -> Int {
        guard world.scenario.hasCourier else { return 0 }
        let check = CourierCheck(
            world: world,
            history: try history(),
            isOverwritten: records.samples.count > 200_000
                || records.imports.contains(where: \.hasOverwritten),
            isBetrayed: hasWindow(Self.faithless.contains, from: .boot, to: world.end)
        )
        return try check.run()
    }
}
