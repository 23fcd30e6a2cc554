import Profiles

/// Parser of the targets of type `mqtt` in `courier.json`.
enum MQTTEntry {
    /// - Returns: Makes the target; nil with problems noted.
    static func read(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let place = place(&reader)
        let user = reader.object.string("user")
        let password = reader.secret("password", isRequired: user != nil)
        if user == nil, password != nil {
            reader.object.problem("user", "is missing: a password goes with a user")
        }
        let prefix = prefix(&reader)
        let hasDiscovery = reader.flag("homeAssistant", usual: true)
        let isByDevice = reader.object.string("discovery", in: ["device", "single"]) != "single"
        reader.object.record(usual: ["discovery": "device"])
        let proves = reader.flag("prove", usual: false)
        let clientID = clientID(&reader)
        guard let place, let prefix else { return nil }
        return { materials in
            let station = materials.station.id
            var broker = BrokerSettings(
                host: place.host,
                port: place.port,
                isEncrypted: place.isEncrypted,
                clientID: clientID ?? "roost-\(station)"
            )
            broker.user = user
            broker.password = try password.map(materials.secrets.secret)
            broker.trust = common.trust
            let topics = MQTTTopics(prefix: prefix, station: station)
            let payloads = MQTTPayloads(topics: topics, isByDevice: isByDevice)
            var settings = MQTTSettings(broker: broker, payloads: payloads)
            settings.hasDiscovery = hasDiscovery
            settings.proves = proves
            // A seed of its own, so that two stations answer Home Assistant at different moments.
            let seed = UInt64(station, radix: 16) ?? 1
            return .broker(MQTTTarget(settings, clock: materials.clock, seed: seed))
        }
    }

    private static func place(
        _ reader: inout EntryReader
    ) -> (host: String, port: Int, isEncrypted: Bool)? {
        // Port 8883 is registered for MQTT with TLS.
        let bare = BareHost(example: "192.168.1.5:1883") { $0 == "8883" ? "mqtts" : "mqtt" }
        guard let text = reader.url("url", schemes: ["mqtt", "mqtts"], bare: bare) else {
            return nil
        }
        let isEncrypted = text.hasPrefix("mqtts://")
        var rest = text.dropFirst(isEncrypted ? 8 : 7)
        if rest.last == "/" { rest.removeLast() }
        var port = isEncrypted ? 8_883 : 1_883
        let hasAddress = rest.first == "["
        let end = hasAddress ? rest.firstIndex(of: "]").map { rest.index(after: $0) } : nil
        let host = hasAddress ? rest[..<(end ?? rest.endIndex)] : rest.prefix { $0 != ":" }
        let tail = rest.dropFirst(host.count)
        if tail.first == ":", let number = Int(tail.dropFirst()), (1...65_535).contains(number) {
            port = number
        } else if !tail.isEmpty || host.contains("/") {
            let words = "expected mqtt://HOST:PORT, such as \(bare.example), found \"\(text)\""
            reader.object.problem("url", words)
            return nil
        }
        let name = hasAddress ? String(host.dropFirst().dropLast()) : String(host)
        return (name, port, isEncrypted)
    }

    private static func prefix(_ reader: inout EntryReader) -> String? {
        let prefix = reader.object.string("topic") ?? "roost"
        guard !MQTTTopics.isPrefix(prefix) else { return prefix }
        reader.object.problem(
            "topic",
            "expected letters, digits, _ and - with / between them, found \"\(prefix)\""
        )
        return nil
    }

    private static func clientID(_ reader: inout EntryReader) -> String? {
        guard let text = reader.object.string("clientID") else { return nil }
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        if !isPlain || !(1...64).contains(text.utf8.count) {
            reader.object.problem("clientID", "expected 1 to 64 visible characters of ASCII")
        }
        return text
    }
}
