import FileIO
import Glibc
import RoostCourier

/// Stores and removes secrets, for the administrator.
package struct SecretStore {
    private static let user = "roost-courier"

    private let folder: String

    package init(folder: String) { self.folder = folder }

    /// Replaces a secret atomically, readable only by the courier's user.
    ///
    /// The folder is made if it is not there.
    package func store(_ secret: Secret, as name: SecretName) throws(SecretError) {
        try makeFolder(name)
        let bytes = Array(secret.reveal().utf8)
        try attempt(name) { () throws(FileError) in
            try Files.replace("\(folder)/\(name)", with: bytes, mode: 0o600, owner: owner)
        }
    }

    package func remove(_ name: SecretName) throws(SecretError) {
        guard unlink("\(folder)/\(name)") == 0 else { throw failure(name, "\(folder)/\(name)") }
        // Without that a loss of power brings it back.
        try attempt(name) { () throws(FileError) in try Files.sync(folder: folder) }
    }

    /// The courier's user, where this process may give it files.
    private var owner: FileOwner? { geteuid() == 0 ? FileOwner(named: Self.user) : nil }

    /// Names of the secrets, with the age of each in seconds; empty without a folder.
    package var all: [(name: SecretName, ageSeconds: Double)] {
        get throws(SecretError) {
            let names: [String]
            do { names = try Files.names(in: folder) } catch {
                guard error.code != ENOENT else { return [] }
                throw SecretError(nil, "\(folder) cannot be read: \(error.text); use sudo")
            }
            return names.compactMap { text in
                var status = stat()
                guard let name = SecretName(text), stat("\(folder)/\(text)", &status) == 0 else {
                    return nil
                }
                return (name, Double(max(0, time(nil) - status.st_mtim.tv_sec)))
            }
        }
    }

    private func makeFolder(_ name: SecretName) throws(SecretError) {
        guard access(folder, F_OK) != 0 else { return }
        guard mkdir(folder, 0o700) == 0 else { throw failure(name, folder) }
        if let owner, chown(folder, owner.user, owner.group) != 0 { throw failure(name, folder) }
        try attempt(name) { () throws(FileError) in
            try Files.sync(folder: Files.folder(of: folder))
        }
    }

    private func attempt(
        _ name: SecretName,
        _ body: () throws(FileError) -> Void
    ) throws(SecretError) {
        do { try body() } catch { throw failure(name, error) }
    }

    private func failure(_ name: SecretName, _ path: String) -> SecretError {
        failure(name, FileError(path, .system(call: "", code: errno)))
    }

    private func failure(_ name: SecretName, _ error: FileError) -> SecretError {
        let next = error.code == EACCES || error.code == EPERM ? "; use sudo" : ""
        return SecretError(name, "\(error)\(next)")
    }
}
