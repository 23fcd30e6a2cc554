import Core
import TestSupport

@testable import Store
@testable import StoreQueries

/// A history of a radiation counter, a receiver and the marks of surveys.
package final class DriveFixture {
    package static let counter = StreamDescription(
        id: StreamID(1),
        device: "geiger",
        quantities: [.countRate, .latitude, .longitude, .altitude]
    )
    package static let tube = StreamDescription(
        id: StreamID(2),
        device: "tube",
        quantities: [.countRate]
    )
    package static let receiver = StreamDescription(
        id: StreamID(3),
        device: "gps",
        quantities: [.latitude, .longitude, .altitude, .accuracy]
    )

    /// `tube` after a channel was added to its profile.
    package static let wider = StreamDescription(
        id: StreamID(7),
        device: "tube",
        quantities: [Quantity(name: "volts", unit: "V", decimals: 0), .countRate]
    )

    /// Streams that a station derives of `tube`, after one change of its graph, with a second rate.
    package static let derived = [(4, "dose_rate@1"), (5, "dose_rate@2"), (6, "other@1")].map {
        StreamDescription(
            id: StreamID($0),
            device: "tube",
            quantities: [Quantity(name: $1, unit: "µSv/h", decimals: 3)]
        )
    }

    /// The mark of a survey's beginning or end.
    package struct Mark {
        let second: Int64
        let kind: EventKind
        let details: [Event.Detail]

        package static func begun(_ second: Int64, _ name: String, isPrivate: Bool = false) -> Mark
        {
            let survey = EventKind.Survey(name, isForUpload: !isPrivate)
            return Mark(second: second, kind: .surveyBegun(survey), details: [])
        }

        package static func ended(_ second: Int64, _ name: String) -> Mark {
            let details = [Event.Detail("name", name)]
            return Mark(second: second, kind: .plain(.surveyEnded), details: details)
        }
    }

    /// One run in a boot of its own.
    package struct Boot {
        /// Wall time of second 0; nil leaves the boot without a date.
        package var started: String?
        package var marks: [Mark] = []
        /// Second and device.
        package var doseMarks: [(Int64, String)] = []
        /// Second, then an outcome for each quantity.
        package var samples: [(stream: StreamDescription, rows: [(Int64, [Outcome])])] = []
        /// Seconds at which a further trusted anchor was recorded.
        package var anchors: [Int64] = []
        /// The second of the run's recorded stop; nil for one that was killed.
        package var stopped: Int64?

        package init(_ started: String?) { self.started = started }
    }

    private let folder: TestFolder
    package let reader: HistoryReader
    package let times: StoreTimes
    package var path: String { folder.path }

    /// - Parameters:
    ///   - boots: Oldest first.
    ///   - now: The present second of the last one; nil when no station runs.
    /// - Throws: What the store or the folder throws.
    package init(_ boots: [Boot], now: Int64? = nil) throws {
        folder = try TestFolder(isInMemory: true)
        let path = folder.path("history.db")
        let (history, _) = try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4)))
        for (number, boot) in boots.enumerated() {
            let payload = JournalRecordCodec.encode(Self.records(boot, Self.id(number)))
            let sequence = UInt64(number + 1)
            try history.append([
                JournalBlock(sequence: sequence, boot: Self.id(number), payload: payload)
            ])
        }
        try history.close()
        reader = try HistoryReader(path: path)
        let present = now.map {
            StoreTime(boot: Self.id(boots.count - 1), tick: Tick(tenths: $0 * 10))
        }
        times = try StoreTimes(reader, now: present)
    }

    package static func id(_ number: Int) -> BootID {
        BootID(bytes: Array(repeating: UInt8(number + 1), count: 16))
    }

    /// A row of `counter`; without a place it has no fix.
    package static func row(
        _ second: Int64,
        _ rate: Int64?,
        _ place: (latitude: Int64, longitude: Int64)?
    ) -> (Int64, [Outcome]) {
        let values = place.map { [$0.latitude, $0.longitude].map { FixedPoint($0, decimals: 7) } }
        let altitude = FixedPoint(19_400 + second, decimals: 2)
        return (
            second,
            [rate.map { .value(FixedPoint($0, decimals: 0)) } ?? .noData(.warmingUp)]
                + (values.map { $0.map { .value($0) } + [.value(altitude)] }
                    ?? Array(repeating: .noData(.noFix), count: 3))
        )
    }

    private static func records(_ boot: Boot, _ id: BootID) -> [JournalRecord] {
        var records: [JournalRecord] = [.started(at: Tick(tenths: 0), version: "1")]
        let known = [counter, tube, receiver, wider] + derived
        let others = boot.samples.map(\.stream).filter { !known.contains($0) }
        for stream in known + others { records.append(.stream(stream)) }
        if let started = boot.started, let wall = WallTime(iso8601: started) {
            for second in [0] + boot.anchors {
                let later = wall.nanoseconds + second * 1_000_000_000
                let anchor = ClockAnchor(
                    boot: id,
                    tick: Tick(tenths: second * 10),
                    wall: WallTime(nanoseconds: later),
                    isTrusted: true
                )
                records.append(.anchor(anchor))
            }
        }
        for mark in boot.marks {
            records.append(
                .event(
                    Event(
                        at: Tick(tenths: mark.second * 10).instant,
                        source: "mode",
                        kind: mark.kind,
                        severity: .notice,
                        details: mark.details
                    )
                )
            )
        }
        for (second, device) in boot.doseMarks {
            records.append(
                .event(
                    Event(
                        at: Tick(tenths: second * 10).instant,
                        source: "notes",
                        kind: .doseMarked(channel: device),
                        severity: .notice
                    )
                )
            )
        }
        for (stream, rows) in boot.samples where !rows.isEmpty {
            var encoder = SegmentEncoder(
                decimals: stream.quantities.map(\.decimals),
                startingAt: Tick(tenths: rows[0].0 * 10)
            )
            for (second, outcomes) in rows { encoder.append(Tick(tenths: second * 10), outcomes) }
            records.append(.samples(stream.id, segment: encoder.finished()))
        }
        if let stopped = boot.stopped { records.append(.stopped(at: Tick(tenths: stopped * 10))) }
        return records
    }
}
