import Glibc

/// A folder whose files one user alone may read.
package struct PrivateFolder {
    /// The user whose secrets are in `/etc/roost/secrets`.
    package static let courier = "roost-courier"

    private let path: String
    /// Who gets the folder and the files; nil for the user of the process.
    private let owner: FileOwner?

    /// - Parameter ownerNamed: A user of this machine, for whom only root makes files.
    package init(_ path: String, ownerNamed user: String) {
        self.path = path
        owner = geteuid() == 0 ? FileOwner(named: user) : nil
    }

    /// Replaces a file in one step; the folder is made if it is not there.
    package func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
        try make()
        try Files.replace("\(path)/\(name)", with: bytes, mode: 0o600, owner: owner)
    }

    private func make() throws(FileError) {
        guard access(path, F_OK) != 0 else { return }
        guard mkdir(path, 0o700) == 0 else { throw FileError("mkdir", path) }
        if let owner, chown(path, owner.user, owner.group) != 0 { throw FileError("chown", path) }
        try Files.sync(folder: Files.folder(of: path))
    }
}
