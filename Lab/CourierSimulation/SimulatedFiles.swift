import Core
import RoostCourier
import Synchronization

/// Files of a station that measures at an interval of the virtual clock: one row for each sample.
///
/// A ring of bounded length loses its oldest samples; the station's date is its running time.
final class SimulatedFiles: FileSource {
    /// Date of the first sample, in seconds since 1970.
    let start: Int
    private let interval: Int
    private let room: Int
    private let clock: any NodeClock
    /// Windows, in seconds after the start, in which the sensor has no value.
    private let silent: Range<Int>

    /// - Parameters:
    ///   - clock: Clock that dates samples by its running time; the first sample is now.
    ///   - start: The date of the clock's beginning, seconds since 1970.
    ///   - interval: Between samples, in seconds.
    ///   - room: Samples that the ring holds.
    ///   - silent: When the sensor has no value.
    init(
        clock: any NodeClock,
        start: Int,
        interval: Int,
        room: Int = .max,
        silent: Range<Int> = 0..<0
    ) {
        (self.clock, self.start, self.interval) = (clock, start, interval)
        (self.room, self.silent) = (room, silent)
    }

    /// Number of samples recorded so far.
    var recorded: Int { elapsed / interval + 1 }

    private var elapsed: Int {
        Int(MonotonicInstant.boot.duration(to: clock.now).components.seconds)
    }

    /// Number of the oldest sample in the ring.
    private var oldest: Int { max(recorded - room, 0) }

    func extent() async throws -> Range<Int>? {
        (start + oldest * interval)..<(start + (recorded - 1) * interval + 1)
    }

    func next(
        _ period: FilePeriod,
        from begin: Int,
        origin: Int
    ) async throws -> PlannedFile? {
        let length = period.seconds
        var from = begin
        while from + length <= start + (recorded - 1) * interval {
            defer { from += length }
            let whole = from >= start + oldest * interval
            guard whole, let first = first(from..<(from + length)) else { continue }
            let wall = WallTime(nanoseconds: Int64(first) * 1_000_000_000)
            let name = wall.iso8601.filter { $0 != "-" && $0 != ":" }
            return PlannedFile(period, from..<(from + length), name: name + ".csv")
        }
        return nil
    }

    func count(_ range: Range<Int>) async throws -> Int { numbers(range).count }

    func piece(
        _ number: Int,
        of file: PlannedFile,
        origin: Int
    ) async throws -> [UInt8]? {
        // One piece for each day.
        let from = file.range.lowerBound + number * 86_400
        guard from < file.range.upperBound else { return nil }
        return bytes(from..<min(from + 86_400, file.range.upperBound))
    }

    /// Returns the content of the file for a range of time.
    func bytes(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers(range) where hasValue(number) {
            bytes += Array("PM2.5,\(number % 997),\(start + number * interval)\r\n".utf8)
        }
        return bytes
    }

    private func hasValue(_ number: Int) -> Bool { !silent.contains(number * interval) }

    private func first(_ range: Range<Int>) -> Int? {
        numbers(range).first(where: hasValue).map { start + $0 * interval }
    }

    private func numbers(_ range: Range<Int>) -> Range<Int> {
        func number(_ second: Int) -> Int { (second - start + interval - 1) / interval }
        let lower = max(number(range.lowerBound), oldest)
        return lower..<max(lower, min(number(range.upperBound), recorded))
    }
}
