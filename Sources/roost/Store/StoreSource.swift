import ArgumentParser
import ClientSupport
import Configuration
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO
import Station
import Store

/// Which store, and the station that may be writing to it.
struct StoreOptions: ParsableArguments {
    @Option(help: "The store's folder; default: the running station's, else /var/lib/roost.")
    var store: String?

    @Option(help: "The station's control socket (or the environment variable ROOST_SOCKET).")
    var socket: String?

    /// Opens the store; says on standard error what the station did not add.
    func open() throws -> StoreSource { try StoreSource(folder: store, socket: socket) }
}

/// A history, and what its station has not put there yet.
struct StoreSource {
    let folder: StoreFolder
    let reader: HistoryReader
    /// The present, by the station's clock; nil when none answers.
    let now: StoreMoment?

    /// Asks the station first, then opens the history: a checkpoint in between is in both.
    ///
    /// - Parameters:
    ///   - named: The store's folder; nil means that of the station that answers, else the default.
    ///   - socket: The station's; nil means the default.
    /// - Throws: `ClientFailure`; `StationWithoutStore` when no folder is named.
    init(folder named: String?, socket: String?) throws {
        let client = try ClientOptions.reaching(socket)
        let path = client.socketPath
        let answer = StationTail.ask(client)
        if named == nil, case .success(let tail) = answer, tail.folder == nil {
            throw StationWithoutStore(socket: path)
        }
        // A station that answers has its values in memory, also when its card fails.
        func withoutStore(_ reason: String) -> (any Error)? {
            switch answer {
            case .success(let tail):
                guard named == nil || tail.folder == nil else { return nil }
                return StationWithoutStore(socket: path, because: reason)
            case .failure(let failure):
                guard named == nil, !failure.isAbsence else { return nil }
                return StationWithoutStore(socket: path, because: "\(reason); \(failure.message)")
            }
        }
        let folder = StoreFolder(path: named ?? (try? answer.get())?.folder ?? StoreFolder.standard)
        self.folder = folder
        guard !Permission.isMissing(folder.historyPath) else {
            throw Permission.failure(folder.historyPath)
        }
        guard access(folder.historyPath, F_OK) == 0 else {
            throw withoutStore("\(folder.historyPath): there is no history")
                ?? Self.nothing(in: folder, path, answer)
        }
        if case .success(let tail) = answer, tail.folder.map({ folder.isSame(as: $0) }) == true {
            do { (reader, now) = (try folder.reader(tail: tail.tail), tail.now) } catch {
                throw withoutStore("\(error)") ?? error
            }
            return
        }
        now = nil
        let card = "this is what is on the card in \(folder.path)"
        switch answer {
        case .success(let tail):
            let place = tail.folder.map { "keeps its store in \($0)" } ?? "has no store open"
            Output.error("the station at \(path) \(place); \(card)")
        case .failure(let failure): Output.error("\(failure.message); \(card)")
        }
        reader = try folder.reader(tail: try folder.journalTail())
    }

    private static func nothing(
        in folder: StoreFolder,
        _ socket: String,
        _ answer: Result<StationTail, ClientFailure>
    ) -> ClientFailure {
        var message = "\(folder.historyPath): there is no history"
        if case .failure = answer { message += ", and no station answers at \(socket)" }
        message +=
            "; name the store's folder with --store, start a station with `roostd`, "
            + "or make a store with `roost store replay`"
        return ClientFailure(message: message, exitCode: unavailableExitCode)
    }
}

/// A station answers, and keeps nothing but the last day in memory.
struct StationWithoutStore: Error, CustomStringConvertible {
    let socket: String
    /// Why its history cannot be read, where that is known here.
    var because: String?

    var description: String {
        if let because { return "\(because); the station at \(socket) has values in memory" }
        return "the station at \(socket) has no store open; name a store's folder with --store, "
            + "or configure `store` (see `roost status` for faults of its card)"
    }
}

