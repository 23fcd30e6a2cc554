import Core
import Glibc
import HardwareIO
import LinuxIO
import PowerCut
import SQLite
import Store

/// A store whose card rots anywhere, one place at a time.
///
/// Every bit of the history's header, every page zeroed, the file cut at every page, its log with
/// a flipped bit every 512 bytes, and runs of any length of journal slots that refuse. The rule:
/// damage costs at most what lay on the damaged bytes, and the ledger names it.
package final class StoreRot {
    package enum Kind: String, CaseIterable, Sendable { case header, page, cut, log, refusal }

    private typealias Wrong = StoreWorkload.Wrong
    private typealias Files = [String: [UInt8]]

    private static let headerByteCount = 100
    private static let pageSize = 4_096
    /// Bytes between two places of the log.
    private static let logStep = 512
    private static let history = "history.db"

    private let script: StoreScript
    private let folder: String
    private var closed: Files = [:]
    /// Files as a killed process leaves them, with the log beside the history.
    private var killed: Files = [:]
    private var samples: [StreamID: Set<BootSample>] = [:]
    private var killedSamples: [StreamID: Set<BootSample>] = [:]

    /// Makes the store that is damaged: half a day, of which the ring holds eight hours.
    package init(seed: UInt64, root: String) throws {
        script = StoreScript(hours: 12, seed: seed)
        var template = Array("\(root)/roost-rot-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Wrong(description: "\(root): no folder can be made there, errno \(errno)")
        }
        folder = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        var store: StationStore?
        defer { ScratchFile.remove(folder) }
        store = try open()
        for (number, payload) in script.payloads.enumerated() {
            _ = try store?.append(payload.bytes, boot: payload.boot)
            guard number % 12 == 11 else { continue }
            try store?.checkpoint()
            guard number >= script.payloads.count / 2, killed.isEmpty else { continue }
            killed = files()
            killedSamples = try allSamples()
        }
        try store?.checkpoint()
        try store?.close()
        closed = files()
        samples = try allSamples()
    }

    /// Places of a kind that can be damaged.
    package func count(of kind: Kind) -> Int {
        switch kind {
        case .header: Self.headerByteCount * 8
        case .page: (closed[Self.history]?.count ?? 0) / Self.pageSize
        // Without any page there is no history; that is another kind.
        case .cut: (closed[Self.history]?.count ?? 0) / Self.pageSize - 1
        case .log: (killed[Self.history + "-wal"]?.count ?? 0) / Self.logStep
        case .refusal: StoreWorkload.blockCount - 1
        }
    }

    /// Pages, by their number as places, at which the history's tables begin.
    package func roots() throws -> [Int] {
        let path = "\(folder)/\(Self.history)"
        ScratchFile.remove(folder)
        mkdir(folder, 0o755)
        defer { ScratchFile.remove(folder) }
        ScratchFile.put(closed[Self.history] ?? [], path)
        let connection = try Connection(path, mode: .immutable)
        defer { try? connection.close() }
        let sql = "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0 ORDER BY 1"
        return try connection.rows(sql) { (row) throws(SQLiteError) -> Int in try row[0] - 1 }
    }

    /// Damages one place and opens the store; what it throws says what is wrong.
    package func play(_ kind: Kind, _ place: Int) throws {
        ScratchFile.remove(folder)
        mkdir(folder, 0o755)
        defer { ScratchFile.remove(folder) }
        if kind == .refusal { return try refuse(place + 1) }
        var damaged = kind == .log ? killed : closed
        let budget = Self.damage(&damaged, kind, place)
        for (name, bytes) in damaged { ScratchFile.put(bytes, "\(folder)/\(name)") }
        let before = damaged[Self.history]?.count ?? 0
        let whole = (kind == .log ? killed : closed)[Self.history]?.count ?? 0
        try goOn()
        let after = ScratchFile.bytes("\(folder)/\(Self.history)").count
        guard after <= max(whole, before) else {
            throw Wrong(description: "the history grew from \(whole) to \(after) bytes")
        }
        let left = try allSamples()
        for (stream, had) in kind == .log ? killedSamples : samples {
            let lost = had.subtracting(left[stream] ?? [])
            guard lost.count <= budget else {
                let ticks = lost.map(\.tick)
                throw Wrong(
                    description: "\(lost.count) of \(had.count) samples of stream "
                        + "\(stream.rawValue) are gone, and \(budget) lay there; of boots "
                        + "\(Set(lost.map { "\($0.boot)".prefix(8) }).sorted()), from tick "
                        + "\(ticks.min()?.tenths ?? 0) to \(ticks.max()?.tenths ?? 0)"
                )
            }
        }
        try StoreCheck.demandExplained(HistoryReader(path: "\(folder)/\(Self.history)"))
    }

    /// Does it to the files; returns how many samples lay there.
    private static func damage(_ files: inout Files, _ kind: Kind, _ place: Int) -> Int {
        var bytes = files[history] ?? []
        defer { files[history] = bytes }
        func page(_ number: Int) -> ArraySlice<UInt8> {
            bytes[number * pageSize..<(number + 1) * pageSize]
        }
        switch kind {
        case .header: bytes[place / 8] ^= 1 << UInt8(place % 8)
        case .page:
            defer {
                bytes.replaceSubrange(page(place).indices, with: repeatElement(0, count: pageSize))
            }
            return HistoryReader.sampleCount(ofPage: page(place))
        case .cut:
            let last = bytes.count / pageSize
            defer { bytes.removeLast(bytes.count - (place + 1) * pageSize) }
            return (place + 1..<last).reduce(0) { $0 + HistoryReader.sampleCount(ofPage: page($1)) }
        case .log: files[history + "-wal"]?[place * logStep + 100] ^= 0x10
        case .refusal: break
        }
        return 0
    }

    /// Opens it as a node does, and again where the damage shows only when it is written to.
    private func goOn() throws {
        for number in 1...2 {
            let recovery = script.recovery(after: script.payloads.count - 1, number: number)
            let store = try open()
            _ = try store.append(recovery.bytes, boot: recovery.boot)
            // Each looks at a quarter of the slots.
            for _ in 0..<5 { try store.checkpoint() }
            try store.close()
        }
    }

    /// Slots that refuse, as many as asked for, in a ring that goes round three times.
    private func refuse(_ count: Int) throws {
        let blocks = StoreWorkload.blockCount
        let card = RefusingCard(blocks, refused: Set((0..<count).map { (7 + $0) % blocks }))
        let store = try StationStore(
            journal: card,
            historyPath: "\(folder)/\(Self.history)",
            plan: StorePlan(.megabytes(StorePlan.megabytesRange.lowerBound)),
            version: "1.0",
            mirrorSequence: 0
        )
        for payload in script.payloads {
            var isDurable = false
            // As `StoreWriter` does: again after a failure, with a checkpoint when the journal
            // fills.
            for _ in 0..<8 where !isDurable {
                isDurable = (try? store.append(payload.bytes, boot: payload.boot)) != nil
                if store.fill >= StationStore.urgentFill { try store.checkpoint() }
            }
            guard isDurable else { throw Wrong(description: "\(count) slots stop the journal") }
        }
        try store.checkpoint()
        try store.close()
        let left = try allSamples()
        guard left == samples else { throw Wrong(description: "samples are lost") }
    }

    private func open() throws -> StationStore {
        let place = StoreLocation(
            journal: folder + "/journal.ring",
            history: "\(folder)/\(Self.history)",
            plan: StorePlan(.megabytes(StorePlan.megabytesRange.lowerBound)),
            version: "1.0"
        )
        return try StationStore(place, mirrorSequence: 0) {
            try FileBlockStorage(
                path: place.journalPath,
                blockSize: StoreWorkload.blockSize,
                blockCount: StoreWorkload.blockCount,
                caching: .buffered
            )
        }
    }

    private func files() -> Files {
        var files: Files = [:]
        for name in ScratchFile.names(folder) where !name.hasSuffix("-shm") {
            files[name] = ScratchFile.bytes("\(folder)/\(name)")
        }
        return files
    }

    private func allSamples() throws -> [StreamID: Set<BootSample>] {
        let reader = try HistoryReader(path: "\(folder)/\(Self.history)")
        var all: [StreamID: Set<BootSample>] = [:]
        for stream in StoreScript.streams {
            let samples = try RawSamples(
                reader,
                stream.id,
                try StreamExtents(reader).spans(of: stream.id)
            )
            while let sample = try samples.next() { all[stream.id, default: []].insert(sample) }
        }
        return all
    }
}

/// A card in memory some of whose blocks refuse every write.
private final class RefusingCard: BlockStorage {
    let blockSize = StoreWorkload.blockSize
    let blockCount: Int
    private let refused: Set<Int>
    private var blocks: [[UInt8]]

    init(_ count: Int, refused: Set<Int>) {
        (blockCount, self.refused) = (count, refused)
        blocks = Array(repeating: [UInt8](repeating: 0, count: blockSize), count: count)
    }

    func read(_ index: Int) throws(StorageError) -> [UInt8] { blocks[index] }

    func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        guard !refused.contains(index) else {
            throw .failed(call: "pwrite", errno: EIO, path: "card")
        }
        blocks[index].replaceSubrange(0..<bytes.count, with: bytes)
    }

    func sync() throws(StorageError) {}
}
