import Core
import FileIO
import Glibc
import RoostCourier

/// Stores and removes secrets, for the administrator.
package struct SecretStore {
    private let folder: String

    package init(folder: String) { self.folder = folder }

    /// Replaces a secret atomically, readable only by the courier's user.
    ///
    /// The folder is made if it is not there.
    package func store(_ secret: Secret, as name: SecretName) throws(SecretError) {
        try attempt(name) { () throws(FileError) in
            try PrivateFolder(folder, ownerNamed: PrivateFolder.courier)
                .replace(name.text, with: Array(secret.reveal().utf8))
        }
    }

    package func remove(_ name: SecretName) throws(SecretError) {
        let path = "\(folder)/\(name)"
        guard unlink(path) == 0 else {
            throw failure(name, FileError(path, .system(call: "", code: errno)))
        }
        // Without that a loss of power brings it back.
        try attempt(name) { () throws(FileError) in try Files.sync(folder: folder) }
    }

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

    private func attempt(
        _ name: SecretName,
        _ body: () throws(FileError) -> Void
    ) throws(SecretError) {
        do { try body() } catch { throw failure(name, error) }
    }

    private func failure(_ name: SecretName, _ error: FileError) -> SecretError {
        let next = error.code == EACCES || error.code == EPERM ? "; use sudo" : ""
        return SecretError(name, "\(error)\(next)")
    }
}
