import FileIO
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
        let all: [String]
        do { all = try Files.names(in: folder) } catch {
            return error.code == ENOENT && !isNamed
                ? [] : [ProfileFile(path: folder, unreadable: text(error))]
        }
        let names = all.filter { $0.hasSuffix(".json") && $0 != "profile.schema.json" }
        return names.prefix(ProfileCatalog.fileLimit + 1).map { name in
            let path = "\(folder)/\(name)"
            // Such a name has another sign in place of what is wrong in it, and leads nowhere.
            guard !name.contains("\u{FFFD}") || access(path, F_OK) == 0 else {
                let reason = "its name is not UTF-8; give it another"
                return ProfileFile(path: path, unreadable: reason)
            }
            return file(path)
        }
    }

    /// One file: its bytes, at most one more than a profile may have.
    package static func file(_ path: String) -> ProfileFile {
        do {
            let limit = ProfileReader.byteLimit + 1
            return ProfileFile(
                path: path,
                bytes: try Files.open(path, allowing: .links).read(limit)
            )
        } catch { return ProfileFile(path: path, unreadable: text(error)) }
    }

    private static func text(_ error: FileError) -> String {
        switch error.code {
        case ENOENT: "is not there; correct the path"
        case EACCES, EPERM: "may not be read; give the station's user the right to"
        case ENOTDIR: "is no folder"
        case ELOOP: "is a link that leads in a circle"
        case EISDIR, ENOTSUP: "is no file"
        default: "cannot be read: \(error.text)"
        }
    }
}
