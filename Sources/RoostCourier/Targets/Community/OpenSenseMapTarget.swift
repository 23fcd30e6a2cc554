import Core
import Profiles
import Store
import Synchronization

/// Target for openSenseMap: samples with their dates, into the sensors of one box.
///
/// The service stores an equal measurement twice, and can be asked. So after a start, and after a
/// request without an answer, the target reads the box's measurements in the batch's time and
/// sends only the missing ones.
///
/// - Source: sensebox/openSenseMap-API, `packages/models/src/measurement`.
final class OpenSenseMapTarget: ProvableTarget {
    /// One box at the service, as its owner set it up.
    struct Box: Hashable, Sendable {
        /// Id of the box: 24 hexadecimal digits.
        let id: String
        /// Ids of the sensors at the service, by channel such as `dust/pm25`.
        let sensors: [String: String]
        /// Time when the box was made: older samples would change its first place.
        let since: WallTime?

        init(id: String, sensors: [String: String], since: WallTime? = nil) {
            (self.id, self.sensors, self.since) = (id, sensors, since)
        }
    }

    static let standardURL: MaskedText = "https://api.opensensemap.org"

    private struct Measurement: Hashable {
        let sensor: String
        let value: String
        let time: String
    }

    let traits: SampleTargetTraits
    private let base: MaskedText
    private let token: Secret
    private let sensors: [String: String]
    private let since: WallTime?
    private let trust: ServerTrust
    /// Whether a measurement may have arrived without an answer.
    private let isUnsure = Mutex(true)

    /// - Parameters:
    ///   - trust: The certificates that the service may show.
    init(
        _ box: Box,
        token: Secret,
        url: MaskedText = standardURL,
        trust: ServerTrust = .system
    ) {
        base = "\(URLText.base(url))/boxes/\(URLText.encoded(box.id))/data"
        (self.token, self.trust) = (token, trust)
        (sensors, since) = (box.sensors, box.since)
        var traits = SampleTargetTraits()
        // An answer with this many measurements of one sensor has at most 64 KiB.
        traits.itemLimit = 400
        traits.pace = .seconds(10)
        self.traits = traits
    }

    func leavesOut(_ sample: OutboxSample) -> LeftOut? {
        if let since, let time = sample.time, time < since { return .tooOld }
        return measurements(sample).isEmpty ? .noValue : nil
    }

