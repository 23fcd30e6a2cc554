import Core
import Glibc
import HardwareIO
import LinuxIO
import PowerCut
import SQLite
import Store

/// A whole store, journal and history, through a script.
///
/// Acknowledged are payloads by their number, when `append` has returned, settings by theirs beyond
/// `settingBase`, values of others beyond `mergeBase`, and `upgradeMark` just before the new
/// version starts.
final class StoreWorkload {
    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    static let settingBase: Int64 = 1_000_000
    static let upgradeMark: Int64 = 2_000_000
    static let mergeBase: Int64 = 3_000_000
    /// Slots of the journal's ring: three days of payloads go round it several times.
    static let blockCount = 48
    static let blockSize = 4_096
    /// Seconds of processor that opening may use.
    static let openingLimit = 2.0

    let script: StoreScript
    private let acknowledgesTooEarly: Bool
    /// Bytes of the history's file, from the first day on.
    private var historyByteCount = 0
    /// Recovered histories that were read to the end and found right, by a hash of their bytes.
    private var readBefore: Set<Int> = []
    /// Counts of the workload's operations, after it has run.
    private(set) var census = StoreCensus()

    init(_ script: StoreScript, acknowledgesTooEarly: Bool = false) throws {
        self.script = script
        self.acknowledgesTooEarly = acknowledgesTooEarly
    }

    // MARK: - Writing

    func write(_ recording: PowerCutRecording) throws {
        var isUpgraded = false
        census = StoreCensus()
        var store: StationStore? = try open(recording.folder, isUpgraded: false)
        historyByteCount = byteCount(recording.folder + "/history.db")
        var export: StoreExport?
        census.add("creation", recording)
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
            case .merge(let number):
                // Known values among new ones, as a feed brings them.
                let samples = (max(0, number - 2)...number).map(StoreScript.imported)
                guard try store?.merge(samples).last == .written else {
                    throw Wrong(description: "value \(number) of another program is not new")
                }
                recording.acknowledge(Self.mergeBase + Int64(number))
            case .restart, .upgrade:
                try store?.checkpoint()
                try store?.close()
                if case .upgrade = step {
                    census.add("close", recording)
                    recording.acknowledge(Self.upgradeMark)
                    isUpgraded = true
                }
                store = try open(recording.folder, isUpgraded: isUpgraded)
            case .crash:
                // The process is gone: what closing would still write never reaches the card.
                recording.fail(.broken, from: 0)
                store = nil
                recording.fail(.broken, from: 0, count: 0)
                store = try open(recording.folder, isUpgraded: isUpgraded)
            case .beginExport: export = try StoreExport(recording.folder + "/history.db", script)
            case .endExport:
                try export?.finish()
                export = nil
            }
            try export?.goOn()
            census.add(step.name, recording, isExporting: export != nil)
        }
        try store?.checkpoint()
        try store?.close()
        census.add("close", recording)
        try census.count(recording, script, history: recording.folder + "/history.db")
        let grown = byteCount(recording.folder + "/history.db")
        guard grown == historyByteCount else {
            throw Wrong(description: "the history grew from \(historyByteCount) to \(grown)")
        }
    }

    // MARK: - Verifying

    /// Opens the store as a node does, goes on working, and demands what was acknowledged.
    func verify(_ state: PowerCutState) throws {
        let promised = state.acknowledged.count { $0 < Self.settingBase }
        let isUpgraded = state.acknowledged.contains(Self.upgradeMark)
        let merges = state.acknowledged.count { $0 >= Self.mergeBase }
        let settings = state.acknowledged.count - promised - merges - (isUpgraded ? 1 : 0)
        let began = Self.processorSeconds
        let store = try open(state.folder, isUpgraded: isUpgraded)
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
        let place = try store.setting("place")
        let allowed = [settings - 1, settings].map { $0 < 0 ? nil : "\($0)" }
        guard allowed.contains(place) else {
            throw Wrong(description: "setting \(place ?? "none") after \(settings)")
        }
        try goOn(store, state.folder, promised, merges)
    }

    /// Checks that samples after the recovery are kept too, and damage nothing.
    private func goOn(
        _ store: StationStore,
        _ folder: String,
        _ promised: Int,
        _ merges: Int
    ) throws {
        let newest = try HistoryEvents(HistoryReader(path: folder + "/history.db")).newest(1)
        let isSecond = newest == [script.recovery(after: promised).event]
        let recovery = script.recovery(after: promised, number: isSecond ? 2 : 1)
        _ = try store.append(recovery.bytes, boot: recovery.boot)
        try store.checkpoint()
        try store.close()
        for (name, wanted) in [
            ("history.db", historyByteCount), ("journal.ring", Self.blockSize * Self.blockCount),
        ] {
            let found = byteCount(folder + "/" + name)
            guard found == wanted else {
                throw Wrong(description: "\(name) has \(found) bytes, not \(wanted)")
            }
        }
        // The journal was checkpointed: everything is in this one file.
        let digest = try digest(of: folder + "/history.db", promised) ^ merges << 32
        guard !readBefore.contains(digest) else { return }
        let reader = try HistoryReader(path: folder + "/history.db")
        try StoreCheck(
            reader: reader,
            script: script,
            promised: promised,
            merged: merges,
            recoveries: isSecond ? 2 : 1
        ).run()
        readBefore.insert(digest)
    }

    private func digest(of path: String, _ promised: Int) throws -> Int {
        guard let file = fopen(path, "re") else { throw Wrong(description: "\(path) is gone") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: historyByteCount)
        guard fread(&bytes, 1, bytes.count, file) == bytes.count else {
            throw Wrong(description: "\(path) cannot be read")
        }
        // How often it was changed, and so by whom: SQLite file format, sections 1.3.7 and 1.3.17.
        for offset in [24, 92] {
            bytes.replaceSubrange(offset..<offset + 4, with: [0, 0, 0, 0])
        }
        return PowerCutHash.of(bytes) ^ promised
    }

    // MARK: - The files

    private func open(_ folder: String, isUpgraded: Bool) throws -> StationStore {
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
            version: isUpgraded ? "2.0" : "1.0",
            mirrorSequence: 0,
            testHooks: HistoryTestHooks(
                vfs: PowerCutRecording.vfs,
                laterSteps: isUpgraded ? [Self.laterStep] : []
            )
        )
    }

    /// A migration as a later version may bring: a new table in the room that is reserved, and
    /// rows of an old one written anew.
    static let laterStep = Migration(
        "3 notes",
        sql: """
            CREATE TABLE notes(place INTEGER PRIMARY KEY, words TEXT, pad BLOB);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 64)
                INSERT INTO notes SELECT i, '', zeroblob(600) FROM n;
            UPDATE settings SET pad = zeroblob(length(pad));
            """
    )

    private func byteCount(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Processor time of this thread, so that a busy machine does not look like a slow store.
    static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension StoreScript.Step {
    var name: String {
        switch self {
        case .append: "journal append"
        case .checkpoint: "checkpoint"
        case .set: "setting"
        case .merge: "values of others"
        case .restart: "restart in order"
        case .crash: "crash of the process"
        case .upgrade: "migration"
        case .beginExport, .endExport: "export"
        }
    }
}
