import Glibc
import HardwareIO
import Updates

/// Where an update comes from, read once and in order.
package final class UpdateSource {
    private static let pieceByteCount = 1 << 17

    private let name: String
    private var descriptor: Int32
    private var process: pid_t = 0

    /// A file, or standard input for `-`.
    ///
    /// A root service opens what lies in the dashboard's folder: no link leads it to another file,
    /// and no device is opened, which alone may do something.
    package init(path: String) throws(UpdateError) {
        name = path == "-" ? "standard input" : path
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let opened = path == "-" ? dup(0) : open(path, flags)
        guard opened >= 0 else {
            guard errno != ELOOP else { throw .failed("\(path) is a link: name the file itself") }
            throw .failed("\(path): \(String(cString: strerror(errno))); correct the path")
        }
        var status = stat()
        let isFile = fstat(opened, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isFile || path == "-" else {
            close(opened)
            throw .failed("\(path) is no regular file: name one, or - for standard input")
        }
        descriptor = opened
    }

    /// Creates a source that reads a program's standard output.
    ///
    /// - Parameter command: The program's path, and its arguments.
    package init(command: [String]) throws(UpdateError) {
        name = command[0]
        let ends = try ChildProgram.pipe()
        descriptor = ends.read
        defer { close(ends.write) }
        process = try ChildProgram.start(command, input: nil, output: ends.write)
    }

    deinit {
        close(descriptor)
        guard process > 0 else { return }
        kill(process, SIGTERM)
        _ = ChildProgram.wait(process)
    }

    /// Reads the source to its end, then starts it again from a complete copy.
    ///
    /// A file is read twice. Other sources are kept in a file without a name, so that a loss of
    /// power leaves nothing of it.
    ///
    /// - Parameters:
    ///   - start: Bytes that were read of it before.
    ///   - byteCount: Size of all of it, to reserve room.
    /// - Throws: `UpdateError.failed`; what `body` throws.
    func keep(
        from start: [UInt8],
        byteCount: Int,
        in folder: String,
        _ body: ([UInt8]) throws(UpdateError) -> Void
    ) throws(UpdateError) {
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        let begin = isFile ? lseek(descriptor, 0, SEEK_CUR) - off_t(start.count) : 0
        let kept = isFile ? nil : try Self.unnamed(byteCount, in: folder)
        var isDone = false
        defer { if let kept, !isDone { close(kept) } }
        var piece = start
        repeat {
            try body(piece)
            if let kept {
                do throws(StorageError) { try WholeFile.write(piece, to: kept, folder) } catch {
                    throw .failed("the update cannot be kept: \(error)")
                }
            }
            piece = try next()
        } while !piece.isEmpty
        if let kept {
            close(descriptor)
            (descriptor, isDone) = (kept, true)
        }
        guard lseek(descriptor, begin, SEEK_SET) == begin else {
            throw .failed("\(name): \(String(cString: strerror(errno)))")
        }
    }

    /// Room that stays free on the data partition for what the station measures.
    private static let spareByteCount = 64 << 20

    private static func unnamed(_ byteCount: Int, in folder: String) throws(UpdateError) -> Int32 {
        let path = "\(folder)/update.part"
        unlink(path)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw .failed("\(path): \(String(cString: strerror(errno)))")
        }
        unlink(path)
        var room = statvfs()
        guard fstatvfs(descriptor, &room) == 0,
            Int(clamping: room.f_bavail) * Int(clamping: room.f_frsize)
                >= byteCount + spareByteCount
        else {
            close(descriptor)
            throw .failed(
                "the data partition has no room for \(byteCount >> 20) MiB of an update that is "
                    + "not a file here: copy the file to a stick, and install it from there"
            )
        }
        return descriptor
    }

    /// The next bytes; empty at the end.
    ///
    /// - Throws: `UpdateError.failed`; for a program also when it ends with a failure.
    package func next() throws(UpdateError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: Self.pieceByteCount)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw .failed("\(name): \(String(cString: strerror(errno)))")
            }
            if count == 0 { try demandSuccess() }
            return Array(buffer.prefix(count))
        }
    }

    private func demandSuccess() throws(UpdateError) {
        guard process > 0 else { return }
        defer { process = 0 }
        guard ChildProgram.wait(process) == 0 else {
            throw .failed("the file did not arrive: see above, then try again")
        }
    }
}
