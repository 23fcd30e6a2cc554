import Glibc
import HardwareIO
import LinuxIO
import PowerCut
import Readings
import Store

/// A whole store, journal and history, through a script.
///
/// Acknowledged are payloads by their number, when `append` has returned, and settings by theirs
/// beyond `settingBase`.
package final class StoreWorkload {
    package struct Wrong: Error, CustomStringConvertible {
        package let description: String
    }

    static let settingBase: Int64 = 1_000_000
    /// Slots of the journal's ring: three days of payloads go round it several times.
    static let blockCount = 48
    static let blockSize = 4_096
    /// Seconds of processor that an opening may take.
    static let openingLimit = 2.0

    let script: StoreScript
    private let acknowledgesTooEarly: Bool
    /// Bytes of the history's file, from the first day on.
    private var historyByteCount = 0

    package init(_ script: StoreScript, acknowledgesTooEarly: Bool = false) throws {
        self.script = script
        self.acknowledgesTooEarly = acknowledgesTooEarly
    }

    // MARK: - Writing

    package func write(_ recording: PowerCutRecording) throws {
        var store: StationStore? = try open(recording.folder)
        historyByteCount = byteCount(recording.folder + "/history.db")
        for step in script.steps {
            switch step {
            case .append(let number):
                let payload = script.payloads[number]
                _ = try store?.append(payload.bytes, boot: payload.boot)
                recording.acknowledge(Int64(number))
            case .checkpoint: try store?.checkpoint()
            case .set(let number):
                try store?.set("place", to: "\(number)")
                recording.acknowledge(Self.settingBase + Int64(number))
            case .restart:
                try store?.checkpoint()
                try store?.close()
                store = try open(recording.folder)
            case .crash:
                // The process is gone: what closing would still write never reaches the card.
                recording.fail(.broken, from: 0)
                store = nil
                recording.fail(.broken, from: 0, count: 0)
                store = try open(recording.folder)
            }
        }
        try store?.checkpoint()
        try store?.close()
        let grown = byteCount(recording.folder + "/history.db")
        guard grown == historyByteCount else {
            throw Wrong(description: "the history grew from \(historyByteCount) to \(grown)")
        }
    }

    // MARK: - Verifying

    /// Opens the store as a node does, demands what was acknowledged, then goes on working.
    package func verify(_ state: PowerCutState) throws {
        let promised = state.acknowledged.count { $0 < Self.settingBase }
        let settings = state.acknowledged.count - promised
        let began = Self.processorSeconds
        let store = try open(state.folder)
        let took = Self.processorSeconds - began
        guard took < Self.openingLimit else { throw Wrong(description: "opened in \(took) s") }
        switch store.opening.history {
        case .fresh where state.acknowledged.isEmpty: break
        case .found: break
        default: throw Wrong(description: "found \(store.opening.history)")
        }
        guard store.opening.damage.isEmpty else {
            throw Wrong(description: "damage \(store.opening.damage)")
        }
        try check(state.folder, promised)
        let place = try store.setting("place")
        let allowed = [settings - 1, settings].map { $0 < 0 ? nil : "\($0)" }
        guard allowed.contains(place) else {
            throw Wrong(description: "setting \(place ?? "none") after \(settings)")
        }
        try goOn(store, state.folder, promised)
    }

    /// What comes after the recovery must be kept as well, and spoil nothing.
    private func goOn(_ store: StationStore, _ folder: String, _ promised: Int) throws {
        let event = Event(
            at: MonotonicInstant(nanoseconds: 0),
            source: "recovery",
            kind: "went on"
        )
        let boot = BootID(bytes: [UInt8](repeating: 255, count: 16))
        _ = try store.append(JournalRecordCodec.encode([.event(event)]), boot: boot)
        try store.checkpoint()
        let newest = try HistoryReader(path: folder + "/history.db").events(last: 1)
        guard newest == [BootEvent(boot: boot, event: event)] else {
            throw Wrong(description: "what came after the recovery is not the newest")
        }
        try check(folder, promised)
        try store.close()
        for (name, wanted) in [
            ("history.db", historyByteCount), ("journal.ring", Self.blockSize * Self.blockCount),
        ] {
            let found = byteCount(folder + "/" + name)
            guard found == wanted else {
                throw Wrong(description: "\(name) has \(found) bytes, not \(wanted)")
            }
        }
    }

    private func check(_ folder: String, _ promised: Int) throws {
        let reader = try HistoryReader(path: folder + "/history.db")
        let payloads = script.payloads
        // The one under way when the power went may be there, as a whole.
        let possible = payloads.prefix(promised + 1)
        var events: [BootEvent] = []
        try reader.events { event in
            if event.event.source == "script" { events.append(event) }
            return true
        }
        let back = try reader.events(last: .max) { $0.event.source == "script" }
        guard events == back else {
            throw Wrong(
                description: "\(events.count) events forwards, \(back.count) backwards, "
                    + "\(promised) promised"
            )
        }
        let count = events.last == possible.last?.event ? possible.count : promised
        let expected = payloads.prefix(count)
        try compare("events", events, expected.map(\.event), atLeast: 100)
        for stream in StoreScript.streams {
            let raw = try reader.raw(stream.id, try reader.spans(of: stream.id))
            var found: [BootSample] = []
            while let sample = try raw.next() { found.append(sample) }
            let wanted = expected.flatMap { $0.samples[stream.id] ?? [] }
            try compare("samples of \(stream.device)", found, wanted, atLeast: 500)
            guard raw.damagedSegments == 0 else { throw Wrong(description: "damaged segments") }
        }
        guard reader.damagedSlots == 0 else { throw Wrong(description: "damaged slots") }
        let runs = try reader.runs().map(\.started)
        try compare("runs", runs, expected.compactMap(\.started), atLeast: .max)
        let anchors = try reader.anchors().count
        let boots = Set(expected.map(\.boot)).count
        guard anchors >= boots, anchors <= 2 * boots else {
            throw Wrong(description: "\(anchors) anchors in \(boots) boots")
        }
    }

    /// Demands the newest of what is wanted, each once and in order, and nothing else.
    ///
    /// The oldest may be gone from a ring, but never so many that fewer than `floor` are left.
    private func compare<Value: Equatable>(
        _ name: String,
        _ found: [Value],
        _ wanted: [Value],
        atLeast floor: Int
    ) throws {
        func place(_ value: Value?) -> Int { value.flatMap(wanted.firstIndex) ?? -1 }
        guard found.count >= min(floor, wanted.count), found == wanted.suffix(found.count) else {
            let same = zip(found.reversed(), wanted.reversed()).prefix { $0 == $1 }.count
            throw Wrong(
                description: "\(name): \(found.count) found, \(wanted.count) wanted, "
                    + "the newest \(same) alike; "
                    + "from \(place(found.first)) to \(place(found.last))"
            )
        }
    }

    // MARK: - The files

    private func open(_ folder: String) throws -> StationStore {
        let path = folder + "/journal.ring"
        let file = try FileBlockStorage(
            path: path,
            blockSize: Self.blockSize,
            blockCount: Self.blockCount,
            caching: .buffered
        )
        return try StationStore(
            journal: try RecordedBlockStorage(
                file,
                path: path,
                isNew: file.isNew,
                forgetsSyncs: acknowledgesTooEarly
            ),
            historyPath: folder + "/history.db",
            plan: StorePlan(.megabytes(StorePlan.megabytesRange.lowerBound)),
            version: "1.0",
            mirrorSequence: 0,
            vfs: PowerCutRecording.vfs
        )
    }

    private func byteCount(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Of this thread, so that a busy machine does not look like a slow store.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
