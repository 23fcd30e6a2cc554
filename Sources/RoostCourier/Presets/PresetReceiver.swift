import Core
import Profiles
import StoreQueries

/// Sends notices to a service that a preset describes.
struct PresetReceiver: NoticeReceiver {
    let preset: Preset
    private let station: StationIdentity
    private let settings: [String: TemplateValue]
    private let zone: Zone
    /// Signs each request; nil for none.
    var signer: WebhookSigner?
    private let trust: ServerTrust

    var replaces: Bool { preset.replaces }

    /// - Parameters:
    ///   - settings: The owner's values by the preset's names; what lacks has its default.
    ///   - zone: Time zone of dates in the text.
    ///   - trust: The certificates that the server may show.
    init(
        _ preset: Preset,
        settings: [String: TemplateValue],
        station: StationIdentity,
        zone: Zone,
        trust: ServerTrust = .system
    ) {
        (self.preset, self.station, self.zone, self.trust) = (preset, station, zone, trust)
        let defaults = preset.settings.compactMap { setting in
            setting.fallback.map { (setting.name, TemplateValue.text($0)) }
        }
        self.settings = settings.merging(defaults) { own, _ in own }
    }

    /// Names of settings that the owner has to give and did not.
    var missingSettings: [String] {
        preset.settings.filter { !$0.isOptional && settings[$0.name] == nil }.map(\.name)
    }

    func takes(_ notice: Notice) -> Bool {
        let values = self.values(notice)
        return preset.needs.allSatisfy { values[$0].map { $0 != .none } ?? false }
    }

    var probe: OutboundRequest? {
        guard let probe = preset.probe else { return nil }
        let url = probe.url.render(settings, in: zone)
        var request = OutboundRequest(.get, url, fields(probe.headers, settings))
        request.trust = trust
        return request
    }

    /// Makes the request for a notice.
    func request(_ notice: Notice) -> OutboundRequest {
        let values = self.values(notice)
        let body = preset.body.render(values, in: zone)
        var request = OutboundRequest(
            preset.method,
            preset.url.render(values, in: zone),
            fields(preset.headers, values),
            body: Array(body.revealed.utf8)
        )
        if body.revealed != body.shown { request.shownBody = body.shown }
        request.trust = trust
        if let signer { request.fields.append(signer.field(request.body)) }
        return request
    }

    func deliver(
        _ notice: Notice,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        let values = self.values(notice)
        if let picture = notice.picture, let form = preset.picture {
            let request = request(picture, form, values)
            let outcome = try await network.outcome(of: request) { classify($0, values) }
            // A server may accept notices and refuse files, or larger files.
            guard case .refused(let reason) = outcome else { return outcome }
            return try await deliver(notice.without(.refused(reason.words)), over: network)
        }
        return try await network.outcome(of: request(notice)) { classify($0, values) }
    }

    private func request(
        _ picture: NoticePicture,
        _ form: Preset.Picture,
        _ values: [String: TemplateValue]
    ) -> OutboundRequest {
        var fields = fields(form.headers, values)
        var body = picture.bytes
        if let file = form.file {
            let parts = form.fields.map { field in
                (field.name, field.value.render(values, in: zone).revealed)
            }
            let data = FormData(parts, file: file, picture)
            body = data.body
            fields.append(.init("Content-Type", MaskedText(data.type)))
        }
        var request = OutboundRequest(
            form.method,
            form.url.render(values, in: zone),
            fields,
            body: body
        )
        request.shownBody = "\(body.count) bytes with \(picture.name)"
        request.trust = trust
        if let signer { request.fields.append(signer.field(request.body)) }
        return request
    }

    private func fields(
        _ headers: [Preset.Header],
        _ values: [String: TemplateValue]
    ) -> [OutboundRequest.Field] {
        headers.compactMap { header in
            let value = header.value.render(values, in: zone)
            return value.revealed.isEmpty ? nil : .init(header.name, value)
        }
    }

    private func values(_ notice: Notice) -> [String: TemplateValue] {
        NoticeValues.values(notice, station).merging(settings) { own, _ in own }
    }

    private func classify(
        _ answer: OutboundAnswer,
        _ values: [String: TemplateValue]
    ) -> DeliveryOutcome {
        guard !answer.isHTML else { return DeliveryClassifier.classify(answer) }
        let json = WireJSON.parse(answer.body)
        for rule in preset.rules where holds(rule.when, answer, json, values) {
            return outcome(rule, answer, json)
        }
        return holds(preset.proof, answer, json, values)
            ? .delivered : DeliveryClassifier.classify(answer)
    }

    private func outcome(
        _ rule: Preset.Rule,
        _ answer: OutboundAnswer,
        _ json: JSONValue?
    ) -> DeliveryOutcome {
        let words = rule.description ?? "status \(answer.status): \(answer.excerpt)"
        let reason = DeliveryReason("status-\(answer.status)", words)
        switch rule.meaning {
        case .delivered: return .delivered
        case .hold: return .hold(reason)
        case .refused: return .refused(reason)
        case .later:
            let said = rule.waitPath.flatMap { Self.value(at: $0, in: json)?.integer }
            let seconds = said.map { min(max($0, 0), 86_400) } ?? rule.waitSeconds
            return .later(reason, afterSeconds: seconds ?? DeliveryClassifier.retryAfter(answer))
        }
    }

    private func holds(
        _ condition: Preset.Condition,
        _ answer: OutboundAnswer,
        _ json: JSONValue?,
        _ values: [String: TemplateValue]
    ) -> Bool {
        guard condition.statuses.isEmpty || condition.statuses.contains(answer.status) else {
            return false
        }
        if let part = condition.contains, !answer.text.contains(part) { return false }
        return condition.json.allSatisfy { path, expected in
            guard let found = Self.value(at: path, in: json), found != .null else { return false }
            switch expected {
            case .present: return true
            case .value(let value): return found == value
            case .text(let template):
                return found.string == template.render(values, in: zone).revealed
            }
        }
    }

    private static func value(at path: String, in json: JSONValue?) -> JSONValue? {
        path.split(separator: ".").reduce(json) { $0?[String($1)] }
    }
}
