import HardwareIO
import PowerCut

/// Numbers 1, 2, 3 … one to a block, each block full of its number.
struct ToyStore {
    struct Lost: Error {
        let number: Int64
    }

    /// The planted bug: says "safe" before the card was asked to keep it.
    private let acknowledgesTooEarly: Bool

    init(acknowledgesTooEarly: Bool) {
        self.acknowledgesTooEarly = acknowledgesTooEarly
    }

    func write(_ recording: PowerCutRecording) throws {
        let storage = try Self.open(recording.folder)
        for number in 1...4 {
            let byte = UInt8(number)
            try storage.write(number - 1, [UInt8](repeating: byte, count: storage.blockSize))
            if acknowledgesTooEarly { recording.acknowledge(Int64(number)) }
            try storage.sync()
            if !acknowledgesTooEarly { recording.acknowledge(Int64(number)) }
        }
    }

    func verify(_ state: PowerCutState) throws {
        let storage = try Self.open(state.folder)
        for number in state.acknowledged {
            let bytes = try storage.read(Int(number) - 1)
            guard bytes.allSatisfy({ $0 == UInt8(number) }) else { throw Lost(number: number) }
        }
    }

    private static func open(_ folder: String) throws -> PowerCutBlockStorage {
        try PowerCutBlockStorage(path: folder + "/toy.ring", blockSize: 1_024, blockCount: 4)
    }
}
