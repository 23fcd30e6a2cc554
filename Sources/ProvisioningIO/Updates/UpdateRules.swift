import HardwareIO
import Provisioning

/// Whether a signed update is for a station, decided before anything is written.
package struct UpdateRules: Hashable, Sendable {
    package let board: String
    package let layout: Int
    package let version: String
    /// Steps of the store's schema on the card, or that the present version would make; nil
    /// without a store.
    package let storeSchema: Int?
    /// Bytes of the partition that would be written.
    package let partitionByteCount: Int
    package let trial: TrialState
    /// Whether the owner asked for an older version by name.
    package let allowsOlder: Bool

    package init(
        board: String,
        layout: Int,
        version: String,
        storeSchema: Int?,
        partitionByteCount: Int,
        trial: TrialState,
        allowsOlder: Bool = false
    ) {
        self.board = board
        self.layout = layout
        self.version = version
        self.storeSchema = storeSchema
        self.partitionByteCount = partitionByteCount
        self.trial = trial
        self.allowsOlder = allowsOlder
    }

    /// - Throws: `UpdateError.refused` with what to do instead.
    package func check(_ manifest: UpdateManifest) throws(UpdateError) {
        if let reason = refusal(manifest) { throw .refused(reason) }
    }

    private func refusal(_ update: UpdateManifest) -> String? {
        let name = PlainText.shown(update.version)
        if case .onTrial = trial {
            return "the present version is on trial itself: wait until `roost update status` calls "
                + "it good, or take it back with `sudo roost update rollback`, which can close the "
                + "dashboard (`roost update rollback --help`)"
        }
        if update.board != board {
            return "version \(name) is for \(PlainText.shown(update.board)), and this is "
                + "\(board): take the file for this board"
        }
        if update.layout != layout {
            return "version \(name) is for cards of layout \(update.layout), and this one has "
                + "layout \(layout): write a new card, and keep the old one for its history"
        }
        if !allowsOlder, VersionOrder.isOlder(update.version, than: version) {
            return "version \(name) is older than \(version), which runs, and has the mistakes "
                + "that were mended since: `sudo roost update rollback` goes back by one; for "
                + "this file type `sudo roost update install --allow-downgrade`; both can close "
                + "the dashboard (`roost update rollback --help`)"
        }
        if VersionOrder.isOlder(version, than: update.minimumFrom) {
            return "version \(name) follows \(PlainText.shown(update.minimumFrom)) or later, and "
                + "this is \(version): install a version in between first"
        }
        if let storeSchema, update.storeSchema < storeSchema {
            return "version \(name) is older than the store: it knows \(update.storeSchema) steps "
                + "of its schema, and the store has \(storeSchema); save the history first "
                + "(`roost export`), then write a new card"
        }
        if update.root.size > partitionByteCount {
            return "version \(name) has \(update.root.size >> 20) MiB, and the partition for it "
                + "\(partitionByteCount >> 20): write a new card"
        }
        return nil
    }
}
