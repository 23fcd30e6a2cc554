import Core
import FileIO
import Glibc
import RoostCourier

/// Reads secrets from files: systemd's credentials first, then a folder of the administrator.
///
/// A file's last newline does not count. A file that other users may read is refused, since it is
/// not secret.
package struct SecretFolder: SecretSource {
    /// Bytes of a secret at most.
    package static let byteLimit = 64 << 10
    package static let standard = "/etc/roost/secrets"

    private let credentials: String?
    private let folder: String

    /// - Parameters:
    ///   - credentials: `$CREDENTIALS_DIRECTORY`; nil without one.
    package init(credentials: String?, folder: String = standard) {
        (self.credentials, self.folder) = (credentials, folder)
    }

    /// Makes the folder with the credentials that systemd gave this process.
    package static func ofProcess(_ folder: String) -> SecretFolder {
        let credentials = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
        return SecretFolder(credentials: credentials, folder: folder)
    }

    package func secret(_ name: SecretName) throws(SecretError) -> Secret {
        // systemd itself protects its folder, so the files' modes are not checked.
        if let credentials, let found = try read("\(credentials)/\(name)", name, isOurs: false) {
            return found
        }
        if let found = try read("\(folder)/\(name)", name, isOurs: true) { return found }
        throw SecretError(
            name,
            "the secret \(name) is missing: there is no \(folder)/\(name); store it with "
                + "`sudo roost secret set \(name)`"
        )
    }

    private func read(
        _ path: String,
        _ name: SecretName,
        isOurs: Bool
    ) throws(SecretError) -> Secret? {
        let found: [UInt8]?
        do {
            found =
                isOurs
                ? try Files.readSecret(path, limit: Self.byteLimit, allowing: .links)
                : try Files.readIfThere(path, limit: Self.byteLimit, allowing: .links)
        } catch {
            if case .shared = error.reason {
                throw SecretError(name, "\(error), and change the secret if they may have")
            }
            throw SecretError(name, "\(error)")
        }
        guard var bytes = found else { return nil }
        defer {
            bytes.withUnsafeMutableBytes { buffer in
                if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
            }
        }
        var length = bytes.count
        if length > 0, bytes[length - 1] == UInt8(ascii: "\n") { length -= 1 }
        if length > 0, bytes[length - 1] == UInt8(ascii: "\r") { length -= 1 }
        guard length > 0 else { throw SecretError(name, "\(path) is empty") }
        guard let text = String(validating: bytes[..<length], as: UTF8.self) else {
            throw SecretError(name, "\(path) is no text")
        }
        return Secret(text)
    }
}
