import Configuration
import Devices
import FileIO
import Glibc
import LinuxIO
import Profiles
import Station

/// The files that a station goes by: its configuration, and the owner's profiles.
package struct StationFiles: Sendable {
    /// Settings and profiles read from the files.
    package struct Contents: Sendable {
        package let configuration: StationConfiguration
        /// Every profile, with what is wrong in the owner's folder.
        package let catalog: ProfileCatalog
        /// A notice for the start; nil when there is none.
        package let note: String?

        /// The owner's settings, which lie beside the store; none without one.
        ///
        /// They are read at a start alone: the station is the only one that writes them.
        package func stored() -> OverlayFile.Stored {
            guard let folder = configuration.store?.folder else { return OverlayFile.Stored() }
            let file = OverlayFile(LinuxFolder(folder))
            var stored = file.read()
            guard let trouble = stored.trouble else { return stored }
            do { try file.setAside(for: stored.overlay) } catch {
                stored.trouble = "\(trouble), and cannot be moved aside: \(error)"
            }
            return stored
        }
    }

    /// Bytes of a configuration at most.
    private static let byteLimit = 1 << 20
    /// The default folder.
    package static let standardPath = "/etc/roost/roost.json"

    /// Path of the configuration.
    package let path: String
    /// Folder of profiles in place of the one that the configuration names.
    package let profiles: String?
    /// Whether a configuration must be there.
    private let isNamed: Bool

    /// The files of a station.
    ///
    /// - Parameters:
    ///   - path: Of the configuration; nil is the standard one, which need not be there: such a
    ///     station uses what is plugged in.
    ///   - profiles: Folder of profiles in place of the one that the configuration names.
    package init(path: String? = nil, profiles: String? = nil) {
        (self.path, self.profiles) = (path ?? Self.standardPath, profiles)
        isNamed = path != nil
    }

    /// Reads the profiles, then the configuration that uses them.
    ///
    /// A broken profile is left out and named in the catalog; it fails nothing but a device that
    /// needs it.
    ///
    /// - Throws: `ConfigurationError` that names the file, the place and the reason.
    package func read() throws(ConfigurationError) -> Contents {
        let found = try text()
        let text = found ?? Array("{}".utf8)
        let folder = profiles ?? StationConfiguration.profileFolder(in: text)
        let catalog = Self.catalog(folder)
        let configuration = try StationConfiguration.read(
            text,
            file: path,
            profiles: catalog.profiles,
            broken: catalog.broken,
            board: catalog.board(model: MachineFacts.read().model)
        )
        let note =
            found == nil
            ? "\(path) is not there: the station uses what is plugged in, and stores nothing" : nil
        return Contents(configuration: configuration, catalog: catalog, note: note)
    }

    /// The shipped profiles with those of a folder over them; nil means the standard folder.
    package static func catalog(_ folder: String?) -> ProfileCatalog {
        ProfileCatalog(
            overlay: ProfileFolder.files(
                folder ?? ProfileCatalog.standardFolder,
                isNamed: folder != nil
            ),
            reader: .checking
        )
    }

    /// At most 1 MiB and a little more, which the reader refuses; nil when it need not be there.
    ///
    /// Never waits for a writer: what is no regular file, such as a pipe, is refused.
    private func text() throws(ConfigurationError) -> [UInt8]? {
        do {
            return try Files.open(path, allowing: .links).read(Self.byteLimit + 1)
        } catch {
            if error.code == ENOENT, !isNamed { return nil }
            throw ConfigurationError(file: path, message: "cannot be read: \(error.text)")
        }
    }
}
