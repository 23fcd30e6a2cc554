import HardwareIO
import Synchronization

/// I²C buses in memory: parts with registers, drivers of a kernel, and the service of root.
package final class SimulatedI2C: I2CBuses {
    /// How a bus behaves.
    package enum Mood: Hashable, Sendable {
        case well
        /// It cannot send an address alone, as the controller of a Pi 5.
        case needsBytes
        /// Each address answers.
        case heldLow
        case hangs
        case forbidden
    }

    /// A part that no driver has.
    package struct Part: Hashable, Sendable {
        /// Contents by number, the first byte of a word on the bus high; each other register is 0.
        package var registers: [UInt8: UInt16] = [:]
        /// What it answers to a command of one byte.
        package var replies: [UInt8: [UInt8]] = [:]
        /// Whether it sends a byte unasked.
        package var isTalkative = true
        /// Whether it gives back what was written, as a multiplexer.
        package var isEcho = false
        /// Whether it holds the clock for too long.
        package var isStuck = false

        package init(registers: [UInt8: UInt16] = [:]) { self.registers = registers }
    }

    private struct Bus {
        var name: String
        var mood = Mood.well
        var parts: [UInt8: Part] = [:]
        /// What the kernel knows, by address.
        var known: [UInt8: I2CBusEntry.Part] = [:]
        var written: [UInt8] = []
    }

    private struct State {
        var buses: [Int: Bus] = [:]
        /// Drivers of the kernel, by the names of parts.
        var drivers: [String: String] = [:]
        /// Names that the service of root knows; nil without the service.
        var names: Set<String>?
        var list: [UInt8]?
        /// Addresses that the kernel does not let go of.
        var kept: Set<UInt8> = []
        /// Why the service of root cannot be woken.
        var trouble: StorageError?
        var result: [UInt8]?
        var questions: [I2CQuestion] = []
    }

    private let state = Mutex(State())

    package init() {}

    // MARK: What can be done to it

    package func add(bus: Int, _ name: String = "bcm2835 (i2c@7e804000)", _ mood: Mood = .well) {
        state.withLock { $0.buses[bus] = Bus(name: name, mood: mood) }
    }

    package func put(_ part: Part?, at address: UInt8, on bus: Int = 1) {
        state.withLock { $0.buses[bus]?.parts[address] = part }
    }

    /// Lets an overlay of the device tree bind a part.
    package func bind(_ name: String, _ driver: String?, at address: UInt8, on bus: Int = 1) {
        let part = I2CBusEntry.Part(address: address, name: name, driver: driver)
        state.withLock { $0.buses[bus]?.known[address] = part }
    }

    /// Starts the service of root, over a kernel with these drivers; stops it without names.
    package func serve(names: Set<String>?, drivers: [String: String]) {
        state.withLock { ($0.names, $0.drivers) = (names, drivers) }
    }

    /// Lets the kernel keep the parts at these addresses, whatever root asks for.
    package func keep(_ addresses: Set<UInt8>) { state.withLock { $0.kept = addresses } }

    /// Lets nothing wake the service of root; nil lets all again.
    package func sleep(_ trouble: StorageError?) { state.withLock { $0.trouble = trouble } }

    /// All that was asked.
    package var questions: [I2CQuestion] { state.withLock { $0.questions } }
    /// Lines of the list but for its number; nil before the first list.
    package var wanted: [String]? {
        state.withLock { $0.list }.map { BusPartList(reading: $0).parts.map(\.text) }
    }

    // MARK: I2CBuses

    package func list() -> [I2CBusEntry] {
        state.withLock { state in Self.entries(state.buses) }
    }

    private static func entries(_ buses: [Int: Bus]) -> [I2CBusEntry] {
        buses.sorted { $0.key < $1.key }.map { number, bus in
            let known = bus.known.values.sorted { $0.address < $1.address }
            return I2CBusEntry(number: number, name: bus.name, parts: known)
        }
    }

    package func open(_ number: Int) throws(I2CError) -> any I2CBus {
        let path = "/dev/i2c-\(number)"
        guard let bus = state.withLock({ $0.buses[number] }) else { throw .noDevice(path: path) }
        guard bus.mood != .forbidden else {
            throw .noPermission(path: path, owner: "root", group: "i2c", mode: "0660")
        }
        return SimulatedI2CBus(self, number)
    }

    package func readList() throws(StorageError) -> [UInt8]? { state.withLock { $0.list } }

    package func writeList(_ bytes: [UInt8]) throws(StorageError) -> StorageError? {
        state.withLock { state in
            state.list = bytes
            if state.trouble == nil, let names = state.names { Self.bind(bytes, names, &state) }
            return state.trouble
        }
    }

    /// Plays the service of root.
    private static func bind(_ bytes: [UInt8], _ names: Set<String>, _ state: inout State) {
        let last = state.result.flatMap { BusResult(reading: $0) }
        let list = BusPartList(reading: bytes)
        let acts = BusBinding.acts(for: list, names: names, on: entries(state.buses), after: last)
        var (lines, kept) = ([BusResult.Line](), [BusResult.Line]())
        for act in acts {
            switch act {
            case .delete(let part) where state.kept.contains(part.address):
                kept.append(BusResult.Line(part, .kept))
            case .delete(let part): state.buses[part.bus]?.known[part.address] = nil
            case .refuse(let part, let outcome, let other):
                lines.append(BusResult.Line(part, outcome, other))
            case .add(let part), .keep(let part):
                let driver = state.drivers[part.name]
                let known = I2CBusEntry.Part(
                    address: part.address,
                    name: part.name,
                    driver: driver
                )
                state.buses[part.bus]?.known[part.address] = known
                lines.append(BusResult.Line(part, driver == nil ? .undriven : .bound, driver))
            }
        }
        state.result = BusResult(of: bytes, lines + kept).bytes
    }

    package func readResult() -> [UInt8]? { state.withLock { $0.result } }

    fileprivate func answer(_ question: I2CQuestion, _ number: Int, _ address: UInt8) -> I2CAnswer {
        state.withLock { state in
            state.questions.append(question)
            guard var bus = state.buses[number] else { return .nothing }
            defer { state.buses[number] = bus }
            if bus.known[address]?.driver != nil { return .owned }
            switch bus.mood {
            case .hangs: return .timeOut
            case .heldLow: return .bytes([0])
            case .needsBytes: if question == .quick { return .unable }
            case .well, .forbidden: break
            }
            guard let part = bus.parts[address] else { return .nothing }
            if part.isStuck { return .timeOut }
            switch question {
            case .quick: return .bytes([])
            case .receive: return part.isTalkative ? .bytes([0x05]) : .nothing
            case .send(let byte):
                bus.written.append(byte)
                return .bytes([])
            case .register(let register, let count):
                bus.written.append(register)
                if part.isEcho { return .bytes([UInt8](repeating: register, count: count)) }
                let value = part.registers[register] ?? 0
                let halves = [value >> 8, value].map { UInt8(truncatingIfNeeded: $0) }
                return .bytes(Array(halves.suffix(count)))
            case .command(let command, _, let count):
                bus.written.append(command)
                guard let reply = part.replies[command], reply.count == count else {
                    return .nothing
                }
                return .bytes(reply)
            }
        }
    }

    /// The last byte that was written to any part of a bus.
    package func lastByte(on bus: Int = 1) -> UInt8? {
        state.withLock { $0.buses[bus]?.written.last }
    }
}

private final class SimulatedI2CBus: I2CBus {
    private let buses: SimulatedI2C
    private let number: Int

    init(_ buses: SimulatedI2C, _ number: Int) { (self.buses, self.number) = (buses, number) }

    func ask(_ question: I2CQuestion, at address: UInt8) -> I2CAnswer {
        buses.answer(question, number, address)
    }
}
