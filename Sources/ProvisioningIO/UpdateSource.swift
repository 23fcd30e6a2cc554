import FileIO
import Glibc

/// Where an update comes from, read once and in order.
package final class UpdateSource {
    private static let pieceByteCount = 1 << 17

    private let name: String
    private var file: OpenFile
    private var process: pid_t = 0

    /// A file, or standard input for `-`.
    ///
    /// A root service opens what lies in the dashboard's folder: no link leads it to another file,
    /// and no device is opened, which alone may do something.
    package init(path: String) throws(UpdateError) {
        name = path == "-" ? "standard input" : path
        do throws(FileError) {
            file = path == "-" ? OpenFile(dup(0), name) : try Files.open(path)
        } catch { throw .failed("\(error): name a file, or - for standard input") }
    }

    /// Creates a source that reads a program's standard output.
    ///
    /// - Parameter command: The program's path, and its arguments.
    package init(command: [String]) throws(UpdateError) {
        name = command[0]
        let ends = try ChildProgram.pipe()
        file = OpenFile(ends.read, name)
        defer { close(ends.write) }
        process = try ChildProgram.start(command, input: nil, output: ends.write)
    }

    deinit {
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
        let isFile: Bool
        do { isFile = try file.status.st_mode & S_IFMT == S_IFREG } catch {
            throw .failed("\(error)")
        }
        let begin = isFile ? lseek(file.descriptor, 0, SEEK_CUR) - off_t(start.count) : 0
        let kept = isFile ? nil : try Self.unnamed(byteCount, in: folder)
        var piece = start
        repeat {
            try body(piece)
            do { try kept?.write(piece) } catch {
                throw .failed("the update cannot be kept: \(error)")
            }
            piece = try next()
        } while !piece.isEmpty
        if let kept { file = kept }
        guard lseek(file.descriptor, begin, SEEK_SET) == begin else {
            throw .failed("\(name): \(String(cString: strerror(errno)))")
        }
    }

    /// Room that stays free on the data partition for what the station measures.
    private static let spareByteCount = 64 << 20

    private static func unnamed(_ byteCount: Int, in folder: String) throws(UpdateError) -> OpenFile
    {
        let path = "\(folder)/update.part"
        unlink(path)
        let file: OpenFile
        do { file = try Files.open(path, from: .new, mode: 0o600) } catch {
            throw .failed("\(error)")
        }
        unlink(path)
        var room = statvfs()
        guard statvfs(folder, &room) == 0,
            Int(clamping: room.f_bavail) * Int(clamping: room.f_frsize)
                >= byteCount + spareByteCount
        else {
            throw .failed(
                "the data partition has no room for \(byteCount >> 20) MiB of an update that is "
                    + "not a file here: copy the file to a stick, and install it from there"
            )
        }
        return file
    }

    /// The next bytes; empty at the end.
    ///
    /// - Throws: `UpdateError.failed`; for a program also when it ends with a failure.
    package func next() throws(UpdateError) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try file.next(Self.pieceByteCount) } catch { throw .failed("\(error)") }
        if bytes.isEmpty { try demandSuccess() }
        return bytes
    }

    private func demandSuccess() throws(UpdateError) {
        guard process > 0 else { return }
        defer { process = 0 }
        guard ChildProgram.wait(process) == 0 else {
            throw .failed("the file did not arrive: see above, then try again")
        }
    }
}
