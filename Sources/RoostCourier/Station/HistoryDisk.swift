import Store
import StoreQueries
import Synchronization

/// Runs what waits for a card beside the loop: a thread in the program, the caller in a simulation.
package protocol DiskWork: Sendable {
    /// - Throws: Errors of `body`; `CancellationError`.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value
}

/// The history of the station's store, open for reading.
package final class HistoryDisk: Sendable {
    /// Opens a history: a store's folder, and the records that it does not have yet.
    package typealias Open = @Sendable (String, HistoryTail) throws -> HistoryReader

    private let disk: any DiskWork
    private let open: Open
    /// Used on the disk's thread alone.
    private let shelf = Mutex<HistoryReader?>(nil)

    package init(
        on disk: any DiskWork,
        open: @escaping Open = { try StoreFolder(path: $0).reader(tail: $1) }
    ) {
        (self.disk, self.open) = (disk, open)
    }

    /// Another place on the same disk, for a history that is opened at other times.
    package func sibling() -> HistoryDisk { HistoryDisk(on: disk, open: open) }

    /// Opens a history in place of the one that was open.
    ///
    /// - Throws: `StoreUnreadable`; `CancellationError`.
    func reopen(_ folder: String, _ tail: HistoryTail) async throws {
        try await run {
            _ = $0
        } opening: { [open] in
            try open(folder, tail)
        }
    }

    /// Reads the history that is open.
    ///
    /// - Throws: `StoreUnreadable`; what `body` throws; `CancellationError`.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (HistoryReader) throws -> Value
    ) async throws -> Value {
        try await run(body, opening: nil)
    }

    /// Closes it, so that the station may replace its files.
    func close() async throws {
        try await disk.run { [self] in shelf.withLock { $0 = nil } }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (HistoryReader) throws -> Value,
        opening: (@Sendable () throws -> HistoryReader)?
    ) async throws -> Value {
        try await disk.run { [self] in
            try shelf.withLock { shelf in
                if let opening {
                    shelf = nil
                    shelf = try opening()
                }
                guard let reader = shelf else {
                    throw StationDown("the history is not open")
                }
                do { return try body(reader) } catch let error as StoreError {
                    let path = reader.path.split(separator: "/").dropLast().joined(separator: "/")
                    throw StoreFolder(path: "/" + path).unreadable(error)
                }
            }
        }
    }
}
