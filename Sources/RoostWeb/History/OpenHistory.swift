import Alerts
import Core
import Glibc
import Store
import StoreQueries

/// A snapshot of the history, with the table that dates it.
struct OpenHistory {
    let folder: StoreFolder
    let reader: HistoryReader
    let times: StoreTimes
    /// Changes with every new record; part of every `ETag`.
    let generation: String
    /// The present by the station's clock, else the newest sample; nil while nothing dates it.
    let now: WallTime?

    /// The limits that its pages go by.
    let levels: LevelRule

    /// Opens the history of a folder.
    ///
    /// - Parameters:
    ///   - station: What the station's history lacks; nil where no station answers: then what waits
    ///     is read from the folder's journal.
    ///   - tell: Receives what is left out, and why.
    /// - Throws: `StoreUnreadable`.
    init(_ folder: StoreFolder, _ station: StationTail?, tell: (String) -> Void) throws {
        self.folder = folder
        generation = Self.generation(of: folder, station)
        levels = station?.levels ?? .sampleLevels
        let tail = try station?.tail ?? folder.journalTail(tell: tell)
        reader = try folder.reader(tail: tail, tell: tell)
        do {
            let times = try StoreTimes(reader, now: station?.now)
            self.times = times
            now = try StoreExtent.present(reader, times, now: station?.now)
        } catch let error as StoreError { throw folder.unreadable(error) }
    }

    /// Hash of the files' times and the waiting records: it changes when the history is written to.
    static func generation(
        of folder: StoreFolder,
        _ station: StationTail?,
        program: String = "/proc/self/exe"
    ) -> String {
        var parts: [Int64] = []
        let history = [folder.historyPath, folder.historyPath + "-wal", folder.ringPath]
        // Another program may say the same in other names.
        for path in history + [program] {
            var status = stat()
            // The station's answer has the records that wait for its ring.
            guard path != folder.ringPath || station == nil, stat(path, &status) == 0 else {
                continue
            }
            parts.append(Int64(status.st_mtim.tv_sec) << 20 ^ Int64(status.st_mtim.tv_nsec))
        }
        parts += [Int64(station?.newestSequence ?? 0), Int64(station?.waitingBytes ?? 0)]
        parts += (station?.levels.name ?? "").utf8.map(Int64.init)
        let hash = parts.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { hash, part in
            (hash ^ UInt64(bitPattern: part)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 36)
    }

    /// The channel of a name.
    ///
    /// - Throws: `Problem` `not-found` that names those there are.
    func channel(_ name: String) throws -> StoreChannel {
        let all = try StoreChannel.all(reader)
        if let found = all.first(where: { $0.name == name }) { return found }
        let known = all.map(\.name).joined(separator: ", ")
        throw Problem.notFound(
            "there is no channel \(name.prefix(80)); "
                + (known.isEmpty ? "the history has none yet" : "there are \(known.prefix(400))")
        )
    }
}
