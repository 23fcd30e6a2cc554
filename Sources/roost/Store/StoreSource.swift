import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import Store
import StoreQueries

/// Options that choose a store, and the station that may be writing to it.
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
    let now: StoreTime?

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
            do {
                (reader, now) = (try folder.reader(tail: tail.tail, tell: Output.error), tail.now)
            } catch {
                throw withoutStore("\(error)") ?? ClientFailure(error)
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
        do {
            let tail = try folder.journalTail(tell: Output.error)
            reader = try folder.reader(tail: tail, tell: Output.error)
        } catch { throw ClientFailure(error) }
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

extension StationTail {
    /// Asks for all pages.
    static func ask(_ client: ClientOptions) -> Result<StationTail, ClientFailure> {
        do {
            let tail = try client.withStation { station in
                try await StationTail { try await station.ask($0) }
            }
            return .success(tail)
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
}

/// Runs a body and turns the store's errors into messages.
func withStore<Value>(_ folder: StoreFolder, _ body: () throws -> Value) throws -> Value {
    do { return try folder.reading(body) } catch let error as StoreUnreadable {
        throw ClientFailure(error)
    }
}

extension ClientFailure {
    init(_ error: StoreUnreadable) {
        self.init(message: error.message, exitCode: error.isForbidden ? unavailableExitCode : 1)
    }
}
