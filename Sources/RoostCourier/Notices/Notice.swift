import Core

/// One message for people about an alert.
package struct Notice: Hashable, Sendable {
    package enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
        case notice, warning, critical

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
    }

    package enum Kind: String, Hashable, Sendable {
        case raised, level, resolved, reminder, summary
    }

    /// The measured value that a notice is about.
    package struct Measurement: Hashable, Sendable {
        /// Quantity as people write it: `PM2.5`.
        package let quantity: String
        package let value: FixedPoint
        /// Unit, such as `µg/m³`.
        package let unit: String

        package init(quantity: String, value: FixedPoint, unit: String) {
            (self.quantity, self.value, self.unit) = (quantity, value, unit)
        }
    }

    /// Number that counts up over the store's life, by which a receiver recognises repeats.
    package let number: Int
    package let kind: Kind
    /// Rule and channel of the alert, such as `who-24h balcony/pm25`.
    package let key: String
    package let severity: Severity
    /// Title in the receiver's language, such as `Air Quality Alert`.
    package private(set) var title: String
    /// Subtitle, such as `PM2.5 of 16.1 µg/m³ (24 h mean, guideline 15) measured 07:49`.
    package let subtitle: String
    /// Lines of at most 200 bytes.
    package private(set) var body: [String]
    /// Time when the alert began, UTC; nil while the clock is not trusted.
    package let time: WallTime?
    /// URL of a page of the station; nil where the station has no address.
    package var link: String?
    /// Whether a person asked for it to try the receiver.
    package var isTest = false
    /// Measurement that the notice is about; nil for a notice without a value, such as a worn card.
    package var measurement: Measurement?
    /// Picture of the motion that it is about; receivers that cannot send pictures omit it.
    package var picture: NoticePicture?
    /// Language of the text: `en`, `de` or `it`.
    package var language = "en"

    package init(
        number: Int,
        kind: Kind,
        key: String,
        severity: Severity,
        text: (title: String, subtitle: String, body: [String]),
        time: WallTime?
    ) {
        (self.number, self.kind, self.key, self.severity) = (number, kind, key, severity)
        (title, subtitle, body) = (text.title, text.subtitle, text.body)
        self.time = time
    }

    /// Motion sensor that it is about; nil for other notices.
    ///
    /// Rules of motion have a name that begins with `motion`.
    package var motionSensor: String? {
        let parts = key.split(separator: " ", maxSplits: 1).map(String.init)
        guard kind != .resolved, parts.count == 2, parts[0].hasPrefix("motion") else { return nil }
        return parts[1]
    }

    /// Returns the notice without its picture, with a line that says why.
    package func without(_ lack: NoticePicture.Lack) -> Notice {
        var notice = self
        notice.picture = nil
        notice.body.append(lack.text(language))
        return notice
    }

    /// Returns the notice with the name of its station.
    func named(_ station: String?) -> Notice {
        var notice = self
        if let station, !station.isEmpty { notice.title = "\(station): \(title)" }
        return notice
    }

    /// Title, subtitle and body as one text.
    package var message: String { ([subtitle] + body).joined(separator: "\n") }
}

/// A way to reach people: ntfy, Telegram, mail, a webhook.
package protocol NoticeReceiver: Sendable {
    /// Whether a later notice of the same key replaces one that was not seen.
    var replaces: Bool { get }

    /// A request that sends nothing and succeeds if the service accepts the login; nil for none.
    var probe: OutboundRequest? { get }

    /// Whether it can send a notice: some services only take values.
    func takes(_ notice: Notice) -> Bool

    /// Sends one notice and waits for the server's answer.
    ///
    /// - Throws: `CancellationError` alone; what the network does is in the outcome.
    func deliver(
        _ notice: Notice,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome
}

extension NoticeReceiver {
    package var probe: OutboundRequest? { nil }

    package func takes(_ notice: Notice) -> Bool { true }
}
