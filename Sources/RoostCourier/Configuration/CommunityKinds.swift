import Core
import Profiles
import Store

/// Parser of the targets in `courier.json` that send to services such as sensor.community.
enum CommunityKinds {
    static func sensorCommunity(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let sensor = sensor(&reader)
        let pins = pins(&reader)
        let url = reader.optionalURL("url").map { MaskedText($0) }
        guard let sensor, pins != nil || !reader.object.has("devices") else { return nil }
        return { materials in
            .samples(
                SensorCommunityTarget(
                    url: url ?? SensorCommunityTarget.standardURL,
                    sensor: try sensor.secret(materials.secrets),
                    pins: pins,
                    station: materials.station,
                    trust: common.trust
                )
            )
        }
    }

    static func madavi(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let sensor = sensor(&reader)
        let device = reader.object.string("device")
        let prefix = reader.object.string("prefix") ?? "SDS_"
        let url = reader.optionalURL("url").map { MaskedText($0) }
        guard let sensor else { return nil }
        return { materials in
            var target = MadaviTarget(
                url: url ?? MadaviTarget.standardURL,
                sensor: try sensor.secret(materials.secrets),
                device: device,
                prefix: prefix,
                station: materials.station
            )
            target.trust = common.trust
            return .samples(target)
        }
    }

    static func openSenseMap(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let box = reader.object.required("box").flatMap { box -> String? in
            if isID(box) { return box }
            reader.object.problem("box", "expected the box's id, 24 hexadecimal digits")
            return nil
        }
        let token = reader.secret("token")
        let sensors = sensors(&reader)
        let since = reader.object.string("since").flatMap { text -> WallTime? in
            let time = WallTime(iso8601: text)
            if time == nil {
                reader.object.problem("since", "expected a time like 2026-11-22T04:30:00Z")
            }
            return time
        }
        let url = reader.optionalURL("url").map { MaskedText($0) }
        guard let box, let token, let sensors else { return nil }
        return { materials in
            .samples(
                OpenSenseMapTarget(
                    OpenSenseMapTarget.Box(id: box, sensors: sensors, since: since),
                    token: try materials.secrets.secret(token),
                    url: url ?? OpenSenseMapTarget.standardURL,
                    trust: common.trust
                )
            )
        }
    }

    static func safecast(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let key = reader.secret("apiKey")
        let device = reader.object.string("device")
        let site = site(&reader)
        let number = reader.whole("deviceID", in: 1...Double(Int32.max))
        let url = reader.optionalURL("url").map { MaskedText($0) }
        guard let key, let site else { return nil }
        return { materials in
            var target = SafecastTarget(
                url: url ?? SafecastTarget.standardURL,
                key: try materials.secrets.secret(key),
                device: device,
                site: site,
                deviceNumber: number
            )
            target.trust = common.trust
            return .samples(target)
        }
    }

    // MARK: Parts

    /// Reads the sensor's id, with the board as the services register it: `raspi-00000000abcdef01`.
    private static func sensor(_ reader: inout EntryReader) -> TextSetting? {
        let setting = reader.secretText("sensor")
        guard case .plain(let id)? = setting else { return setting }
        let parts = id.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty { return setting }
        reader.object.problem("sensor", "expected the board before the id, as \"raspi-\(id)\"")
        return nil
    }

    /// Reads `"devices": { "sds011": { "pin": 1 } }`.
    private static func pins(_ reader: inout EntryReader) -> [String: Int]? {
        var pins: [String: Int] = [:]
        let example = "{ \"sds011\": { \"pin\": 1 } }"
        let names = reader.names("devices", example: example, isRequired: false)
        guard !names.isEmpty, var devices = reader.object.object("devices") else { return nil }
        for name in names {
            guard var device = devices.object(name) else { continue }
            if device.value("pin") == nil { device.problem("pin", "is missing") }
            if let pin = device.whole("pin", in: 1...255) { pins[name] = pin }
            device.finish()
        }
        return pins.count == names.count ? pins : nil
    }

    /// Reads `"sensors": { "sds011/pm25": "5a0c…" }`.
    private static func sensors(_ reader: inout EntryReader) -> [String: String]? {
        var sensors: [String: String] = [:]
        let names = reader.names("sensors", example: "{ \"sds011/pm25\": \"SENSOR\" }")
        guard !names.isEmpty, var object = reader.object.object("sensors") else { return nil }
        for name in names {
            guard let id = object.string(name) else { continue }
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            if parts.count != 2 || parts.contains("") {
                object.problem(name, "expected a channel like sds011/pm25")
            } else if !isID(id) {
                object.problem(name, "expected the sensor's id, 24 hexadecimal digits")
            } else {
                sensors[name] = id
            }
        }
        return sensors.count == names.count ? sensors : nil
    }

    /// Reads `"place": { "latitude": 46.0671, "longitude": 11.1211, "height": 2 }`.
    private static func site(_ reader: inout EntryReader) -> SafecastTarget.Site? {
        reader.object.record("place", .object)
        if reader.object.value("place") == nil { reader.object.problem("place", "is missing") }
        guard var place = reader.object.object("place") else { return nil }
        let latitude = degrees("latitude", in: -90...90, &place)
        let longitude = degrees("longitude", in: -180...180, &place)
        let height = place.whole("height", in: -500...10_000)
        place.finish()
        guard let latitude, let longitude else { return nil }
        return SafecastTarget.Site(latitude: latitude, longitude: longitude, height: height)
    }

    private static func degrees(
        _ key: String,
        in range: ClosedRange<Double>,
        _ place: inout ObjectReader
    ) -> FixedPoint? {
        let number = place.number(key, in: range)
        if place.value(key) == nil { place.problem(key, "is missing") }
        return number == nil ? nil : place.value(key)?.fixedPoint
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 24 && Hexadecimal.bytes(text) != nil
    }
}
