import Core
import HardwareIO
import SimulationKit
import Synchronization

/// A serial line as the node sees it: with its own time, and with what goes wrong at the line.
final class WorldPort: SerialPort {
    /// Bytes that wait to be sent, as in the protocol.
    private static let backlogMax = 4_096

    private let port: any SerialPort
    private let part: Part?
    private let path: String
    private let machine: Machine
    private let waiting = Mutex(0)

    init(_ port: any SerialPort, of part: Part?, path: String, on machine: Machine) {
        (self.port, self.part, self.path, self.machine) = (port, part, path, machine)
    }

    func read(atLeast count: Int, until deadline: MonotonicInstant) async throws -> [UInt8]? {
        guard !machine.isDead else { throw CancellationError() }
        try await meetFaults()
        let due = machine.bootClock.inWorld(deadline)
        let bytes = try await port.read(atLeast: count, until: due)
        guard let part, let bytes, let left = machine.bytesUntilTorn[part.name] else {
            return bytes
        }
        guard bytes.count >= left else {
            machine.bytesUntilTorn[part.name] = left - bytes.count
            return bytes
        }
        machine.tearOff(part)
        return Array(bytes.prefix(max(1, left)))
    }

    private func meetFaults() async throws {
        guard let part else { return }
        let (world, name, now) = (machine.world, part.name, machine.now)
        if part.isAwake, world.meets(.wedgeOnReboot, part: name, at: now) { machine.resetBoard() }
        if world.meets(.childThrow, part: name, at: now) {
            world.fire(.childThrow)
            world.close(.childThrow, part: name, at: now)
            throw SerialError.system(call: "read", errno: 11, path: path)
        }
        if world.meets(.childHang, part: name, at: now) {
            world.fire(.childHang)
            defer { world.close(.childHang, part: name, at: machine.now) }
            _ = try await machine.simulated.wait(for: Signal(), until: nil, tolerance: .zero)
        }
        if world.meets(.childUnkillable, part: name, at: now) {
            world.fire(.childUnkillable)
            await machine.holdForEver()
            world.close(.childUnkillable, part: name, at: machine.endedAt)
            throw CancellationError()
        }
    }

    func write(_ bytes: [UInt8]) throws(SerialError) {
        guard !machine.isDead else { return }
        if let part, machine.world.isOpen(.lineTakesNothing, part: part.name, at: machine.now) {
            machine.world.fire(.lineTakesNothing)
            let count = waiting.withLock { waiting in
                waiting += bytes.count
                return waiting
            }
            guard count <= Self.backlogMax else { throw .backlog(path: path) }
            return
        }
        // Command 06, set, sleep: what a driver that forgot it would not send.
        let isSleep = bytes.count == 19 && bytes[2] == 6 && bytes[3] == 1 && bytes[4] == 0
        if isSleep, machine.world.planted == .forgottenSleep { return }
        try port.write(bytes)
    }

    func discardInput() throws(SerialError) { try port.discardInput() }

    func close() { port.close() }
}
