import Profiles

/// Parser of the receivers in `courier.json` that have subscribers: Web Push and APNs.
enum PushKinds {
    static let webPush = "webpush"
    static let apns = "apns"

    static func readWebPush(
        _ reader: inout EntryReader,
        _ common: inout ReceiverOptions
    ) -> TargetDependencies.MakeReceiver? {
        refuseInterval(&reader)
        // The URLs come from those who subscribe: only addresses on the internet are allowed.
        (common.isPublicOnly, common.isLocal) = (true, false)
        reader.object.leaveOut(["local"])
        guard let contact = reader.object.required("contact") else { return nil }
        let isMail = contact.hasPrefix("mailto:") && contact.contains("@")
        let isClean = contact.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isMail || contact.hasPrefix("https://"), isClean, contact.utf8.count <= 200 else {
            let words = "expected mailto:NAME@HOST or https://HOST, found \"\(contact)\""
            reader.object.problem("contact", words)
            return nil
        }
        return { materials in
            let store = try materials.subscriberStore()
            let sender = WebPushSender(contact: contact, clock: materials.clock) {
                try await store.serverKey()
            }
            return PushReceiver(sender, to: store)
        }
    }

    static func readAPNs(
        _ reader: inout EntryReader,
        _ common: inout ReceiverOptions
    ) -> TargetDependencies.MakeReceiver? {
        refuseInterval(&reader)
        // The seed's app notifies again after each interval as long as the air is bad.
        common.remindsAtInterval = !reader.object.has("remindSeconds")
        let team = code("team", &reader)
        let keyID = code("keyID", &reader)
        let topic = reader.object.required("topic")
        let key = reader.secret("key")
        let words = APNsSender.Environment.allCases.map(\.rawValue)
        let environment = reader.object.string("environment", in: words)
        reader.object.record(usual: ["environment": APNsSender.Environment.production.rawValue])
        let url = reader.optionalURL("url", schemes: ["https"])
        guard let team, let keyID, let topic, let key else { return nil }
        let isPlain = topic.utf8.allSatisfy { byte in
            byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                || Character(UnicodeScalar(byte)).isLetter
                || Character(UnicodeScalar(byte)).isNumber
        }
        guard isPlain, topic.contains("."), topic.utf8.count <= 155 else {
            let words = "expected the app's bundle id, like org.example.air, found \"\(topic)\""
            reader.object.problem("topic", words)
            return nil
        }
        var settings = APNsSender.Settings(team: team, keyID: keyID, topic: topic)
        settings.environment = environment.flatMap(APNsSender.Environment.init) ?? .production
        settings.url = url.map { URLText.base(MaskedText($0)).revealed }
        settings.trust = common.trust
        return { [settings] materials in
            let pem = try materials.secrets.secret(key)
            // A dry run reads no secret, and shows nothing that is signed.
            let isDry = pem.reveal() == Secret.mask
            let own = isDry ? try CurveKey() : try CurveKey(pem: pem)
            let sender = APNsSender(settings, key: own, clock: materials.clock)
            return PushReceiver(sender, to: try materials.subscriberStore())
        }
    }

    /// Reads ten capital letters and digits, as Apple gives them.
    private static func code(_ key: String, _ reader: inout EntryReader) -> String? {
        guard let text = reader.object.required(key) else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        guard isPlain, text.utf8.count == 10 else {
            reader.object.problem(key, "expected 10 capital letters and digits, found \"\(text)\"")
            return nil
        }
        return text
    }

    private static func refuseInterval(_ reader: inout EntryReader) {
        reader.object.leaveOut(["everySeconds"])
        guard reader.object.has("everySeconds") else { return }
        reader.object.problem("everySeconds", "each subscriber chooses its own interval")
    }
}

extension TargetDependencies {
    /// - Throws: `CourierFilesError` where the process has no folder.
    func subscriberStore() throws(CourierFilesError) -> SubscriberStore {
        guard let subscribers else {
            throw CourierFilesError("there is no folder for subscribers here")
        }
        return subscribers
    }
}