    func takes(_ channels: SampleChannels) -> Bool {
        channels.chosen.contains { sensors["\(channels.device)/\($0.name)"] != nil }
    }

    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        var wanted = batch.samples.flatMap(measurements)
        if isUnsure.withLock({ $0 }) {
            do {
                wanted = try await missing(of: wanted, over: network)
            } catch let failure as Unanswered {
                return failure.outcome
            }
        }
        guard !wanted.isEmpty else { return .delivered }
        let outcome = try await network.outcome(of: request(wanted)) { answer in
            answer.status == 201 && answer.text.contains("Measurements saved in box")
                ? .delivered : DeliveryClassifier.classify(answer)
        }
        if case .unknown = outcome {
            isUnsure.withLock { $0 = true }
        } else if outcome == .delivered {
            isUnsure.withLock { $0 = false }
        }
        return outcome
    }

    /// Makes the request for a whole batch.
    func request(_ batch: SampleBatch) -> OutboundRequest {
        request(batch.samples.flatMap(measurements))
    }

    private func request(_ measurements: [Measurement]) -> OutboundRequest {
        let items = measurements.map { measurement in
            WireJSON.object([
                ("sensor", WireJSON.string(measurement.sensor)),
                ("value", WireJSON.string(measurement.value)),
                ("createdAt", WireJSON.string(measurement.time)),
            ])
        }
        let body = WireJSON.array(items)
        let field = OutboundRequest.Field("Authorization", "\(token)")
        var request = OutboundRequest(.post, base, json: body, [field])
        request.trust = trust
        return request
    }

    private func measurements(_ sample: OutboxSample) -> [Measurement] {
        guard let time = sample.time else { return [] }
        return zip(sample.quantities, sample.outcomes).compactMap { quantity, outcome in
            guard let value = outcome.value, let id = sensors["\(sample.device)/\(quantity.name)"]
            else { return nil }
            return Measurement(sensor: id, value: value.description, time: time.iso8601)
        }
    }

    private struct Unanswered: Error {
        let outcome: DeliveryOutcome
        /// Whether a shorter time range may be answered.
        var isTooLarge = false
    }

    /// Returns the measurements that the box does not have, in their order.
    private func missing(
        of wanted: [Measurement],
        over network: any CourierNetwork
    ) async throws -> [Measurement] {
        var kept: [Measurement: Int] = [:]
        for sensor in Set(wanted.map(\.sensor)).sorted() {
            let times = wanted.filter { $0.sensor == sensor }.map(\.time).sorted()
            guard let first = times.first, let last = times.last else { continue }
            let rows = try await rows(sensor, first, last, network)
            for row in rows {
                let time = row.time.iso8601
                kept[Measurement(sensor: sensor, value: "", time: time), default: 0] += 1
            }
        }
        return wanted.filter { measurement in
            let place = Measurement(sensor: measurement.sensor, value: "", time: measurement.time)
            guard let count = kept[place], count > 0 else { return true }
            kept[place] = count - 1
            return false
        }
    }

    private struct Row {
        let time: WallTime
        /// Value of the measurement; nil where it is not a number.
        let value: Double?
    }

    /// Asks for a sensor's measurements, both ends included.
    ///
    /// - Throws: `Unanswered`; `CancellationError`.
    private func rows(
        _ sensor: String,
        _ first: String,
        _ last: String,
        _ network: any CourierNetwork
    ) async throws -> [Row] {
        let range = "from-date=\(URLText.encoded(first))&to-date=\(URLText.encoded(last))"
        let url: MaskedText = "\(base)/\(URLText.encoded(sensor))?\(range)"
        let answer: OutboundAnswer
        do {
            var request = OutboundRequest(.get, url)
            request.trust = trust
            answer = try await network.exchange(request)
        } catch let failure as NetworkFailure {
            // This question changes nothing at the service, so it may be repeated.
            let reason = DeliveryReason("cannot-ask", failure.words)
            throw Unanswered(outcome: .later(reason), isTooLarge: failure.stage == .malformed)
        }
        guard answer.status == 200, let rows = WireJSON.parse(answer.body)?.elements else {
            throw Unanswered(outcome: DeliveryClassifier.classify(answer))
        }
        return rows.compactMap { row in
            row["createdAt"]?.string.flatMap { WallTime(iso8601: $0) }
                .map { Row(time: $0, value: row["value"]?.string.flatMap { Double($0) }) }
        }
    }

    // MARK: Proof

    func sends(_ quantity: String, of device: String) -> Bool {
        sensors["\(device)/\(quantity)"] != nil
    }

    func holdings(
        of device: String,
        _ quantities: [String],
        in range: Range<WallTime>,
        over network: any CourierNetwork
    ) async throws -> [ValueSum]? {
        var sums: [ValueSum] = []
        for quantity in quantities {
            guard let sensor = sensors["\(device)/\(quantity)"] else {
                sums.append(ValueSum())
                continue
            }
            do {
                sums.append(try await sum(sensor, range, network))
            } catch is Unanswered {
                return nil
            }
        }
        return sums
    }

    /// Sums a sensor's values; a time with too much for one answer (64 KiB) is halved, to a minute.
    private func sum(
        _ sensor: String,
        _ range: Range<WallTime>,
        _ network: any CourierNetwork
    ) async throws -> ValueSum {
        let (start, end) = (range.lowerBound.nanoseconds, range.upperBound.nanoseconds)
        do {
            let ends = (range.lowerBound.iso8601, range.upperBound.iso8601)
            let rows = try await rows(sensor, ends.0, ends.1, network)
            var sum = ValueSum()
            for row in rows where range.contains(row.time) { row.value.map { sum.add($0) } }
            return sum
        } catch let failure as Unanswered where failure.isTooLarge {
            guard end - start > 60_000_000_000 else { throw failure }
            // The service's questions take whole seconds.
            let middle = WallTime(seconds: Int((start + (end - start) / 2) / 1_000_000_000))
            let first = try await sum(sensor, range.lowerBound..<middle, network)
            let second = try await sum(sensor, middle..<range.upperBound, network)
            return ValueSum(count: first.count + second.count, sum: first.sum + second.sum)
        }
    }
}
