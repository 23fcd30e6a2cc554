import ControlProtocol
import Core
import HardwareIO
import Store
import Synchronization

/// Carries out `sendImport` and `importFile`: a file of another program goes into the history.
///
/// One file at a time. It lies on the card beside the store until it is imported, or another one
/// begins. An import goes on only as long as it is asked for: a client that went away, or a
/// station that stops, leaves what came in until then, and the same file brings the rest.
final class ControlFileImport: Sendable {
    /// How long one question goes on with an import, and in how many pieces at most.
    private static let (patience, piecesMax) = (Duration.seconds(1), 64)

    private struct State {
        var isBusy = false
        /// The number of the file that arrives or has arrived.
        var file: Int?
        /// The import that goes on with the next question; it holds some MiB, until another begins.
        var run: FileImportRun?
    }

    private let station: StationContext
    private let store: StoreClient
    private let clock: ControlClock
    private let folder: String?
    private let state = Mutex(State())

    init(station: StationContext, store: StoreClient, clock: ControlClock, folder: String?) {
        (self.station, self.store, self.clock) = (station, store, clock)
        self.folder = folder
    }

    private func file() throws(ControlFailure) -> any ArrivingFile {
        guard let folder, store.isOpen else {
            throw ControlFailure(code: .notOffered, message: "no store is open that takes values")
        }
        return station.platform.arrivingFile(in: folder)
    }

    /// Does one thing at a time with the file.
    private func alone<Value>(_ body: () async throws -> Value) async throws -> Value {
        let isFirst = state.withLock { state in
            defer { state.isBusy = true }
            return !state.isBusy
        }
        guard isFirst else {
            throw ControlFailure(
                code: .busy,
                message: "another file is being imported; try again",
                .importBusy
            )
        }
        defer { state.withLock { $0.isBusy = false } }
        return try await body()
    }

    /// Adds a piece to the file; what was under way with the file before is over.
    ///
    /// - Throws: `ControlFailure`: `conflict` for a piece that does not follow, `store` without
    ///   room.
    func add(_ question: SendImport) async throws -> ImportArrivalReport {
        let file = try file()
        return try await alone {
            let isOther = state.withLock { state in
                state.run = nil
                defer { if question.at == 0 { state.file = question.file } }
                return question.at > 0 && state.file != question.file
            }
            guard !isOther else { throw Self.anotherFile("/file") }
            do {
                return try await station.platform.onDisk {
                    let there = question.at == 0 ? 0 : file.byteCount
                    guard there == question.at else {
                        throw ControlFailure(
                            code: .conflict,
                            message: "the next piece begins at \(there), not at \(question.at)",
                            pointer: "/at",
                            .importBroken
                        )
                    }
                    let bytes = question.bytes
                    try file.add(bytes, isFirst: there == 0)
                    return ImportArrivalReport(byteCount: there + bytes.count)
                }
            } catch let error as StorageError {
                throw ControlFailure(
                    code: .store,
                    message: "the file is not kept; \(error)",
                    error.isFull ? .importRoom : nil
                )
            }
        }
    }

    /// Goes on with an import, or begins it.
    ///
    /// - Returns: With `part` where the same question has to be asked again.
    /// - Throws: `ControlFailure`; the import is over then.
    func run(
        _ question: ImportSentFile,
        by asker: ControlAsker
    ) async throws -> ImportedFileReport {
        let file = try file()
        guard let opened = store.opened else {
            throw ControlFailure(code: .notOffered, message: "no store is open that takes values")
        }
        let report = try await alone {
            guard state.withLock({ $0.file == question.file ?? 0 }) else {
                throw Self.anotherFile("/file")
            }
            let begun = state.withLock { state in
                defer { state.run = nil }
                return state.run.flatMap { $0.question == question ? $0 : nil }
            }
            // What lies ahead of a clock that is not sure cannot be known.
            let now = clock.wallReading.flatMap { $0.trust.isSure ? $0.wall : nil }
            var imported = 0
            do {
                var run = begun
                if run == nil {
                    run = try await station.platform.onDisk {
                        try FileImportRun(question, file, now: now)
                    }
                }
                guard let run else { preconditionFailure("it was made") }
                imported = run.importedCount
                let until = station.clock.now.advanced(by: Self.patience)
                var report = try await opened.importing(run)
                for _ in 1..<Self.piecesMax where report.part != nil {
                    imported = run.importedCount
                    guard station.clock.now < until else { break }
                    try Task.checkCancellation()
                    report = try await opened.importing(run)
                }
                if report.part != nil { state.withLock { $0.run = run } }
                return report
            } catch { throw Self.failure(error, after: imported) }
        }
        if report.part == nil, !report.isTrial, report.refusal == nil, report.samples > 0 {
            asker.record(
                .fileImported,
                [Event.Detail("count", "\(report.samples)")],
                at: station.clock.now,
                in: station.recorder
            )
        }
        return report
    }

    private static func anotherFile(_ pointer: String) -> ControlFailure {
        ControlFailure(
            code: .conflict,
            message: "another file was sent meanwhile; send this one again",
            pointer: pointer,
            .importBroken
        )
    }

    private static func failure(_ error: any Error, after count: Int) -> any Error {
        let begun =
            count == 0
            ? "nothing was imported"
            : "only \(count) samples were imported; the same file brings the rest"
        return switch error {
        case let error as StoreError:
            ControlFailure(
                code: .store,
                message: "\(begun); \(error)",
                count == 0 && error.isHistoryFull ? .importRoom : nil
            )
        case is StorageError, is ImportError:
            ControlFailure(code: .store, message: "\(begun); \(error)")
        case let error as ImportDatabase.Refusal:
            ControlFailure(
                code: .badRequest,
                message: "\(begun); \(error)",
                pointer: "/file",
                error.reason
            )
        default: error
        }
    }
}

extension ImportDatabase.Refusal {
    fileprivate var reason: RefusalReason {
        switch self {
        case .history: .importHistory
        case .foreign: .importForeign
        case .damaged: .importDamaged
        }
    }
}

extension StorageError {
    fileprivate var isFull: Bool { if case .full = self { true } else { false } }
}
