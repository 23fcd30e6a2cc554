import CGPIOD
import Glibc
import HardwareIO

/// One open GPIO chip; closed when its last owner lets it go.
final class GPIOChip {
    let path: String
    let label: String
    let name: String
    let lineCount: Int
    private let handle: OpaquePointer

    /// Opens the chip.
    ///
    /// - Throws: `GPIOError.noPermission`, `.disconnected`, `.system`.
    init(path: String) throws(GPIOError) {
        var code: Int32 = 0
        guard let handle = roost_gpio_chip_open(path, &code) else {
            throw .because(code, of: "open", path: path, chip: path)
        }
        var about = roost_gpio_chip_info()
        code = roost_gpio_chip_get_info(handle, &about)
        guard code == 0 else {
            roost_gpio_chip_close(handle)
            throw .because(-code, of: "GPIO_GET_CHIPINFO", path: path, chip: path)
        }
        self.handle = handle
        self.path = path
        label = text(about.label)
        name = text(about.name)
        lineCount = Int(about.line_count)
    }

    deinit { roost_gpio_chip_close(handle) }

    /// Offset of a line; nil when the chip has no such line.
    ///
    /// - Throws: `GPIOError.disconnected`, `.system`.
    func offset(of line: LineRequest.Line) throws(GPIOError) -> UInt32? {
        switch line {
        case .name(let name):
            let offset = roost_gpio_chip_find_line(handle, name)
            guard offset >= 0 || offset == -ENOENT else {
                throw .because(-offset, of: "GPIO_GET_LINEINFO", path: path, chip: label)
            }
            return offset < 0 ? nil : UInt32(offset)
        case .offset(let offset):
            return offset >= 0 && offset < lineCount ? UInt32(offset) : nil
        }
    }

    /// Reads the kernel's description of a line.
    ///
    /// - Throws: `GPIOError.disconnected`, `.system`.
    func line(at offset: UInt32) throws(GPIOError) -> GPIOLineReport {
        var about = roost_gpio_line_info()
        let code = roost_gpio_chip_get_line(handle, offset, &about)
        guard code == 0 else {
            throw .because(-code, of: "GPIO_GET_LINEINFO", path: path, chip: label)
        }
        let (name, consumer) = (text(about.name), text(about.consumer))
        return GPIOLineReport(
            offset: Int(offset),
            name: name.isEmpty ? nil : name,
            consumer: consumer.isEmpty ? nil : consumer,
            isUsed: about.is_used,
            isOutput: about.is_output,
            isActiveLow: about.is_active_low
        )
    }

    /// Paths of the chips there are, in order of their numbers.
    static func paths() -> [String] {
        // Bound: 64 chips. The largest Pi shows 16.
        var numbers = [UInt32](repeating: 0, count: 64)
        let count = roost_gpio_chip_numbers(&numbers, UInt32(numbers.count))
        return numbers.prefix(Int(max(count, 0))).sorted().map { "/dev/gpiochip\($0)" }
    }
}

extension GPIOError {
    /// The error for an errno of a call.
    static func because(
        _ code: Int32,
        of call: String,
        path: String,
        chip: String
    ) -> GPIOError {
        switch code {
        case EACCES, EPERM:
            let file = FileOwnership.of(path)
            return .noPermission(
                path: path,
                owner: file.owner,
                group: file.group,
                mode: file.mode
            )
        case ENODEV, ENXIO, ENOENT: return .disconnected(chip: chip)
        default: return .system(call: call, errno: code, chip: chip)
        }
    }
}

/// A C array of characters, up to its zero.
private func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
