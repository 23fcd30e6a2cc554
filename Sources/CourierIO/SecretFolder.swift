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
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SecretError(name, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SecretError(name, "\(path) is no file")
        }
        guard !isOurs || status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw SecretError(
                name,
                "\(path) has mode 0\(mode), so that others may read it: chmod 600 \(path), and "
                    + "change the secret if they may have"
            )
        }
        var buffer = [UInt8](repeating: 0, count: Self.byteLimit + 1)
        var count = 0
        while count < buffer.count {
            let room = buffer.count - count
            let got = buffer.withUnsafeMutableBytes { bytes in
                Glibc.read(descriptor, bytes.baseAddress.map { $0 + count }, room)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                let why = String(cString: strerror(errno))
                throw SecretError(name, "\(path) cannot be read: \(why)")
            }
            guard got > 0 else { break }
            count += got
        }
        defer {
            buffer.withUnsafeMutableBytes { bytes in
                if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
            }
        }
        guard count <= Self.byteLimit else {
            throw SecretError(name, "\(path) is longer than 64 KiB: it is no secret")
        }
        var bytes = buffer[..<count]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw SecretError(name, "\(path) is empty") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SecretError(name, "\(path) is no text")
        }
        return Secret(text)
    }
}
