import FileIO
import Glibc
import Synchronization

/// A machine's files below some root: the machine itself, the image of a card, a made-up tree.
package struct DoctorTree {
    /// Bytes of a file that are read; the rest is left out.
    static let byteLimit = (1 << 20) + 1
    /// Names of a folder that are looked at; the rest is left out.
    static let nameLimit = 4_096

    /// Path of the tree, without a slash at its end; empty for the machine itself.
    package let root: String
    /// Folders that `names` could not read.
    let unread = UnreadFolders()

    package init(root: String) {
        var text = root[...]
        while text.hasSuffix("/") { text.removeLast() }
        // Without links, so that the paths below it can be recognised.
        let found = text.isEmpty ? nil : realpath(String(text), nil)
        defer { free(found) }
        self.root = found.map { String(cString: $0) } ?? String(text)
    }

    /// The machine itself, not a tree of files.
    package var isMachine: Bool { root.isEmpty }

    func full(_ path: String) -> String { root + path }

    package func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(full(path), &status) == 0
    }

    /// The permissions of a file, 0…0o7777; nil when it is not there or may not be looked at.
    func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(full(path), &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// A regular file's bytes; nil when there is none or it may not be read.
    ///
    /// Never waits: pipes and devices count as none.
    func bytes(_ path: String) -> [UInt8]? {
        // systemd's mask of a unit: as a file without a line.
        if target(path) == "/dev/null" { return [] }
        return Files.start(of: full(path), limit: Self.byteLimit)
    }

    func text(_ path: String) -> String? { bytes(path).map { String(decoding: $0, as: UTF8.self) } }

    /// The first line, without the zero that ends texts of the device tree.
    func line(_ path: String) -> String? {
        text(path).map { String($0.prefix { $0 != "\n" && $0 != "\0" }) }
    }

    func number(_ path: String) -> Int? {
        line(path).flatMap { Int($0.filter { $0 != " " }) }
    }

    /// Names in a folder, in order; one that cannot be read has none, and `unread` has the reason.
    func names(_ path: String) -> [String] {
        do { return try list(path) } catch {
            if !error.isAbsent { unread.add(path, error.text) }
            return []
        }
    }

    /// Names in a folder whose absence or refusal makes a difference to a person.
    func list(_ path: String) throws(FileError) -> [String] {
        try Files.names(in: full(path), limit: Self.nameLimit)
    }

    /// Where a link leads; nil when it is none.
    func target(_ path: String) -> String? { Files.target(of: full(path)) }

    /// A path without links; itself when it is not there.
    func resolved(_ path: String) -> String {
        guard let found = realpath(full(path), nil) else { return path }
        defer { free(found) }
        let text = String(cString: found)
        return text.hasPrefix(root) ? String(text.dropFirst(root.count)) : path
    }

    /// The values of `Key=value` lines, the last one for each key; sections count for nothing.
    ///
    /// Read as systemd does: the file itself, then every `.conf` of its folders in order of name.
    /// A name that is there twice counts where it stands first: `/etc`, `/run`, `/usr/lib`.
    func settings(_ name: String) -> [String: String] {
        var files: [String: String] = [:]
        for folder in ["/usr/lib", "/run", "/etc"].map({ "\($0)/systemd/\(name).d" }) {
            for file in names(folder) where file.hasSuffix(".conf") {
                files[file] = "\(folder)/\(file)"
            }
        }
        var settings: [String: String] = [:]
        let all = ["/etc/systemd/\(name)"] + files.sorted { $0.key < $1.key }.map(\.value)
        for text in all.compactMap(self.text) {
            for line in text.split(separator: "\n") {
                let line = line.trimmed
                guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
                let value = line[line.index(after: equals)...].trimmed
                settings[line[..<equals].trimmed] = value
            }
        }
        return settings
    }
}

/// Folders that are there and cannot be read, with the reason.
///
/// Bound: the folders that the checks look into.
final class UnreadFolders: Sendable {
    private let reasons = Mutex<[String: String]>([:])

    var all: [String: String] { reasons.withLock { $0 } }

    func add(_ path: String, _ reason: String) { reasons.withLock { $0[path] = reason } }
}

extension StringProtocol {
    /// The text without blanks at either end.
    var trimmed: String {
        let isBlank = { (character: Character) in character.isWhitespace }
        let start = drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(start[...last])
    }

    /// The parts of the text between blanks.
    var fields: [String] { String(self).split(whereSeparator: \.isWhitespace).map(String.init) }
}