/// A moment as the store counts it.
struct StoreMoment: Hashable {
    let boot: BootID
    let tick: Tick
}

/// What a station says its history lacks.
struct StationTail: Sendable {
    /// Where its store is; nil while it has none open.
    let folder: String?
    let tail: HistoryTail
    let now: StoreMoment?

    /// Asks for all pages.
    static func ask(_ client: ClientOptions) -> Result<StationTail, ClientFailure> {
        do {
            return .success(StationTail(try client.withStation { try await Self.pages($0) }))
        } catch let failure as ClientFailure {
            guard failure.isAbsence else { return .failure(failure) }
            let message = "no station answers at \(client.socketPath)"
            return .failure(
                ClientFailure(message: message, exitCode: failure.exitCode, isAbsence: true)
            )
        } catch {
            return .failure(ClientFailure(message: "\(error)", exitCode: 1))
        }
    }

    private static func pages(_ station: ControlClient) async throws -> [TailReport] {
        var pages: [TailReport] = []
        var from: String?
        repeat {
            let request = ControlRequest(.tail).page(from: from)
            let page = try await station.ask(request, TailReport.self)
            pages.append(page)
            from = page.next
        } while from != nil
        return pages
    }

    init(_ pages: [TailReport]) {
        var tail = HistoryTail()
        let parts = pages.flatMap(\.parts)
        // The blocks are older than what none holds, which came first.
        for part in parts.filter({ $0.sequence != nil }) + parts.filter({ $0.sequence == nil }) {
            guard let boot = BootID(part.bootID) else { continue }
            if let sequence = part.sequence {
                tail.append(part.bytes, boot: boot, block: sequence)
            } else {
                tail.appendUnwritten(part.bytes, boot: boot, earliest: part.earliestSequence)
            }
        }
        self.tail = tail
        folder = pages.first?.folder
        now = pages.last.flatMap { page in
            page.bootID.flatMap { BootID($0) }.map {
                StoreMoment(boot: $0, tick: Tick(tenths: Int64(page.nowSeconds * 10)))
            }
        }
    }
}

extension StoreFolder {
    /// Opens the history with the records that are not in it yet.
    ///
    /// - Throws: `ClientFailure`.
    func reader(tail: HistoryTail) throws -> HistoryReader {
        do {
            let reader = try HistoryReader(path: historyPath, tail: tail)
            if reader.omitsLog {
                Output.error(
                    "\(historyPath): its log cannot be read, since the card is full or read-only; "
                        + "what it holds is not shown"
                )
            }
            return reader
        } catch { throw failure(error) }
    }

    /// What waits in the journal of this folder; empty when it is elsewhere.
    ///
    /// - Throws: `ClientFailure`.
    func journalTail() throws -> HistoryTail {
        let (cursor, newest): (UInt64, GapMark.Place?)
        do {
            let reader = try reader()
            (cursor, newest) = (try reader.cursor(), try reader.newestPlace())
        } catch let error as StoreError { throw failure(error) }
        guard access(ringPath, F_OK) == 0 else { return HistoryTail() }
        do {
            let storage = try FileBlockStorage(
                path: ringPath,
                blockSize: StoreConfiguration.blockSize,
                blockCount: nil,
                caching: .buffered,
                isReadOnly: true
            )
            let journal = try Journal(storage, reusableUpTo: cursor)
            return journal.tail(after: cursor, newest)
        } catch {
            Output.error("\(ringPath): \(error); what waits in it is not shown")
            return HistoryTail()
        }
    }

    /// Whether another path leads to the same folder.
    func isSame(as other: String) -> Bool {
        var (mine, theirs) = (stat(), stat())
        guard stat(path, &mine) == 0, stat(other, &theirs) == 0 else { return false }
        return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
    }
}

extension NodeClock {
    /// What `body` returns, or nil when it needs longer.
    func value<Value: Sendable>(
        within patience: Duration,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await self.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
