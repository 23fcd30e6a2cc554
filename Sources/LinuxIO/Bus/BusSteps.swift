import CLinux
import FileIO
import Glibc
import HardwareIO

/// Carries out the steps of a question to a part on a bus; each may block for seconds.
///
/// - Source: Linux, Documentation/i2c/dev-interface; `I2C_SLAVE` refuses an address that a driver
///   of the kernel has.
final class BusSteps: Sendable {
    private static let slaveRequest: UInt = 0x0703
    /// The error of a transfer that took or gave fewer bytes than asked for; that is no time-out.
    private static let short = EPROTO

    private let place: BusPlace
    /// The bus, set to the address; nil for a folder in sysfs.
    private let bus: OwnedDescriptor?
    /// The kernel's name of the bus, such as `bcm2835 (i2c@7e804000)`; nil for a folder in sysfs.
    let busName: String?

    /// - Throws: `SerialError` when the part cannot be reached.
    init(_ place: BusPlace, path: String) throws(SerialError) {
        switch place {
        case .folder(let folder):
            guard let folder = Self.attributes(in: folder) else { throw .absent(path: path) }
            self.place = .folder(folder)
            (bus, busName) = (nil, nil)
        case .address(let name, let address):
            let raw = Glibc.open(name, O_RDWR | O_CLOEXEC)
            guard raw >= 0 else { throw Self.failure(errno, of: "open", at: name, path) }
            let descriptor = OwnedDescriptor(raw)
            let argument = UnsafeMutableRawPointer(bitPattern: UInt(address))
            guard clinux_ioctl(raw, Self.slaveRequest, argument) == 0 else {
                throw Self.failure(errno, of: "I2C_SLAVE", at: name, path)
            }
            (self.place, bus) = (place, descriptor)
            let link = name.split(separator: "/").last ?? ""
            busName = Files.line("/sys/bus/i2c/devices/\(link)/name")
        }
    }

    private static func failure(
        _ code: Int32,
        of call: String,
        at bus: String,
        _ path: String
    ) -> SerialError {
        switch code {
        case ENOENT, ENXIO, ENODEV: return .absent(path: path)
        case EBUSY: return .busy(path: path, holder: "a driver of the kernel")
        case EACCES, EPERM:
            let file = FileOwnership.of(bus)
            return .noPermission(path: bus, owner: file.owner, group: file.group, mode: file.mode)
        default: return .system(call: call, errno: code, path: path)
        }
    }

    /// The folder with a part's attributes: where a part on a bus has one below its own, that.
    private static func attributes(in folder: String) -> String? {
        guard let names = names(in: folder) else { return nil }
        if let found = names.first(where: { $0.hasPrefix("iio:device") }) {
            return "\(folder)/\(found)"
        }
        guard names.contains("hwmon"), !folder.contains("/w1/"), !folder.contains("/w1_bus"),
            let found = Self.names(in: "\(folder)/hwmon")?.first
        else { return folder }
        return "\(folder)/hwmon/\(found)"
    }

    /// Sorted; nil of a folder that is not there.
    private static func names(in folder: String) -> [String]? {
        do throws(FileError) { return try Files.names(in: folder).sorted() } catch { return nil }
    }

    /// Whether the part is there still.
    var isThere: Bool {
        guard case .folder(let folder) = place else { return true }
        return access(folder, F_OK) == 0
    }

    func answer(_ question: BusQuestion) -> BusAnswer {
        var results: [BusAnswer.Result] = []
        var hasFailed = false
        for step in question.steps {
            guard !hasFailed else {
                results.append(.skipped)
                continue
            }
            let result = carryOut(step)
            // Each attribute is for itself; of an exchange the rest means nothing.
            if case .failed = result, bus != nil { hasFailed = true }
            results.append(result)
        }
        return BusAnswer(results, number: question.number)
    }

    private func carryOut(_ step: BusQuestion.Step) -> BusAnswer.Result {
        switch step {
        case .attribute(let names): return attribute(names)
        case .pause(let milliseconds):
            // Waits for no descriptor at all, on the port's own thread.
            _ = poll(nil, 0, Int32(milliseconds))
            return .bytes([], choice: 0)
        case .write(let bytes):
            guard let bus else { return .failed(EINVAL) }
            let count = Glibc.write(bus.raw, bytes, bytes.count)
            return count == bytes.count
                ? .bytes([], choice: 0) : .failed(count < 0 ? errno : Self.short)
        case .read(let count):
            guard let bus else { return .failed(EINVAL) }
            var bytes = [UInt8](repeating: 0, count: count)
            let got = Glibc.read(bus.raw, &bytes, count)
            return got == count
                ? .bytes(bytes, choice: 0) : .failed(got < 0 ? errno : Self.short)
        }
    }

    private func attribute(_ names: [String]) -> BusAnswer.Result {
        guard case .folder(let folder) = place else { return .failed(EINVAL) }
        for (choice, name) in names.enumerated() {
            let raw = Glibc.open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard raw >= 0 else {
                if errno == ENOENT { continue }
                return .failed(errno)
            }
            let file = OwnedDescriptor(raw)
            var bytes = [UInt8](repeating: 0, count: BusAnswer.attributeLimit)
            let count = Glibc.read(file.raw, &bytes, bytes.count)
            guard count >= 0 else { return .failed(errno) }
            return .bytes(Array(bytes.prefix(count)), choice: choice)
        }
        return .failed(ENOENT)
    }
}
