/// Why the camera gives no picture.
///
/// Each case has an exit code of its own, because a separate process reads the camera.
package enum CameraTrouble: Error, Hashable, Sendable {
    case absent
    case forbidden
    case busy
    case formatUnknown
    case encoderMissing
    case silent
    case system(String, Int32)

    package var exitCode: Int32 {
        switch self {
        case .formatUnknown: 65
        case .absent: 66
        case .system: 71
        case .encoderMissing: 72
        case .silent: 74
        case .busy: 75
        case .forbidden: 77
        }
    }

    /// Maps an exit code of the reader process to the trouble; nil for others, 71 among them.
    ///
    /// The code of `system` does not carry its call and errno.
    package init?(exitCode: Int32) {
        let plain: [CameraTrouble] = [
            .absent, .forbidden, .busy, .formatUnknown, .encoderMissing, .silent,
        ]
        guard let found = plain.first(where: { $0.exitCode == exitCode }) else { return nil }
        self = found
    }
}

extension CameraTrouble: CustomStringConvertible {
    package var description: String {
        switch self {
        case .absent: "no such camera is plugged in; roost-eyes cameras lists those that are"
        case .forbidden: "the camera may not be opened; its user belongs in the group video"
        case .busy: "another program has the camera"
        case .formatUnknown: "the camera gives neither JPEG nor YUYV; name a command instead"
        case .encoderMissing:
            "the camera gives no JPEG, and libturbojpeg makes none: sudo apt install libturbojpeg0"
        case .silent: "the camera sends no picture; plug it in again"
        case .system(let call, let code): "\(call) failed with errno \(code)"
        }
    }
}
