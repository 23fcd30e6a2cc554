import Core
import FoundationEssentials

@testable import Store

/// Files of `Fixtures/`; their origin is in `ORIGIN.md` beside them.
enum ExportFixture {
    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return try [UInt8](Data(contentsOf: URL(filePath: "/\(folder)/Fixtures/\(name)")))
    }

    static func lines(_ name: String) throws -> [Substring] {
        String(decoding: try bytes(name), as: UTF8.self).split(separator: "\n")
    }
}

extension BootID {
    static func numbered(_ number: UInt8) -> BootID {
        BootID(bytes: Array(repeating: number, count: 16))
    }
}

extension StreamDescription {
    static let balcony = StreamDescription(
        id: StreamID(1),
        device: "balcony",
        quantities: [.pm25, .pm10]
    )
}

extension DatedSample {
    /// A sample of the balcony in boot 1, as old as its wall time.
    init(at wall: WallTime?, _ outcomes: [Outcome], isSure: Bool = true) {
        self.init(
            stream: .balcony,
            boot: .numbered(1),
            tick: Tick(tenths: wall.map { $0.tenths - 17_000_000_000 } ?? 5),
            time: wall.map { ClockAnchors.Time(wall: $0, isSure: isSure) },
            outcomes: outcomes
        )
    }
}

/// The made-up readings of `Fixtures/Periods/make.py`.
struct PeriodSeries: Sequence, IteratorProtocol {
    private var state: UInt32 = 1
    private var index = 0
    let count: Int

    init(count: Int) { self.count = count }

    mutating func next() -> DatedSample? {
        guard index < count else { return nil }
        state = state &* 1_664_525 &+ 1_013_904_223
        defer { index += 1 }
        let outcomes = [state >> 8, state >> 16].map { number in
            Outcome.value(FixedPoint(Int64(number % 10_000), decimals: 1))
        }
        return DatedSample(at: WallTime(seconds: 1_709_164_740 + index * 60), outcomes)
    }
}

/// Files in memory, whole or as one FNV-1a 64 for each folder over name, NUL and content.
struct MemoryFolders: ExportFolders {
    var keepsFiles = true
    var files: [String: [UInt8]] = [:]
    var counts: [String: Int] = [:]
    var hashes: [String: UInt64] = [:]
    var open: [String: String] = [:]
    var largestWrite = 0

    mutating func open(folder: String, name: String) {
        precondition(open[folder] == nil, "a file is open in \(folder)")
        precondition(files["\(folder)/\(name)"] == nil, "\(name) is there already")
        open[folder] = name
        counts[folder, default: 0] += 1
        hash(Array(name.utf8) + [0], folder)
        if keepsFiles { files["\(folder)/\(name)"] = [] }
    }

    mutating func write(_ bytes: [UInt8], folder: String) {
        largestWrite = max(largestWrite, bytes.count)
        hash(bytes, folder)
        if keepsFiles { files["\(folder)/\(open[folder] ?? "?")", default: []] += bytes }
    }

    mutating func close(folder: String) {
        precondition(open[folder] != nil, "no file is open in \(folder)")
        open[folder] = nil
    }

    private mutating func hash(_ bytes: [UInt8], _ folder: String) {
        var value = hashes[folder, default: 0xCBF2_9CE4_8422_2325]
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hashes[folder] = value
    }
}
