import Glibc
import LinuxIO

/// Why a capture gave no picture.
package enum CaptureError: Error, Hashable, Sendable {
    /// The program did not end within this limit.
    case late(Duration)
    case tooLarge(byteMax: Int)
    /// The program ended with a code other than 0; the text is its path or name.
    case exit(code: Int32, String)
    /// The program's output is not a whole JPEG.
    case noPicture(byteCount: Int)
    /// The parts that are to stay black cannot be made so, with `errno`.
    case uncovered(Int32)
    /// Other settings of the camera came before its turn.
    case ended
    /// A system call failed, with `errno`.
    case system(String, Int32)
}

extension CaptureError {
    /// Converts the fault of a program that did not run to its end.
    init(_ fault: GuardedProgram.Fault, limit: Duration, byteMax: Int) {
        self =
            switch fault {
            case .late: .late(limit)
            case .tooLong: .tooLarge(byteMax: byteMax)
            case .system(let call, let code): .system(call, code)
            }
    }

    /// Starts a program without waiting for its end.
    static func starting(
        _ command: [String],
        _ mark: CaptureMark?
    ) throws(CaptureError) -> GuardedProgram {
        do throws(GuardedProgram.Fault) {
            return try GuardedProgram(
                command,
                environment: CaptureMark.environment(with: mark)
            )
        } catch { throw CaptureError(error, limit: .zero, byteMax: 0) }
    }
}

extension CaptureError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .late(let limit):
            "the command did not end within \(limit); is the camera connected, and free?"
        case .tooLarge(let byteMax):
            "the picture is larger than \(byteMax >> 10) KiB, the room for one; take smaller ones, "
                + "or give the ring more megabytes or fewer pictures"
        case .exit(let code, CameraSettings.program):
            CameraTrouble(exitCode: code)?.description
                ?? "the reader of the camera ended with exit code \(code); its own words stand "
                + "before this line"
        case .exit(127, let program): "\(program) cannot be started; is it installed?"
        case .exit(let code, let program):
            "\(program) failed with exit code \(code); its own words stand before this line"
        case .noPicture(let count):
            "the command wrote \(count) bytes that are no JPEG; it must write one picture to "
                + "standard output"
        case .uncovered(ENOSYS):
            "no picture is taken, as the library that covers parts of it is missing: "
                + "sudo apt install libturbojpeg0"
        case .uncovered(EFBIG):
            "the picture is too large to cover parts of it (16 megapixels); take a smaller one"
        case .uncovered:
            "there is no picture, as parts of it are to be covered, and this JPEG cannot be changed"
        case .ended: "the camera was switched off or changed meanwhile; try again"
        case .system(let call, let code): "\(call) failed with errno \(code)"
        }
    }
}
