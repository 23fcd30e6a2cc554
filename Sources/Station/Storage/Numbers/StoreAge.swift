import ControlProtocol
import Core
import HardwareIO
import Store
import Synchronization

/// How old the store is, as the claim window asks.
final class StoreAge: Sendable {
    private struct State {
        /// Whether this process made the store.
        var isNew = false
        var folder: String?
        var birth: StoreCreation?
    }

    /// Name of a file beside the store: it marks a store that replaced a lost one.
    ///
    /// Nothing says then who owned the station. The start of an image makes it.
    ///
    /// - Source: packaging/image/memory-disk/init.
    static let lossMark = "made-anew"

    private let bornAt: MonotonicInstant
    private let state = Mutex(State())

    /// - Parameter bornAt: When the node began to run: a store that it makes is as old.
    init(bornAt: MonotonicInstant) { self.bornAt = bornAt }

    /// Records whether this process made the store, and in which folder.
    func set(isNew: Bool, in folder: String?) {
        state.withLock { ($0.isNew, $0.folder) = (isNew, folder) }
    }

    /// Whether the store is younger than a day; false while that is not known.
    func isYoung(in context: StationContext, _ wall: WallTime?) -> Bool {
        let birth = state.withLock { $0.birth }
        return birth?.isYoung(at: context.clock.now, wall: wall, in: context.bootID) ?? false
    }

    /// Stores when the store was made, only with `claim.window`; an event reports a failure.
    func keep(
        in store: OpenStore?,
        of context: StationContext,
        _ wall: WallTime?
    ) async {
        guard context.claims.followsPowerOn, let store else { return }
        let (now, boot) = (context.clock.now, context.bootID)
        do {
            let all = try await store.settings()
            if context.claims.isFirst(in: boot, noted: all[ClaimWindow.bootKey]) {
                try await store.set(ClaimWindow.bootKey, "\(boot)")
            }
            let kept = all[StoreCreation.key].flatMap(StoreCreation.init)
            var birth = kept
            if try await wasGivenAway(on: context.platform) {
                birth = StoreCreation(boot: boot, at: bornAt)
            } else if kept == nil, try await isFirst(on: context.platform) {
                birth = StoreCreation(boot: boot, at: bornAt)
            }
            if let wall { birth?.date(wall, at: now, in: boot) }
            if let birth, birth != kept { try await store.set(StoreCreation.key, birth.text) }
            let made = birth
            state.withLock { $0.birth = made }
        } catch is CancellationError {
            return
        } catch {
            context.record(.settingLost, .error, ["setting": StoreCreation.key])
        }
    }

    /// Whether a reset gave the station away since it last ran: it is as new then, once.
    private func wasGivenAway(on platform: any Platform) async throws -> Bool {
        guard let folder = state.withLock({ $0.folder }) else { return false }
        return try await platform.onDisk { [mark = ClaimWindowReport.givenAwayMark] in
            let files = platform.files(in: folder)
            guard try files.read(mark) != nil else { return false }
            try files.remove(mark)
            try files.syncFolder()
            return true
        }
    }

    /// Whether this process made the store, and none was lost before it.
    private func isFirst(on platform: any Platform) async throws -> Bool {
        let (isNew, folder) = state.withLock { ($0.isNew, $0.folder) }
        guard isNew, let folder else { return false }
        return try await platform.onDisk { [mark = Self.lossMark] in
            try platform.files(in: folder).read(mark) == nil
        }
    }
}
