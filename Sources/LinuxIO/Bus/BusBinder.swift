import FileIO
import Glibc
import HardwareIO

/// Gives parts on I²C their drivers as root, by the list that a station wrote.
///
/// - Source: Linux, Documentation/i2c/instantiating-devices, method 4: `new_device` and
///   `delete_device`; udev loads the driver that the name asks for.
package struct BusBinder {
    /// How long drivers may need to load and to take their parts, ms.
    private static let patience = 8_000
    private static let pause = 100

    private let system: LinuxI2C
    /// Names that may be bound.
    private let names: Set<String>

    package init(_ system: LinuxI2C, names: Set<String>) {
        (self.system, self.names) = (system, names)
    }

    /// Carries the list out, and writes what came of it; before, what it is about to do.
    ///
    /// - Returns: Sentences for the journal.
    /// - Throws: `StorageError` when the list cannot be read, `FileError` when the result cannot be
    ///   written; where that is so from the start, nothing was done.
    package func run() throws -> [String] {
        let bytes = try system.readList() ?? []
        let list = BusPartList(reading: bytes)
        let last = system.readResult().flatMap { BusResult(reading: $0) }
        let acts = BusBinding.acts(for: list, names: names, on: system.list(), after: last)
        // A run that is ended on the way, or cannot write at its end, leaves no part without its
        // maker; as the result of no list, this answers nothing.
        try save(BusResult(of: [], BusBinding.plan(acts)))
        var sentences = list.refused.map { "refused, as it is no part: \($0)" }
        var failed: Set<BusPart> = []
        var kept: [BusResult.Line] = []
        for act in acts {
            switch act {
            case .delete(let part):
                let error = write(BusPart.text(part.address), to: "delete_device", of: part)
                sentences.append(
                    "\(part.text): \(error == nil ? "taken back" : "cannot be taken back")"
                )
                guard let error else { continue }
                kept.append(BusResult.Line(part, error == .stranger ? .elsewhere : .kept))
            case .add(let part):
                let text = "\(part.name) \(BusPart.text(part.address))"
                if write(text, to: "new_device", of: part) != nil { failed.insert(part) }
            case .keep, .refuse: continue
            }
        }
        // What the list asks for stands first: a reader takes the first line of a place.
        let lines = outcomes(of: acts, failed) + kept.prefix(BusPartList.limit)
        sentences += lines.map { line in
            "\(line.part.text): \(line.outcome.rawValue)" + (line.other.map { " \($0)" } ?? "")
        }
        try save(BusResult(of: bytes, lines))
        return sentences
    }

    private func save(_ result: BusResult) throws {
        let path = system.resultPath
        _ = mkdir(Files.folder(of: path), 0o755)
        try Files.replace(path, with: result.bytes, mode: 0o644)
    }

    private enum Refusal {
        /// The kernel says that no `new_device` made it.
        case stranger
        case other
    }

    /// Writes a line; nil when the kernel took it.
    private func write(_ text: String, to file: String, of part: BusPart) -> Refusal? {
        let path = "\(system.devices)/i2c-\(part.bus)/\(file)"
        let raw = open(path, O_WRONLY | O_CLOEXEC)
        guard raw >= 0 else { return .other }
        let descriptor = OwnedDescriptor(raw)
        let bytes = Array((text + "\n").utf8)
        guard Glibc.write(descriptor.raw, bytes, bytes.count) != bytes.count else { return nil }
        // delete_device looks through the parts of new_device alone.
        return errno == ENOENT ? .stranger : .other
    }

    /// What became of each part of the list, once drivers have had their time.
    private func outcomes(of acts: [BusBinding.Act], _ failed: Set<BusPart>) -> [BusResult.Line] {
        var waited = 0
        while true {
            let buses = system.list()
            let lines = acts.compactMap { act -> BusResult.Line? in
                guard let part = act.part else { return nil }
                if case .refuse(_, let outcome, let other) = act {
                    return BusResult.Line(part, outcome, other)
                }
                if failed.contains(part) { return BusResult.Line(part, .failed) }
                let now = buses.first { $0.number == part.bus }?.parts
                    .first { $0.address == part.address }
                return now?.driver.map { BusResult.Line(part, .bound, $0) }
                    ?? BusResult.Line(part, .undriven)
            }
            guard lines.contains(where: { $0.outcome == .undriven }), waited < Self.patience else {
                return lines
            }
            // Waits for no descriptor at all.
            _ = poll(nil, 0, Int32(Self.pause))
            waited += Self.pause
        }
    }
}
