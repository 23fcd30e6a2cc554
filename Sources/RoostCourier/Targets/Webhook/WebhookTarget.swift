import Core

/// A server of the owner's that takes batches of samples as JSON.
///
/// Each batch has `Idempotency-Key`, the same at each repetition, and each item an id of its own.
struct WebhookTarget: SampleTarget {
    var traits: SampleTargetTraits
    private let url: MaskedText
    private let station: StationIdentity
    private let signer: WebhookSigner?
    private let expect: String?
    private let clock: any NodeClock
    var trust = ServerTrust.system
    /// Further fields of the head, as an `Authorization`.
    var fields: [OutboundRequest.Field] = []

    /// - Parameters:
    ///   - signer: Signs each batch; nil for none.
    ///   - expect: A part of the body of an answer that counts; nil for any.
    ///   - isAtMostOnce: Whether a batch of which no answer came is never sent again.
    ///   - clock: Gives the time of sending.
    init(
        url: MaskedText,
        station: StationIdentity,
        signer: WebhookSigner?,
        expect: String? = nil,
        isAtMostOnce: Bool = false,
        clock: any NodeClock
    ) {
        (self.url, self.station, self.signer) = (url, station, signer)
        (self.expect, self.clock) = (expect, clock)
        traits = SampleTargetTraits()
        traits.itemLimit = 500
        traits.repetition = isAtMostOnce ? .atMostOnce : .atLeastOnce
        // Delivery at most once may cost a write to the card each time.
        if isAtMostOnce { traits.liveInterval = .seconds(60) }
    }

    func leavesOut(_ sample: OutboxSample) -> LeftOut? { nil }

    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        try await network.outcome(of: request(batch)) { answer in
            // The receiver has this batch, by its key.
            if answer.status == 409, !answer.isHTML { return .delivered }
            let isProof = answer.isSuccess && !answer.isHTML
            if isProof, expect.map({ answer.text.contains($0) }) ?? true { return .delivered }
            return DeliveryClassifier.classify(answer)
        }
    }

    /// The request that sends a batch.
    func request(_ batch: SampleBatch) -> OutboundRequest {
        let sent = clock.wallTime.map { WireJSON.string($0.iso8601) } ?? "null"
        let body = WireJSON.object([
            ("station", WireJSON.string(station.id)),
            ("name", WireJSON.string(station.name)),
            ("batch", WireJSON.string(batch.id)),
            ("sent", sent),
            ("late", "\(batch.isLate)"),
            ("items", WireJSON.array(batch.samples.map(item))),
        ])
        var request = OutboundRequest(.post, url, json: body, fields)
        request.fields.append(.init("Idempotency-Key", MaskedText(batch.id)))
        if let signer { request.fields.append(signer.field(request.body)) }
        request.trust = trust
        request.isOnce = traits.repetition == .atMostOnce
        return request
    }

    private func item(_ sample: OutboxSample) -> String {
        var values: [(key: String, value: String)] = []
        var flags: [(key: String, value: String)] = []
        var missing: [(key: String, value: String)] = []
        for (quantity, outcome) in zip(sample.quantities, sample.outcomes) {
            switch outcome {
            case .value(let value, let quality):
                values.append((quantity.name, value.description))
                if !quality.isEmpty {
                    flags.append((quantity.name, WireJSON.strings(quality.names)))
                }
            case .noData(let reason):
                missing.append((quantity.name, WireJSON.string(reason.rawValue)))
            }
        }
        return WireJSON.object([
            ("id", WireJSON.string(sample.itemID(of: station))),
            ("t", sample.time.map { WireJSON.string($0.iso8601) } ?? "null"),
            ("device", WireJSON.string(sample.device)),
            ("values", WireJSON.object(values)),
            ("flags", WireJSON.object(flags)),
            ("none", WireJSON.object(missing)),
        ])
    }
}

extension OutboxSample {
    /// The same for the same sample for ever: station, stream, boot and tick.
    ///
    /// `7f3a21c9d0e4/3/cca67d31/28005850`; the boot is the first 8 digits of its id.
    func itemID(of station: StationIdentity) -> String {
        "\(station.id)/\(stream.rawValue)/\(boot.description.prefix(8))/\(tick.tenths)"
    }
}
