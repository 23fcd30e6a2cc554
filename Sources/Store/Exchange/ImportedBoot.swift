import Core

/// A boot that never was: its ticks are tenths of a second since 1970, UTC.
///
/// Imported samples have wall time alone, and the history keeps everything by boot and tick. An
/// anchor that is trusted makes the ticks of such a boot wall time, exact to the tenth. Within a
/// chain of slots time never falls, so samples older than what their stream has already begin
/// another such boot; all of them share the clock, and readers put them in order again.
package enum ImportedBoot {
    /// Boots of imports in one history, at most; one more is refused: import files together, in
    /// the order of their times.
    package static let countMax = 256
    /// Boots that follow one before it is full: the catalogue forgets boots after
    /// `HistorySchema.bootCountMax`, and what was just imported shall not be forgotten soon.
    static let ageMax: UInt32 = 1_024
    /// The anchor of tick and wall time in the history: 2026-01-01, before which no clock that was
    /// set can be, so that `ClockAnchors` accepts it.
    private static let meeting = WallTime(nanoseconds: 1_767_225_600_000_000_000)
    private static let mark = Array("roost import".utf8)

    /// The id of the `number`-th, from 1: twelve letters, then the number in four bytes.
    static func id(_ number: Int) -> BootID {
        var bytes = mark + [0, 0, 0, 0]
        HistoryBytes.put(UInt32(number), in: &bytes, at: mark.count)
        return BootID(bytes: bytes)
    }

    /// The number of a boot, or nil when a kernel gave the id.
    static func number(_ boot: BootID) -> Int? {
        guard boot.bytes.starts(with: mark) else { return nil }
        let number: UInt32 = HistoryBytes.get(boot.bytes, at: mark.count)
        return Int(number)
    }

    static func anchor(_ boot: BootID) -> ClockAnchor {
        ClockAnchor(boot: boot, tick: tick(meeting), wall: meeting, isTrusted: true)
    }

    /// The tick of a wall time, its tenth rounded down.
    static func tick(_ wall: WallTime) -> Tick { Tick(tenths: wall.tenths) }

    /// Spans of imported samples by their time, on the axis of wall time.
    ///
    /// - Parameter spans: Of one stream, in any order; those of boots that a kernel named come back
    ///   as they are.
    /// - Returns: Oldest first; they may overlap, and the last reaches to the end of all.
    package static func ordered(_ spans: [HistorySpan]) -> [HistorySpan] {
        guard spans.count > 1, spans.allSatisfy({ $0.boot.isImported }) else { return spans }
        let sorted = spans.sorted { $0.from < $1.from }
        let origin = sorted[0].from.tenths
        let end = sorted.map(\.to).max() ?? .end
        return sorted.enumerated().map { index, span in
            HistorySpan(
                boot: span.boot,
                from: span.from,
                to: index == sorted.count - 1 ? end : span.to,
                offset: span.from.tenths - origin
            )
        }
    }
}

extension BootID {
    /// Whether an import made it; its ticks are tenths since 1970.
    package var isImported: Bool { ImportedBoot.number(self) != nil }
}

extension StreamID {
    /// Streams of imports have ids from here on, so that a station which counts up from 1 and has
    /// samples waiting in its journal never gives one of them away.
    package static let firstImported = StreamID(0x8000)

    package var isImported: Bool { self >= Self.firstImported }
}
