import Glibc
import Profiles

/// The owner's profiles on disk.
package enum ProfileFolder {
    /// Every `.json` of a folder in order of name, besides the schema and hidden files such as an
    /// editor's; none when it is not there.
    ///
    /// A file that cannot be read is among them, with the reason. Never waits: a file that is not
    /// regular is refused, so a pipe in the folder blocks nothing. At most one file more than a
    /// catalog holds is read.
    ///
    /// - Parameters:
    ///   - isNamed: The owner named it, so its absence is a problem as well.
    /// - Returns: The files, in order of name.
    package static func files(_ folder: String, isNamed: Bool = false) -> [ProfileFile] {
        guard let stream = opendir(folder) else {
            let reason = errno
            return reason == ENOENT && !isNamed
                ? []
                : [ProfileFile(path: folder, unreadable: text(reason))]
        }
        defer { closedir(stream) }
        var names: [String] = []
        var unreadable: [ProfileFile] = []
        while let entry = readdir(stream) {
            let (name, isText) = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    (String(cString: $0), String(validatingCString: $0) != nil)
                }
            }
            guard name.hasSuffix(".json"), !name.hasPrefix("."), name != "profile.schema.json"
            else { continue }
            if isText {
                names.append(name)
            } else if unreadable.isEmpty {
                let reason = "its name is not UTF-8; give it another"
                unreadable.append(ProfileFile(path: "\(folder)/\(name)", unreadable: reason))
            }
        }
        let kept = names.sorted().prefix(ProfileCatalog.fileLimit + 1)
        return kept.map { file("\(folder)/\($0)") } + unreadable
    }

    /// One file: its bytes, at most one more than a profile may have.
    package static func file(_ path: String) -> ProfileFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return ProfileFile(path: path, unreadable: text(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return ProfileFile(path: path, unreadable: "is no file")
        }
        let limit = ProfileReader.byteLimit + 1
        var bytes = [UInt8](repeating: 0, count: min(limit, Int(status.st_size) + 1))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(
                    descriptor,
                    buffer.baseAddress?.advanced(by: count),
                    buffer.count - count
                )
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { return ProfileFile(path: path, unreadable: text(errno)) }
            guard read > 0 else { break }
            count += read
        }
        return ProfileFile(path: path, bytes: Array(bytes.prefix(count)))
    }

    private static func text(_ number: Int32) -> String {
        switch number {
        case ENOENT: "is not there; correct the path"
        case EACCES, EPERM: "may not be read; give the station's user the right to"
        case ENOTDIR: "is no folder"
        case ELOOP: "is a link that leads in a circle"
        default: "cannot be read, errno \(number)"
        }
    }
}
