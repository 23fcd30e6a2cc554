import Core

/// One thing to tell people.
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
        /// The quantity as people write it: `PM2.5`.
        package let quantity: String
        package let value: FixedPoint
        /// As `µg/m³`.
        package let unit: String

        package init(quantity: String, value: FixedPoint, unit: String) {
            (self.quantity, self.value, self.unit) = (quantity, value, unit)
        }
    }

    /// Counts up over the store's life, by which a receiver knows repeats.
    package let number: Int
    package let kind: Kind
    /// Rule and channel: `who-24h balcony/pm25`.
    package let key: String
    package let severity: Severity
    /// In the receiver's language: `Air Quality Alert`.
    package private(set) var title: String
    /// As `PM2.5 of 16.1 µg/m³ (24 h mean, guideline 15) measured 07:49`.
    package let subtitle: String
    /// Lines of at most 200 bytes.
    package private(set) var body: [String]
    /// When it began, UTC; nil while the clock is not trusted.
    package let time: WallTime?
    /// A page of the station; nil where it has no address.
    package var link: String?
    /// Whether a person asked for it to try the way.
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

    /// The motion sensor that it is about; nil of other notices.
    ///
    /// Rules of motion have a name that begins with `motion`.
    package var motionSensor: String? {
        let parts = key.split(separator: " ", maxSplits: 1).map(String.init)
        guard kind != .resolved, parts.count == 2, parts[0].hasPrefix("motion") else { return nil }
        return parts[1]
    }

    /// The same without its picture, and a line that says why.
    package func without(_ lack: NoticePicture.Lack) -> Notice {
        var notice = self
        notice.picture = nil
        notice.body.append(lack.words(language))
        return notice
    }

    /// The same with the name of the station that it is of.
    func named(_ station: String?) -> Notice {
        var notice = self
        if let station, !station.isEmpty { notice.title = "\(station): \(title)" }
        return notice
    }

    /// Title, subtitle and body as one text.
    package var message: String { ([subtitle] + body).joined(separator: "\n") }
}

/// A way to people: ntfy, Telegram, mail, a webhook.
package protocol NoticeReceiver: Sendable {
    /// Whether a later notice of the same key replaces one that was not seen.
    var replaces: Bool { get }

    /// A request that sends nothing and succeeds where the service knows us; nil without one.
    var probe: OutboundRequest? { get }

    /// Whether a notice is for it: some services take values alone.
    func takes(_ notice: Notice) -> Bool

    /// Sends one notice and waits for the server's word.
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
