import HardwareIO

/// The file of a station's overlay, `settings.json` beside the store.
///
/// A change is written to a new file, which takes the place of the old one in one step; the one
/// before it stays as `settings.json.last`. So a power cut leaves the old or the new content.
package struct OverlayFile: Sendable {
    package static let name = "settings.json"
    /// The content before the last change.
    static let last = "settings.json.last"
    static let new = "settings.json.new"
    /// A damaged file, for people to look at; the newest one.
    static let damaged = "settings.json.damaged"

    private let files: any FolderFiles

    package init(_ files: any FolderFiles) { self.files = files }

    /// Content of the file.
    package struct Stored: Hashable, Sendable {
        package var overlay = StationOverlay()
        /// Why the file could not be used, as a sentence without its full stop; nil when it could.
        package var trouble: String?

        package init(_ overlay: StationOverlay = StationOverlay(), trouble: String? = nil) {
            (self.overlay, self.trouble) = (overlay, trouble)
        }
    }

    /// Reads the file, or the one before it where it is damaged.
    ///
    /// A file that is not there is no trouble: nothing was changed, or a person removed it.
    package func read() -> Stored {
        do {
            return Stored(try overlay(Self.name) ?? StationOverlay())
        } catch {
            let words = "the settings cannot be read: \(error)"
            do {
                guard let before = try overlay(Self.last) else {
                    return Stored(trouble: "\(words); the station runs without them")
                }
                return Stored(before, trouble: "\(words); those before the last change are used")
            } catch {
                return Stored(trouble: "\(words), nor those before; the station runs without them")
            }
        }
    }

    private func overlay(_ name: String) throws -> StationOverlay? {
        guard let text = try files.read(name) else { return nil }
        return try StationOverlay.read(text, file: name)
    }

    /// Replaces the content, on the card when it returns.
    ///
    /// - Throws: `StorageError`: the old content is still there.
    package func replace(with overlay: StationOverlay) throws(StorageError) {
        try files.write(Self.new, overlay.text)
        try files.sync(Self.new)
        do throws(StorageError) {
            try files.remove(Self.last)
            try files.link(Self.name, as: Self.last)
        } catch .noPermission {
            // A file system without second names keeps none.
        }
        try files.rename(Self.new, to: Self.name)
        try files.syncFolder()
    }

    /// Moves a damaged file out of the way, and puts what is used in its place.
    package func setAside(for overlay: StationOverlay) throws(StorageError) {
        try files.rename(Self.name, to: Self.damaged)
        try files.write(Self.new, overlay.text)
        try files.sync(Self.new)
        try files.rename(Self.new, to: Self.name)
        try files.syncFolder()
    }
}
