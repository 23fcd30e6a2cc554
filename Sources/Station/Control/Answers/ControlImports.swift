import ControlProtocol
import Core
import HardwareIO
import Profiles
import Store
import Synchronization

/// Carries out `imports`: values of other programs' series go into the history.
///
/// Bound: `countPerHour` values an hour, counted from the first; a request beyond it is refused
/// whole, and the asker comes again. Known values cost nothing.
final class ControlImports: Sendable {
    /// Values an hour: 200 samples of ten quantities.
    static let countPerHour = 2_000
    private static let hour = Duration.seconds(3_600)
    private static let nameMax = 64
    /// Largest absolute value of an imported sample, in any unit.
    private static let valueMax = 1e9
    /// 1970 to 2100, in seconds.
    private static let seconds: Range<Int64> = 0..<4_102_444_800

    private struct Hour {
        var begun: MonotonicInstant?
        var count = 0
    }

    private let station: StationContext
    private let store: StoreClient
    private let clock: ControlClock
    private let hours = Mutex(Hour())

    init(station: StationContext, store: StoreClient, clock: ControlClock) {
        (self.station, self.store, self.clock) = (station, store, clock)
    }

    /// Merges rows; quantities that first come together share a stream.
    ///
    /// - Throws: `ControlFailure` `busy`, `not-offered`, `store`; `StoreError`.
    func answer(_ rows: [ImportRow]) async throws -> ImportsReport {
        try demandRoom()
        var (refusals, samples, places) = ([ImportsReport.Refusal](), [ImportedSample](), [Int]())
        var same = 0
        for (index, row) in rows.enumerated() {
            switch sample(row) {
            case .success(let sample?):
                samples.append(sample)
                places.append(index)
            case .success(nil): same += 1
            case .failure(let why):
                refusals.append(.init(row: index, code: why.code, message: why.message))
            }
        }
        let merged = try await merged(samples)
        for (place, value) in zip(places, merged) where value == .older {
            let message = "newer values are in all places that it could be in"
            refusals.append(.init(row: place, code: "older", message: message))
        }
        let written = merged.count { $0 == .written }
        let revised = merged.count { $0 == .revised }
        hours.withLock { $0.count += written + revised }
        return ImportsReport(
            written: written,
            same: same + merged.count { $0 == .same },
            revised: revised,
            refusals: refusals
        )
    }

    private func merged(_ samples: [ImportedSample]) async throws -> [MergedValue] {
        guard !samples.isEmpty else { return [] }
        do {
            if let merged = try await store.opened?.merge(samples) { return merged }
        } catch let error as ImportError {
            throw ControlFailure(code: .store, message: "\(error)")
        }
        throw ControlFailure(code: .notOffered, message: "no store is open that takes values")
    }

    private func demandRoom() throws(ControlFailure) {
        let now = station.clock.now
        let wait = hours.withLock { state -> Duration? in
            if state.begun.map({ $0.advanced(by: Self.hour) <= now }) ?? true {
                state = Hour(begun: now)
            }
            guard state.count >= Self.countPerHour, let begun = state.begun else { return nil }
            return now.duration(to: begun.advanced(by: Self.hour))
        }
        guard let wait else { return }
        throw ControlFailure(
            code: .busy,
            message: "\(Self.countPerHour) values an hour are taken; "
                + "the next in \(wait.components.seconds + 1) s"
        )
    }

    // MARK: Rows

    private struct Why: Error {
        let code: String
        let message: String
    }

    /// A row as the history takes it; nil for one without a value.
    private func sample(_ row: ImportRow) -> Result<ImportedSample?, Why> {
        for (name, text) in [("source", row.source), ("series", row.series)] {
            guard (1...Self.nameMax).contains(text.utf8.count), text.isOneLine else {
                let message = "\(name) is 1 to \(Self.nameMax) bytes without control characters"
                return .failure(Why(code: "name", message: message))
            }
        }
        let parts = row.series.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }), let name = parts.last else {
            return .failure(Why(code: "name", message: "series is `site/quantity` or `quantity`"))
        }
        guard let decimals = ImportUnit.decimals(row.unit) else {
            let message =
                "\(PlainText.shown(row.unit, limit: 20)) is no known unit, nor "
                + "that of an index, which is empty; profile.schema.json lists them"
            return .failure(Why(code: "unit", message: message))
        }
        guard let wall = WallTime(iso8601: row.time),
            Self.seconds.contains(wall.nanoseconds / 1_000_000_000), !isAhead(wall)
        else {
            let message = "\(PlainText.shown(row.time, limit: 40)) is no time up to now"
            return .failure(Why(code: "time", message: message))
        }
        guard let value = row.value else { return .success(nil) }
        guard value.isFinite, abs(value) <= Self.valueMax else {
            return .failure(Why(code: "value", message: "\(value) is beyond ±10⁹"))
        }
        let source = parts.count == 2 ? "\(row.source):\(parts[0])" : row.source
        let quantity = Quantity(name: String(name), unit: row.unit, decimals: decimals)
        let power = [1.0, 10, 100][decimals]
        let point = FixedPoint(Int64((value * power).rounded()), decimals: decimals)
        return .success(
            ImportedSample(source: source, wall: wall, values: [.init(quantity, point)])
        )
    }

    /// Whether a time is more than an hour ahead of the station's clock, where that is sure.
    private func isAhead(_ wall: WallTime) -> Bool {
        guard let now = clock.wallReading, now.trust.isSure else { return false }
        return wall.nanoseconds - now.wall.nanoseconds > Self.hour.wholeNanoseconds
    }
}

/// Digits behind the point that values of other programs keep.
private enum ImportUnit {
    /// 0…2; nil for what is no unit.
    static func decimals(_ unit: String) -> Int? {
        switch unit {
        // An index is a whole number in each of its norms.
        case "": 0
        case "mg/m³": 2
        default: MeasureUnit.known.contains(unit) ? 1 : nil
        }
    }
}
