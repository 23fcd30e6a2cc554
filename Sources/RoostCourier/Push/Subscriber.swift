import Core
import Profiles
import Store

/// A phone or browser that asked for notices.
package struct Subscriber: Hashable, Sendable {
    /// Address of a subscriber.
    package enum Way: Hashable, Sendable {
        /// Apple's service, with the device's token in small hexadecimal digits.
        case apns(token: String)
        case webPush(PushEndpoint)
    }

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case apns, webpush
    }

    /// Default time between two notices, in seconds.
    static let standardInterval = 1_200
    /// Allowed intervals in seconds: 1 min…24 h.
    package static let intervals = 60...86_400

    package let way: Way
    /// Shortest time between two notices, in seconds.
    package var interval = standardInterval
    /// Language of the notices: `en`, `de` or `it`.
    package var language = "en"
    /// Time of the subscription; nil where no clock could be trusted.
    package var since: WallTime?

    package init(_ way: Way) { self.way = way }

    /// Makes a subscriber of a device's token, which Apple calls opaque and of variable length.
    ///
    /// - Parameter token: 32…400 hexadecimal digits, small or capital.
    package init(token: String) throws(PushMistake) {
        guard (32...400).contains(token.utf8.count), token.utf8.count % 2 == 0,
            Hexadecimal.bytes(token) != nil
        else { throw PushMistake("ID", "ID is 32 to 400 hexadecimal digits") }
        self.init(.apns(token: token.lowercased()))
    }

    package var kind: Kind {
        switch way {
        case .apns: .apns
        case .webPush: .webpush
        }
    }

    /// The token or the endpoint, which stays the same when the device subscribes again.
    package var address: String {
        switch way {
        case .apns(let token): token
        case .webPush(let endpoint): endpoint.url
        }
    }

    /// Name for logs and lists that hides the address: 12 digits.
    package var label: String {
        String(Hexadecimal.text(CourierCrypto.sha256(address)).prefix(12))
    }

    // MARK: On the card

    /// The text that is encrypted into a line of `subscribers.data`.
    ///
    /// A token with nothing beside it is the seed's own form, so that its server can read the line.
    var plain: String {
        if case .apns(let token) = way, interval == Self.standardInterval, language == "en" {
            return token
        }
        var members = [("kind", WireJSON.string(kind.rawValue))]
        members.append(("endpoint", WireJSON.string(address)))
        if case .webPush(let endpoint) = way {
            members.append(("p256dh", WireJSON.string(Base64.url(endpoint.key))))
            members.append(("auth", WireJSON.string(Base64.url(endpoint.secret))))
        }
        members.append(("every", "\(interval)"))
        members.append(("lang", WireJSON.string(language)))
        if let since { members.append(("at", WireJSON.string(since.iso8601))) }
        return WireJSON.object(members.map { (key: $0.0, value: $0.1) })
    }

    /// Parses what `plain` wrote, or the seed's token.
    init(plain: String) throws(PushMistake) {
        guard plain.hasPrefix("{") else {
            try self.init(token: plain)
            return
        }
        guard let json = WireJSON.parse(Array(plain.utf8)),
            let kind = json["kind"]?.string.flatMap(Kind.init),
            let address = json["endpoint"]?.string
        else { throw PushMistake("kind", "it is neither a token nor a subscriber's JSON") }
        switch kind {
        case .apns: try self.init(token: address)
        case .webpush:
            let (key, secret) = (json["p256dh"]?.string ?? "", json["auth"]?.string ?? "")
            self.init(.webPush(try PushEndpoint(url: address, key: key, secret: secret)))
        }
        let interval = json["every"]?.integer ?? Self.standardInterval
        guard Self.intervals.contains(interval) else {
            throw PushMistake("every", "every is 60 to 86400 seconds")
        }
        self.interval = interval
        if let word = json["lang"]?.string {
            guard ["en", "de", "it"].contains(word) else {
                throw PushMistake("lang", "lang is en, de or it")
            }
            language = word
        }
        since = json["at"]?.string.flatMap { WallTime(iso8601: $0) }
    }
}
