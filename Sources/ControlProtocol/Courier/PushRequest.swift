/// Arguments of `subscribe`, `unsubscribe` and `notify` in a `CourierRequest`.
package struct PushRequest: Codable, Hashable, Sendable {
    /// `subscribe`: `apns` or `webpush`.
    package var kind: String?
    /// `subscribe`, `unsubscribe`: a device's token, or a browser's endpoint.
    package var address: String?
    /// `subscribe` of a browser: its key and its secret, base64url.
    package var p256dh: String?
    package var auth: String?
    /// `subscribe`: seconds between two notices, 60…86 400; nil for 1 200.
    package var every: Int?
    /// `subscribe`: `en`, `de` or `it`; nil for `en`.
    package var language: String?
    /// `notify`: as people read it, `07:49 AM`.
    package var time: String?
    /// `notify`: `PM2.5` or `PM10`.
    package var pollutant: String?
    /// `notify`: a number as text.
    package var value: String?

    package init() {}
}

/// The answer to `subscribe` and `unsubscribe`.
package struct PushChangeReport: Codable, Hashable, Sendable {
    /// `added`, `changed`, `same`, `removed` or `notThere`.
    package let change: String
    /// Seconds between two notices, as stored; nil for a subscriber that is not there.
    package let every: Int?

    package init(change: String, every: Int? = nil) { (self.change, self.every) = (change, every) }
}

/// The answer to `notify`.
package struct PushNotifyReport: Codable, Hashable, Sendable {
    /// Whether it is sent; false when the rate limit is reached.
    package let isTaken: Bool
    /// Seconds until the next one may be sent, rounded up.
    package let retryAfterSeconds: Int?

    package init(isTaken: Bool, retryAfterSeconds: Int? = nil) {
        (self.isTaken, self.retryAfterSeconds) = (isTaken, retryAfterSeconds)
    }
}

/// The answer to `vapid`.
package struct PushKeyReport: Codable, Hashable, Sendable {
    /// The station's public point for push services, base64url of 65 bytes.
    package let key: String
    /// Whether a receiver of type `webpush` is configured; without one no browser gets anything.
    package let isOffered: Bool

    package init(key: String, isOffered: Bool) { (self.key, self.isOffered) = (key, isOffered) }
}

/// The answer to `subscribers`: who is there, without addresses.
package struct SubscribersReport: Codable, Hashable, Sendable {
    package struct Entry: Codable, Hashable, Sendable {
        /// Twelve digits that name it; the same as in the log.
        package let label: String
        package let kind: String
        /// The push service.
        package let host: String
        /// Seconds between two notices.
        package let every: Int
        package let language: String
        /// ISO 8601; nil where no clock could be trusted.
        package let since: String?

        package init(
            label: String,
            kind: String,
            host: String,
            every: Int,
            language: String,
            since: String?
        ) {
            (self.label, self.kind, self.host) = (label, kind, host)
            (self.every, self.language, self.since) = (every, language, since)
        }
    }

    /// The first `entryLimit`, in the order in which they came.
    package let subscribers: [Entry]
    package let count: Int
    /// Lines of the file that are not used, and why; the first 20.
    package let faults: [String]

    package static let entryLimit = 200

    package init(subscribers: [Entry], count: Int, faults: [String]) {
        (self.subscribers, self.count, self.faults) = (subscribers, count, faults)
    }
}
