import Store
import StoreQueries
import Synchronization

/// Runs work that waits for a card: on a thread in the program, in the caller in a simulation.
package protocol DiskWork: Sendable {
    /// - Throws: Errors of `body`; `CancellationError`.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value
}

/// The history of the station's store, open for reading.
package final class HistoryDisk: Sendable {
    /// Opens a history from a store's folder and the records that are not in it yet.
    package typealias Open = @Sendable (String, HistoryTail) throws -> HistoryReader

    private let disk: any DiskWork
    private let open: Open
    /// The open history; it is used only on the disk's thread.
    private let cached = Mutex<HistoryReader?>(nil)

    package init(
        on disk: any DiskWork,
        open: @escaping Open = { try StoreFolder(path: $0).reader(tail: $1) }
    ) {
        (self.disk, self.open) = (disk, open)
    }

    /// Makes a second reader on the same disk, for a history opened at other times.
    func sibling() -> HistoryDisk { HistoryDisk(on: disk, open: open) }

    /// Opens a history in place of the open one.
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

    /// Closes the history, so that the station may replace its files.
    func close() async throws {
        try await disk.run { [self] in cached.withLock { $0 = nil } }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (HistoryReader) throws -> Value,
        opening: (@Sendable () throws -> HistoryReader)?
    ) async throws -> Value {
        try await disk.run { [self] in
            try cached.withLock { cached in
                if let opening {
                    cached = nil
                    cached = try opening()
                }
                guard let reader = cached else {
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
