import Core

/// Target for InfluxDB 1, 2 and 3, VictoriaMetrics, and other servers of line protocol over HTTP.
///
/// A point that is written again overwrites itself, so repeating a batch and halving it after a
/// refusal do no harm. VictoriaMetrics keeps each repetition as a further equal sample, and answers
/// 204 to a line that it drops.
struct InfluxTarget: ProvableTarget {
    /// Version of the server's interface for writing.
    enum Interface: Hashable, Sendable {
        /// `/write?db=`, of InfluxDB 1 and VictoriaMetrics.
        case one(database: String, user: String?, password: Secret?)
        /// `/api/v2/write?org=&bucket=`, of InfluxDB 2 and Cloud.
        case two(organisation: String, bucket: String, token: Secret)
        /// `/api/v3/write_lp?db=`, of InfluxDB 3.
        case three(database: String, token: Secret)
    }

    var traits = SampleTargetTraits()
    private let request: OutboundRequest
    private let format: LineProtocol
    private let reader: InfluxReader
    private let refused = RefusedFields()
    /// Clock by which refused fields are tried again; nil waits for the owner's order.
    var clock: (any NodeClock)?

    /// - Parameters:
    ///   - url: URL of the server, such as `http://192.168.1.5:8086`.
    ///   - interface: The server's way to write.
    ///   - trust: The certificates that the server may show.
    init(
        url: MaskedText,
        _ interface: Interface,
        _ format: LineProtocol,
        trust: ServerTrust = .system
    ) {
        self.format = format
        let base = URLText.base(url)
        var fields: [OutboundRequest.Field] = []
        let (address, place): (MaskedText, String)
        switch interface {
        case .one(let database, let user, let password):
            address = "\(base)/write?db=\(URLText.encoded(database))&precision=ms"
            place = database
            if let user, let password {
                // InfluxDB 1.8 and VictoriaMetrics's vmauth accept the usual basic authentication.
                fields.append(.basicAuthorisation(user: user, password: password))
            }
        case .two(let organisation, let bucket, let token):
            place = bucket
            let names = "org=\(URLText.encoded(organisation))&bucket=\(URLText.encoded(bucket))"
            address = "\(base)/api/v2/write?\(names)&precision=ms"
            fields.append(.init("Authorization", "Token \(token)"))
        case .three(let database, let token):
            address =
                "\(base)/api/v3/write_lp?db=\(URLText.encoded(database))&precision=millisecond"
            place = database
            fields.append(.init("Authorization", "Bearer \(token)"))
        }
        var reading = OutboundRequest(.get, "\(base)/query?db=\(URLText.encoded(place))", fields)
        reading.trust = trust
        reader = InfluxReader(request: reading, format: format)
        fields.append(.init("Content-Type", "text/plain; charset=utf-8"))
        var request = OutboundRequest(.post, address, fields)
        request.trust = trust
        self.request = request
    }

    func leavesOut(_ sample: OutboxSample) -> LeftOut? {
        let fields = zip(sample.quantities, sample.outcomes).filter { $0.1.value != nil }
        guard !fields.isEmpty else { return .noValue }
        let refused = refused.names(at: clock?.now)
        return fields.allSatisfy { refused.contains($0.0.name) } ? .refused : nil
    }

    var refusedChannels: [String: DeliveryReason] { refused.reasons(at: clock?.now) }

    func forgetRefusals() { refused.forget() }

    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        let request = write(batch)
        // A server would accept an empty body.
        guard !request.body.isEmpty else {
            return .refused(refusedChannels.values.first ?? DeliveryReason("no-field", "no field"))
        }
        return try await network.outcome(of: request) { answer in
            // 204 is the answer to a write and to nothing else; its body is empty.
            if answer.status == 204, !answer.isHTML { return .delivered }
            // The next batch is sent without the field; points are written again unchanged.
            if let reason = refused.learn(answer, of: batch.samples, at: clock?.now) {
                return .later(reason)
            }
            return InfluxPartialWrite.outcome(answer, of: batch.samples)
                ?? DeliveryClassifier.classify(answer)
        }
    }

    func holdings(
        of device: String,
        _ quantities: [String],
        in range: Range<WallTime>,
        over network: any CourierNetwork
    ) async throws -> [ValueSum]? {
        try await reader.holdings(of: device, quantities, in: range, over: network)
    }

    /// A request that writes no samples.
    var probe: OutboundRequest? { request }

    /// Makes the request that writes a batch.
    func write(_ batch: SampleBatch) -> OutboundRequest {
        var request = request
        let refused = refused.names(at: clock?.now)
        request.body = batch.samples.flatMap {
            Array((format.line($0, without: refused) ?? "").utf8)
        }
        return request
    }
}
