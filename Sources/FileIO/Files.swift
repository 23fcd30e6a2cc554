import Glibc

/// Files and folders of this machine: opened, read, listed and replaced in one place.
///
/// By default a link is not followed, and what is no regular file is refused without waiting for
/// it.
package enum Files {
    /// What a path may lead to besides a regular file.
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A link, which is followed.
        package static let links = Kinds(rawValue: 1)
        /// A device.
        package static let devices = Kinds(rawValue: 2)
        /// A pipe, whose other end is waited for.
        static let pipes = Kinds(rawValue: 4)
        /// All that a person may name on a command line.
        package static let any: Kinds = [.links, .devices, .pipes]
    }

    /// Where writing begins, and whether the file has to be there.
    package enum Beginning {
        /// A file that must not be there yet; it can be read back.
        case new
        /// The file without what it holds, made where there is none.
        case empty
        /// The end of the file, which is made where there is none.
        case end
        /// The first byte of a file that is there; what is not written over stays.
        case start
    }

    /// Names of a folder that are listed at most; the rest is left out.
    package static let nameLimit = 65_536

    // MARK: - Opening

    package static func open(
        _ path: String,
        allowing kinds: Kinds = []
    ) throws(FileError) -> OpenFile {
        try open(path, O_RDONLY, 0, kinds)
    }

    /// Opens a file to write.
    ///
    /// - Parameters:
    ///   - mode: Permissions of a file that is made; the umask of the process lessens them.
    package static func open(
        _ path: String,
        from beginning: Beginning,
        mode: mode_t,
        allowing kinds: Kinds = []
    ) throws(FileError) -> OpenFile {
        let flags: Int32 =
            switch beginning {
            case .new: O_RDWR | O_CREAT | O_EXCL
            case .empty: O_WRONLY | O_CREAT | O_TRUNC
            case .end: O_WRONLY | O_CREAT | O_APPEND
            case .start: O_WRONLY
            }
        return try open(path, flags, mode, kinds)
    }

    private static func open(
        _ path: String,
        _ flags: Int32,
        _ mode: mode_t,
        _ kinds: Kinds
    ) throws(FileError) -> OpenFile {
        var flags = flags | O_CLOEXEC | O_NOCTTY
        if !kinds.contains(.links) { flags |= O_NOFOLLOW }
        if !kinds.contains(.pipes) { flags |= O_NONBLOCK }
        var descriptor: Int32
        repeat { descriptor = Glibc.open(path, flags, mode) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw FileError("open", path) }
        let file = OpenFile(descriptor, path)
        let kind = try file.status.st_mode & S_IFMT
        switch kind {
        case S_IFREG: return file
        case S_IFDIR: throw FileError(path, .folder)
        case S_IFIFO where kinds.contains(.pipes): return file
        case S_IFBLK, S_IFCHR: if kinds.contains(.devices) { return file }
        default: break
        }
        throw FileError(path, .special)
    }

    // MARK: - Reading

    /// A whole file.
    ///
    /// - Throws: `FileError`, also for one of more than `limit` bytes.
    package static func read(
        _ path: String,
        limit: Int,
        allowing kinds: Kinds = []
    ) throws(FileError) -> [UInt8] {
        let bytes = try open(path, allowing: kinds).read(limit + 1)
        guard bytes.count <= limit else { throw FileError(path, .tooLong(limit: limit)) }
        return bytes
    }

    /// A whole file; nil when it is not there.
    package static func readIfThere(
        _ path: String,
        limit: Int,
        allowing kinds: Kinds = []
    ) throws(FileError) -> [UInt8]? {
        do { return try read(path, limit: limit, allowing: kinds) } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }

    /// A whole file that no other user may read; nil when it is not there.
    package static func readSecret(
        _ path: String,
        limit: Int,
        allowing kinds: Kinds = []
    ) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            let file = try open(path, allowing: kinds)
            let mode = try file.status.st_mode & 0o777
            guard mode & 0o077 == 0 else { throw FileError(path, .shared(mode: mode)) }
            let bytes = try file.next(limit + 1)
            guard bytes.count <= limit else { throw FileError(path, .tooLong(limit: limit)) }
            return bytes
        } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }

    /// The first bytes of a file, for facts that a machine may not have.
    ///
    /// - Returns: Nil where the file is not there or cannot be read.
    package static func start(
        of path: String,
        limit: Int,
        allowing kinds: Kinds = .links
    ) -> [UInt8]? {
        try? open(path, allowing: kinds).read(limit)
    }

    /// The same as text.
    package static func text(_ path: String, limit: Int = 4_096) -> String? {
        start(of: path, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first line, without the zero that ends texts of the device tree; nil when it is empty.
    package static func line(_ path: String) -> String? {
        let line = text(path)?.prefix { $0 != "\n" && $0 != "\0" }
        return line.flatMap { $0.isEmpty ? nil : String($0) }
    }

    /// The path that a link leads to; nil for what is no link.
    package static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Bytes of a file, or of what a link leads to; nil when it is not there.
    package static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    // MARK: - Folders

    /// The names in a folder, in order; hidden ones only when asked for.
    ///
    /// A name that is not UTF-8 has U+FFFD in place of what is wrong in it.
    package static func names(
        in folder: String,
        hidden: Bool = false,
        limit: Int = nameLimit
    ) throws(FileError) -> [String] {
        guard let stream = opendir(folder) else { throw FileError("opendir", folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FileError("readdir", folder) }
                break
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let isListed = hidden ? name != "." && name != ".." : !name.hasPrefix(".")
            if isListed { names.append(name) }
        }
        return names.sorted()
    }

    /// The folder of a path, for calls of the system.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Has the names in a folder outlast a loss of power.
    package static func sync(folder: String) throws(FileError) {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", folder) }
        do { try OpenFile(descriptor, folder).sync() } catch {
            // A file system that has no such call, as some of networks have none.
            guard error.code != EINVAL else { return }
            throw error
        }
    }

    // MARK: - Writing

    /// Brings a file that is written to the card, and gives it its name in one step.
    package static func publish(_ temporary: String, as path: String) throws(FileError) {
        try open(temporary).sync()
        guard rename(temporary, path) == 0 else { throw FileError("rename", path) }
        try sync(folder: folder(of: path))
    }

    /// Adds bytes to a file, which is made where there is none; no bytes only make it.
    ///
    /// A loss of power may leave a part of them.
    package static func append(
        _ bytes: [UInt8],
        to path: String,
        mode: mode_t,
        allowing kinds: Kinds = []
    ) throws(FileError) {
        try open(path, from: .end, mode: mode, allowing: kinds).write(bytes)
    }
}
