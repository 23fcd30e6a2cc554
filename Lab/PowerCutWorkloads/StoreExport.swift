import Core
import Store

/// An export that reads a little after every step of the script, while the store writes.
final class StoreExport {
    private static let samplesPerStep = 97

    private let samples: RawSamples
    private let wanted: [BootSample]
    /// Where the next sample stands among those wanted; nil before the first.
    private var place: Int?
    private(set) var count = 0

    init(_ path: String, _ script: StoreScript) throws {
        let reader = try HistoryReader(path: path)
        let stream = StoreScript.streams[0].id
        samples = try RawSamples(reader, stream, try StreamExtents(reader).spans(of: stream))
        wanted = script.payloads.flatMap { $0.samples[stream] ?? [] }
    }

    func goOn() throws { try read(Self.samplesPerStep) }

    /// Reads the rest; what the ring recycled meanwhile may be missing, and nothing else.
    func finish() throws {
        try read(.max)
        guard count > 0 else { throw StoreWorkload.Wrong(description: "an export found nothing") }
    }

    private func read(_ limit: Int) throws {
        var done = 0
        while done < limit, let sample = try samples.next() {
            let from = place ?? 0
            guard let found = wanted[from...].firstIndex(of: sample) else {
                throw StoreWorkload.Wrong(description: "an export read \(sample) out of order")
            }
            place = found + 1
            (done, count) = (done + 1, count + 1)
        }
    }
}
