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
        let path = "\(folder)/\(name)"
        let temporary = "\(folder)/.\(name).new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(name, temporary) }
        defer { close(descriptor) }
        let bytes = Array(secret.reveal().utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(name, temporary) }
            written += count
        }
        if geteuid() == 0, let entry = getpwnam(Self.user) {
            guard fchown(descriptor, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0 else {
                throw failure(name, temporary)
            }
        }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw failure(name, path)
        }
        try settle(folder, name)
    }

    package func remove(_ name: SecretName) throws(SecretError) {
        guard unlink("\(folder)/\(name)") == 0 else { throw failure(name, "\(folder)/\(name)") }
        try settle(folder, name)
    }

    /// Syncs the names in a folder, so that no loss of power undoes a change of a secret.
    private func settle(_ folder: String, _ name: SecretName) throws(SecretError) {
        let place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard place >= 0 else { throw failure(name, folder) }
        defer { close(place) }
        guard fsync(place) == 0 else { throw failure(name, folder) }
    }

    /// Names of the secrets, with the age of each in seconds; empty without a folder.
    package var all: [(name: SecretName, ageSeconds: Double)] {
        get throws(SecretError) {
            guard let stream = opendir(folder) else {
                if errno == ENOENT { return [] }
                let why = String(cString: strerror(errno))
                throw SecretError(nil, "\(folder) cannot be read: \(why); use sudo")
            }
            defer { closedir(stream) }
            var found: [(name: SecretName, ageSeconds: Double)] = []
            while let entry = readdir(stream) {
                let text = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                var status = stat()
                guard let name = SecretName(text), stat("\(folder)/\(text)", &status) == 0 else {
                    continue
                }
                found.append((name, Double(max(0, time(nil) - status.st_mtim.tv_sec))))
            }
            return found.sorted { $0.name.text < $1.name.text }
        }
    }

    private func makeFolder(_ name: SecretName) throws(SecretError) {
        guard access(folder, F_OK) != 0 else { return }
        guard mkdir(folder, 0o700) == 0 else { throw failure(name, folder) }
        if geteuid() == 0, let entry = getpwnam(Self.user) {
            guard chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0 else {
                throw failure(name, folder)
            }
        }
        let parent = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        try settle(parent.isEmpty ? "." : parent.joined(separator: "/") + "/", name)
    }

    private func failure(_ name: SecretName, _ path: String) -> SecretError {
        let next = errno == EACCES || errno == EPERM ? "; use sudo" : ""
        return SecretError(name, "\(path): \(String(cString: strerror(errno)))\(next)")
    }
}
