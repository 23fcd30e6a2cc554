import HardwareIO
import Synchronization

/// A folder in memory that keeps apart what is on the card and what a power cut undoes.
///
/// Names change in order: after a cut the first of them hold, and the others do not. Of a file that
/// was not synced anything may be there.
package final class SimulatedFolder: FolderFiles {
    /// The part of content not yet synced that survives a power cut.
    enum Unsynced: CaseIterable, Sendable {
        case nothing, half, all
    }

    private struct File {
        var bytes: [UInt8]
        var isSynced: Bool
    }

    private struct State {
        var files: [Int: File] = [:]
        var lastFile = 0
        var names: [String: Int] = [:]
        /// The names after each change since the last sync of the folder; the first is on the card.
        var history: [[String: Int]] = [[:]]
        var stepsLeft: Int?
        var error: StorageError?
    }

    private let state = Mutex(State())

    package init() {}

    /// Lets every step but the next so many fail, as after a power cut; nil lets all succeed.
    package func stop(after count: Int?) { state.withLock { $0.stepsLeft = count } }

    /// Lets every change fail with an error; nil lets it succeed again.
    package func refuse(with error: StorageError?) { state.withLock { $0.error = error } }

    /// How many outcomes a power cut has now.
    package var cutCount: Int {
        state.withLock { $0.history.count } * Unsynced.allCases.count
    }

    /// The folder after a power cut, with the outcome of this number.
    package func afterCut(_ number: Int) -> SimulatedFolder {
        let folder = SimulatedFolder()
        let (files, names) = state.withLock { state in
            (state.files, state.history[number / Unsynced.allCases.count])
        }
        let kept = Unsynced.allCases[number % Unsynced.allCases.count]
        folder.state.withLock { state in
            state.files = files.mapValues { file in
                let count =
                    switch kept {
                    case .nothing: 0
                    case .half: file.bytes.count / 2
                    case .all: file.bytes.count
                    }
                let bytes = file.isSynced ? file.bytes : Array(file.bytes.prefix(count))
                return File(bytes: bytes, isSynced: true)
            }
            state.lastFile = files.keys.max() ?? 0
            (state.names, state.history) = (names, [names])
        }
        return folder
    }

    /// Puts a content there, as if it had always been.
    package func put(_ bytes: [UInt8]?, as name: String) {
        state.withLock { state in
            state.lastFile += 1
            state.names[name] = bytes == nil ? nil : state.lastFile
            state.files[state.lastFile] = File(bytes: bytes ?? [], isSynced: true)
            state.history = [state.names]
        }
    }

    // MARK: FolderFiles

    package func read(_ name: String) throws(StorageError) -> [UInt8]? {
        state.withLock { state in state.names[name].flatMap { state.files[$0]?.bytes } }
    }

    package func write(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
        try change(name) { state in
            let number = state.names[name] ?? state.lastFile + 1
            state.lastFile = max(state.lastFile, number)
            state.files[number] = File(bytes: bytes, isSynced: false)
            guard state.names[name] == nil else { return }
            state.names[name] = number
            state.history.append(state.names)
        }
    }

    package func sync(_ name: String) throws(StorageError) {
        try change(name) { state in
            if let number = state.names[name] { state.files[number]?.isSynced = true }
        }
    }

    package func link(_ name: String, as other: String) throws(StorageError) {
        try change(name) { state in
            guard let number = state.names[name] else { return }
            state.names[other] = number
            state.history.append(state.names)
        }
    }

    package func rename(_ name: String, to other: String) throws(StorageError) {
        guard try read(name) != nil else { throw .absent(path: name) }
        try change(name) { state in
            state.names[other] = state.names.removeValue(forKey: name)
            state.history.append(state.names)
        }
    }

    package func remove(_ name: String) throws(StorageError) {
        try change(name) { state in
            guard state.names.removeValue(forKey: name) != nil else { return }
            state.history.append(state.names)
        }
    }

    package func syncFolder() throws(StorageError) {
        try change("") { state in state.history = [state.names] }
    }

    private func change(_ name: String, _ body: (inout State) -> Void) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            if let error = state.error { throw error }
            if let left = state.stepsLeft {
                guard left > 0 else { throw .failed(call: "power cut", errno: 5, path: name) }
                state.stepsLeft = left - 1
            }
            body(&state)
        }
    }
}
