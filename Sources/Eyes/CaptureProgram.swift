import Core
import LinuxIO

/// Takes one picture by a program that writes a JPEG to its standard output.
///
/// The program runs in a process group of its own, which ends with this call, with the deadline, or
/// with this process, however it ends. Synchronous: it belongs on a thread of its own.
package struct CaptureProgram: Sendable {
    private let command: [String]
    private let limit: Duration
    private let byteMax: Int
    private let mark: CaptureMark?
    private let cover: PictureCover

    /// - Parameters:
    ///   - command: The program, by path or by name, and its arguments; not empty.
    ///   - limit: How long it may take.
    ///   - byteMax: Bytes of a picture, at most.
    ///   - mark: Marks the program's processes, so that the next start can end leftovers.
    ///   - cover: Parts of the picture that are black in what `run` returns.
    package init(
        _ command: [String],
        limit: Duration,
        byteMax: Int,
        mark: CaptureMark? = nil,
        cover: PictureCover = PictureCover()
    ) {
        precondition(!command.isEmpty, "names no program")
        (self.command, self.limit, self.byteMax) = (command, limit, byteMax)
        (self.mark, self.cover) = (mark, cover)
    }

    /// Takes a picture.
    ///
    /// - Returns: A whole JPEG of at most `byteMax` bytes, its covered parts black.
    package func run() throws(CaptureError) -> [UInt8] {
        if let lack = cover.lack { throw lack }
        let (picture, status): ([UInt8], Int32)
        do throws(GuardedProgram.Fault) {
            let environment = CaptureMark.environment(with: mark)
            let program = try GuardedProgram(command, environment: environment)
            (picture, status) = try program.finish(within: limit, byteMax: byteMax, .isAFault)
        } catch { throw CaptureError(error, limit: limit, byteMax: byteMax) }
        guard status == 0 else { throw .exit(code: status, command[0]) }
        guard Self.isJPEG(picture) else { throw .noPicture(byteCount: picture.count) }
        let covered = try cover.covering(picture)
        guard covered.count <= byteMax else { throw .tooLarge(byteMax: byteMax) }
        return covered
    }

    /// Whether the bytes begin and end as a JPEG does; zeros after the end are allowed.
    static func isJPEG(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]), let last = bytes.lastIndex(where: { $0 != 0 })
        else { return false }
        return last > 3 && bytes[last] == 0xD9 && bytes[last - 1] == 0xFF
    }
}
