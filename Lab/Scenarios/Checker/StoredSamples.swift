import Core
import Store

/// All samples in the files, for look-ups one by one.
struct StoredSamples {
    struct Key: Hashable {
        let boot: BootID
        let tick: Tick
        let digest: UInt64
    }

    /// Keys by the first name of a device.
    private var keys: [String: Set<Key>] = [:]
    /// Ticks by device and by digest of the outcomes, for samples that were moved a little.
    private var moved: [String: [UInt64: [Int64]]] = [:]
    /// The oldest that is kept, by the first name of a device.
    private(set) var oldest: [String: (boot: BootID, tick: Tick)] = [:]
    private(set) var devices: [StreamID: String] = [:]
    private(set) var count = 0
    /// Samples that were imported, by device.
    private(set) var importedCounts: [String: Int] = [:]
    /// The first pair that is not in the order of time, as text.
    private(set) var disorder: String?

    private let records: LifeRecords

    init(_ reader: HistoryReader, _ records: LifeRecords) throws {
        self.records = records
        for stream in try reader.streams() {
            let device = records.firstName(of: stream.device)
            devices[stream.id] = device
            let spans = try reader.boots().map {
                HistorySpan(boot: $0.id, from: Tick(tenths: 0), to: .end)
            }
            let samples = try RawSamples(reader, stream.id, spans)
            guard !stream.id.isImported else {
                while try samples.next() != nil { importedCounts[stream.device, default: 0] += 1 }
                continue
            }
            var own: Set<Key> = []
            var last: BootSample?
            while let sample = try samples.next() {
                let digest = SampleDigest.of(sample.outcomes)
                own.insert(Key(boot: sample.boot, tick: sample.tick, digest: digest))
                moved[device, default: [:]][digest, default: []].append(sample.tick.tenths)
                if let last, last.boot == sample.boot, last.tick > sample.tick, disorder == nil {
                    disorder = "\(device): \(last.tick) before \(sample.tick)"
                }
                if oldest[device] == nil {
                    oldest[device] = (sample.boot, sample.tick)
                }
                last = sample
                count += 1
            }
            keys[device, default: []].formUnion(own)
        }
    }

    /// Whether exactly this is there.
    func has(_ device: String, _ key: Key) -> Bool {
        keys[records.firstName(of: device)]?.contains(key) == true
    }

    /// Whether a sample is there, up to six minutes from its time.
    ///
    /// An absence that is recorded afterwards can move the samples before it.
    func holds(_ device: String, _ key: Key) -> Bool {
        if has(device, key) { return true }
        let near = moved[records.firstName(of: device)]?[key.digest] ?? []
        return near.contains { abs($0 - key.tick.tenths) <= 3_600 }
    }
}
