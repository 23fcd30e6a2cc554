import CLinux
import Core
import FileIO
import Glibc
import HardwareIO

/// The I²C buses of this machine.
///
/// - Source: Linux, Documentation/i2c/dev-interface and instantiating-devices.
package struct LinuxI2C: I2CBuses {
    /// Buses that are listed at most.
    private static let busLimit = 32
    private static let list = "parts"
    private static let new = "parts.new"

    private let root: String

    /// - Parameter root: Where the system is; empty for this machine.
    package init(root: String = "") { self.root = root }

    /// The folder in sysfs with a link for each bus and each part.
    package var devices: String { "\(root)/sys/bus/i2c/devices" }
    /// The folder that the station writes its list into.
    package var folder: String { "\(root)/var/lib/roost/bus" }
    package var listPath: String { "\(folder)/\(Self.list)" }
    /// What wakes the service of root.
    package var wakePath: String { "\(root)/run/roost/bus-wanted" }
    /// What that service writes, where no other user may.
    package var resultPath: String { "\(root)/run/roost-bus/result" }

    package func list() -> [I2CBusEntry] {
        let names = (try? Files.names(in: devices)) ?? []
        let parts = names.compactMap { name -> (bus: Int, part: I2CBusEntry.Part)? in
            let halves = name.split(separator: "-")
            guard halves.count == 2, let bus = Int(halves[0]), halves[1].count == 4,
                let address = UInt8(halves[1], radix: 16), BusPlace.addresses.contains(address)
            else { return nil }
            return (bus, part(name, address))
        }
        let numbers = names.filter { $0.hasPrefix("i2c-") }.compactMap { Int($0.dropFirst(4)) }
        return numbers.sorted().filter { BusPart.buses.contains($0) }.prefix(Self.busLimit).map {
            number in
            I2CBusEntry(
                number: number,
                name: Files.line("\(devices)/i2c-\(number)/name") ?? "i2c-\(number)",
                parts: parts.filter { $0.bus == number }.map(\.part)
                    .sorted { $0.address < $1.address }
            )
        }
    }

    private func part(_ name: String, _ address: UInt8) -> I2CBusEntry.Part {
        let driver = Files.target(of: "\(devices)/\(name)/driver")?.split(separator: "/").last
        return I2CBusEntry.Part(
            address: address,
            name: Files.line("\(devices)/\(name)/name") ?? "",
            driver: driver.map(String.init)
        )
    }

    package func open(_ number: Int) throws(I2CError) -> any I2CBus {
        let path = "\(root)/dev/i2c-\(number)"
        let raw = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard raw >= 0 else {
            switch errno {
            case ENOENT, ENXIO, ENODEV: throw .noDevice(path: path)
            case EACCES, EPERM:
                let file = FileOwnership.of(path)
                throw .noPermission(
                    path: path,
                    owner: file.owner,
                    group: file.group,
                    mode: file.mode
                )
            default: throw .failed(path: path, errno: errno)
            }
        }
        return LinuxI2CBus(OwnedDescriptor(raw))
    }

    package func readList() throws(StorageError) -> [UInt8]? {
        try LinuxFolder(folder).read(Self.list)
    }

    package func writeList(_ bytes: [UInt8]) throws(StorageError) -> StorageError? {
        mkdir(folder, 0o750)
        let files = LinuxFolder(folder)
        try files.write(Self.new, bytes)
        try files.sync(Self.new)
        try files.rename(Self.new, to: Self.list)
        try files.syncFolder()
        do throws(FileError) { try Files.append([], to: wakePath, mode: 0o640) } catch {
            return StorageError(error)
        }
        return nil
    }

    package func readResult() -> [UInt8]? {
        try? Files.readIfThere(resultPath, limit: BusResult.byteLimit)
    }
}

/// One bus, open for questions.
final class LinuxI2CBus: I2CBus {
    private let descriptor: OwnedDescriptor
    private let abilities: UInt

    init(_ descriptor: OwnedDescriptor) {
        self.descriptor = descriptor
        abilities = clinux_i2c_abilities(descriptor.raw)
    }

    private func can(_ bit: UInt) -> Bool { abilities & bit == bit }

    func ask(_ question: I2CQuestion, at address: UInt8) -> I2CAnswer {
        guard clinux_i2c_address(descriptor.raw, address) == 0 else { return Self.failure(errno) }
        switch question {
        case .quick: return read(0, 0, clinux_I2C_FUNC_QUICK)
        case .receive: return read(-1, 0, clinux_I2C_FUNC_READ_BYTE)
        case .register(let register, let count):
            let isWord = count == 2
            let bit = isWord ? clinux_I2C_FUNC_WORD_DATA : clinux_I2C_FUNC_BYTE_DATA
            return read(isWord ? 2 : 1, register, bit)
        case .send(let byte):
            guard can(clinux_I2C_FUNC_WRITE_BYTE) else { return .unable }
            return clinux_i2c_send(descriptor.raw, byte) == 0 ? .bytes([]) : Self.failure(errno)
        case .command(let command, let milliseconds, let count):
            return exchange(command, milliseconds, count)
        }
    }

    private func read(_ count: Int32, _ register: UInt8, _ bit: UInt) -> I2CAnswer {
        guard can(bit) else { return .unable }
        var bytes: [UInt8] = [0, 0]
        guard clinux_i2c_read(descriptor.raw, count, register, &bytes) == 0 else {
            return Self.failure(errno)
        }
        return .bytes(Array(bytes.prefix(Int(abs(count)))))
    }

    private func exchange(_ command: UInt8, _ milliseconds: Int, _ count: Int) -> I2CAnswer {
        guard can(clinux_I2C_FUNC_I2C) else { return .unable }
        var byte = command
        guard Glibc.write(descriptor.raw, &byte, 1) == 1 else { return Self.failure(errno) }
        // Waits for no descriptor at all, on the thread of the look.
        _ = poll(nil, 0, Int32(milliseconds))
        var bytes = [UInt8](repeating: 0, count: count)
        let got = Glibc.read(descriptor.raw, &bytes, count)
        return got == count ? .bytes(bytes) : got < 0 ? Self.failure(errno) : .nothing
    }

    /// What no part acknowledges, drivers of buses call by different numbers.
    private static func failure(_ code: Int32) -> I2CAnswer {
        switch code {
        case EBUSY: .owned
        case ENXIO, EREMOTEIO, ENODEV, EIO: .nothing
        case ETIMEDOUT: .timeOut
        case EOPNOTSUPP, EINVAL, ENOTTY: .unable
        default: .failed(code)
        }
    }
}
