import Configuration
import ControlProtocol
import HardwareIO
import Synchronization

/// Stores the owner's settings: one change at a time, on the card before it is in use.
final class OwnerSettingsStore: Sendable {
    private struct State {
        var overlay: StationOverlay
        /// Whether a change is being written.
        var isBusy = false
    }

    private let platform: any Platform
    private let state: Mutex<State>

    init(_ overlay: StationOverlay, on platform: any Platform) {
        self.platform = platform
        state = Mutex(State(overlay: overlay))
    }

    /// The owner's settings in use.
    var overlay: StationOverlay { state.withLock { $0.overlay } }

    /// Replaces the overlay.
    ///
    /// - Parameters:
    ///   - folder: Where it is kept, beside the store; nil refuses the change.
    ///   - make: Makes the next overlay from the present one, and checks it.
    ///   - apply: Puts it in use, once it is on the card.
    /// - Returns: The changes, in the order of their keys; empty for none.
    /// - Throws: `ControlFailure`: nothing was changed. `CancellationError` when the station stops.
    func change(
        in folder: String?,
        _ make: (StationOverlay) throws(ControlFailure) -> StationOverlay,
        then apply: (StationOverlay) -> Void
    ) async throws -> [StationOverlay.Change] {
        let before = try begin()
        defer { state.withLock { $0.isBusy = false } }
        let next = try make(before)
        guard next != before else { return [] }
        guard let folder else {
            throw ControlFailure(
                code: .notOffered,
                message: "the station has no store that could remember it; add \"store\": {} to "
                    + "its configuration"
            )
        }
        guard next.text.count <= FolderFilesLimit.byteMax else {
            throw ControlFailure(code: .badRequest, message: "more settings than 64 KiB")
        }
        let platform = platform
        do {
            try await platform.onDisk {
                try OverlayFile(platform.files(in: folder)).replace(with: next)
            }
        } catch let error as StorageError {
            throw ControlFailure(code: .store, message: "not changed; the card: \(error)")
        }
        state.withLock { $0.overlay = next }
        apply(next)
        return before.changes(to: next)
    }

    private func begin() throws(ControlFailure) -> StationOverlay {
        try state.withLock { state throws(ControlFailure) in
            guard !state.isBusy else {
                throw ControlFailure(
                    code: .busy,
                    message: "another change is being written to the card; try again"
                )
            }
            state.isBusy = true
            return state.overlay
        }
    }
}
