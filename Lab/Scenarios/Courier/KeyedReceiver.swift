import ControlProtocol
import Core
import CourierSimulation
import RoostCourier
import Store
import Synchronization

/// A server that keeps each sample once, by the id that the courier gives it.
///
/// Outlives the station's processes and boots, and the courier's.
final class KeyedReceiver: SimulatedServer {
    /// A batch as the courier writes it.
    private struct Batch: Decodable {
        struct Item: Decodable {
            let id: String
            let t: String?
            let device: String
            let values: [String: Double]
            let none: [String: String]
        }

        let items: [Item]
    }

    private struct State {
        var digests: [SampleKey: UInt64] = [:]
        var valued: Set<SampleKey> = []
        var dates: [SampleKey: WallTime] = [:]
        var refused: Set<SampleKey> = []
        var itemCount = 0
        var requestCount = 0
        var changed: String?
    }

    private let state = Mutex(State())

    /// Digest of each sample that it has.
    var digests: [SampleKey: UInt64] { state.withLock { $0.digests } }
    /// Samples of the receiver that have a value.
    var valued: Set<SampleKey> { state.withLock { $0.valued } }
    /// When its samples were, by the courier's word.
    var dates: [SampleKey: WallTime] { state.withLock { $0.dates } }
    /// Samples that it refused while it rejected such.
    var refused: Set<SampleKey> { state.withLock { $0.refused } }
    /// Samples in all requests, also those that came again.
    var itemCount: Int { state.withLock { $0.itemCount } }
    var requestCount: Int { state.withLock { $0.requestCount } }
    /// The first sample that came twice with different values.
    var changed: String? { state.withLock { $0.changed } }

    /// Counts a request of which nothing is kept.
    func forget() { state.withLock { $0.requestCount += 1 } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        answer(request, rejecting: false)
    }

    /// Keeps the samples of a request, or refuses them all.
    ///
    /// - Parameters:
    ///   - isRejecting: Whether one sample in 64 is such that a batch with it is refused.
    ///   - date: Stands in the place of all dates; see `PlantedBug`.
    /// - Returns: 200, or 400 for what it refuses.
    func answer(
        _ request: OutboundRequest,
        rejecting isRejecting: Bool,
        at date: WallTime? = nil
    ) -> OutboundAnswer {
        guard let batch = try? ControlCodec.message(Batch.self, from: request.text) else {
            return OutboundAnswer(400, text: "no batch")
        }
        let items = batch.items.compactMap { item in
            SampleKey(item.id, of: item.device).map { (key: $0, item: item) }
        }
        guard items.count == batch.items.count else { return OutboundAnswer(400, text: "no id") }
        return state.withLock { state in
            state.requestCount += 1
            let bad = isRejecting ? items.filter { $0.key.isUnlucky } : []
            guard bad.isEmpty else {
                if items.count == 1 { state.refused.formUnion(bad.map(\.key)) }
                return OutboundAnswer(400, text: "\(bad.count) of \(items.count) are refused")
            }
            for (key, item) in items {
                let digest = DeliveredDigest.of(item.values, none: item.none)
                if !item.values.isEmpty { state.valued.insert(key) }
                state.dates[key] = date ?? item.t.flatMap { WallTime(iso8601: $0) }
                let before = state.digests.updateValue(digest, forKey: key)
                if let before, before != digest, state.changed == nil { state.changed = item.id }
            }
            state.itemCount += items.count
            return OutboundAnswer(200, text: "thanks")
        }
    }
}

/// A sample by its stream, its boot's first digits and its tick, with the device's name then.
struct SampleKey: Hashable, Sendable {
    let device: String
    let stream: UInt16
    let boot: String
    let tenths: Int64

    /// - Parameters:
    ///   - text: As `7f3a21c9d0e4/3/cca67d31/28005850`.
    init?(_ text: String, of device: String) {
        let parts = text.split(separator: "/")
        guard parts.count == 4, let stream = UInt16(parts[1]), let tenths = Int64(parts[3]) else {
            return nil
        }
        (self.device, self.stream, boot) = (device, stream, String(parts[2]))
        self.tenths = tenths
    }

    init(_ device: String, _ stream: StreamID, _ boot: BootID, _ tick: Tick) {
        (self.device, self.stream) = (device, stream.rawValue)
        (self.boot, tenths) = (String(boot.description.prefix(8)), tick.tenths)
    }

    /// Returns the key of the same sample of a device with another name.
    func named(_ name: (String) -> String) -> SampleKey {
        SampleKey(device: name(device), stream: stream, boot: boot, tenths: tenths)
    }

    private init(device: String, stream: UInt16, boot: String, tenths: Int64) {
        (self.device, self.stream) = (device, stream)
        (self.boot, self.tenths) = (boot, tenths)
    }

    /// Whether a receiver that rejects now and then does not like it.
    var isUnlucky: Bool { (UInt64(bitPattern: tenths) &* 0x9E37_79B9_7F4A_7C15) >> 58 == 0 }
}

/// A hash of what a batch says of a sample, the same in every process.
enum DeliveredDigest {
    static func of(_ values: [String: Double], none: [String: String]) -> UInt64 {
        var sum: UInt64 = 0
        for (name, value) in values { sum &+= word(name, value.bitPattern) }
        for (name, reason) in none { sum &+= word(name, word(reason, 7)) }
        return sum
    }

    static func of(_ quantities: [Quantity], _ outcomes: [Outcome]) -> UInt64 {
        var (values, none) = ([String: Double](), [String: String]())
        for (quantity, outcome) in zip(quantities, outcomes) {
            switch outcome {
            case .value(let value, _): values[quantity.name] = Double(value.description) ?? .nan
            case .noData(let reason): none[quantity.name] = reason.rawValue
            }
        }
        return of(values, none: none)
    }

    private static func word(_ text: String, _ seed: UInt64) -> UInt64 {
        var sum = seed ^ 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return sum ^ sum >> 31
    }
}
