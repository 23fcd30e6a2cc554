import Core

@testable import Store

/// Imported samples, known by source and time as in a store.
final class ImportedFiles {
    struct Key: Hashable {
        let source: String
        let wall: WallTime
    }
    var samples: [ImportedSample] = []
    private var keys: Set<Key> = []

    func load(
        _ bytes: [UInt8],
        as format: ImportFormat,
        pieces size: Int = 4_096
    ) throws -> ImportReport {
        var file = ImportFile(
            "day.csv",
            as: format,
            isKnown: { self.keys.contains(Key(source: $0, wall: $1)) },
            take: { sample in
                self.samples.append(sample)
                self.keys.insert(Key(source: sample.source, wall: sample.wall))
            }
        )
        for start in stride(from: 0, to: bytes.count, by: size) {
            try file.receive(bytes[start..<min(start + size, bytes.count)])
        }
        return try file.finish()
    }
}
