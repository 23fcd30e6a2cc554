import Alerts
import Core
import Devices
import HardwareIO
import Profiles

/// A station's configuration with the owner's settings put over it, and what of them is left out.
///
/// The file wins: what it sets is locked, and a device that it names or reaches is not added again.
/// What is left out stays in the overlay, and counts again once nothing is in its way.
package struct OverlaidConfiguration: Sendable {
    package let configuration: StationConfiguration
    /// Mistakes, with their place within the overlay: `devices.board.address`.
    package let problems: [ConfigurationProblem]

    /// - Parameters:
    ///   - base: As the file has it.
    ///   - catalog: Knows the types of devices.
    package init(
        _ base: StationConfiguration,
        _ overlay: StationOverlay,
        catalog: ProfileCatalog
    ) {
        let problems = ProblemList()
        var builder = Builder(next: base, file: base.file, catalog: catalog, problems: problems)
        if let reader = ObjectReader(.object(overlay.fields), at: "", problems) {
            builder.merge(reader, overlay)
        }
        (configuration, self.problems) = (builder.next, problems.problems)
    }
}

private struct Builder {
    var next: StationConfiguration
    let file: String
    let catalog: ProfileCatalog
    let problems: ProblemList

    mutating func merge(_ reader: ObjectReader, _ overlay: StationOverlay) {
        var reader = reader
        if let title = reader.title("title") {
            if next.setsTitle { locked("title") } else { next.title = title }
        }
        if let zone = reader.zone("zone") {
            if next.setsZone { locked("zone") } else { next.zone = zone }
        }
        if let position = reader.position("position") {
            if next.setsPosition { locked("position") } else { next.position = position }
        }
        if let tiles = reader.tiles("tiles") {
            if next.setsTiles { locked("tiles") } else { next.tiles = tiles }
        }
        if let finds = reader.stations("stations") {
            if next.setsStations { locked("stations") } else { next.findsStations = finds }
        }
        if let levels = reader.levels("levels") {
            if next.setsLevels { locked("levels") } else { next.levels = levels }
        }
        if let first = reader.channels("nowFirst") {
            if next.setsNowFirst { locked("nowFirst") } else { next.nowFirst = first }
        }
        if let hidden = reader.channels("nowHidden") {
            if next.setsNowHidden { locked("nowHidden") } else { next.nowHidden = hidden }
        }
        if let alerts = reader.object("alerts") { merge(alerts, of: overlay) }
        if let value = reader.value("devices"), ObjectReader(value, at: "devices", problems) != nil
        {
            for (name, value) in overlay.devices.sorted(by: { $0.key < $1.key }) {
                merge(device: name, value)
            }
        }
        reader.finish()
    }

    private func locked(_ place: String) {
        let path = PlainText.shown(file, limit: 200)
        problems.add(place, "is set in \(path), which counts; change it there")
    }

    /// Puts the owner's rules over those of the file; one with a mistake is left out alone.
    private mutating func merge(_ reader: ObjectReader, of overlay: StationOverlay) {
        var reader = reader
        if let value = reader.value("rules") {
            _ = ObjectReader(value, at: reader.path("rules"), problems)
        }
        reader.finish()
        for (id, value) in overlay.rules.sorted(by: { $0.key < $1.key }) {
            let place = "alerts.rules.\(id)"
            guard !next.alerts.isFixed(id) else {
                locked(place)
                next.alerts.hidden[id] = value.text
                continue
            }
            guard let entry = OwnerRule(value, id: id, at: place, problems) else { continue }
            next.alerts.settings[id] = entry
            let isKnown = next.alerts.listed.contains { $0.rule.id == id }
            let (limit, alerts) = (AlertRule.countMax, next.alerts)
            if isKnown, max(alerts.rules.count, alerts.settings.count) <= limit { continue }
            next.alerts.settings[id] = nil
            problems.add(
                place,
                isKnown ? "\(limit) rules are the limit; remove one" : "no rule has this id"
            )
        }
    }

    private mutating func merge(device name: String, _ value: JSONValue) {
        let place = "devices.\(name)"
        guard PlainName.fits(name) else {
            return problems.add(place, "expected \(PlainName.form) as its name")
        }
        guard var reader = ObjectReader(value, at: place, problems) else { return }
        if let records = reader.bool("record") {
            if next.fixedSettings[name]?.contains("record") == true {
                locked("\(place).record")
            } else if !records {
                next.unrecorded.insert(name)
            }
        }
        if let title = reader.title("title") {
            if next.fixedSettings[name]?.contains("title") == true {
                locked("\(place).title")
            } else {
                next.titles[name] = title
            }
        }
        guard reader.has("type") else {
            setInterval(of: name, &reader)
            return reader.finish()
        }
        guard !next.devices.contains(where: { $0.name == name }) else {
            return problems.add(place, "\(file) has a device of this name, which counts")
        }
        guard next.devices.count < StationConfiguration.deviceLimit else {
            let limit = StationConfiguration.deviceLimit
            return problems.add(place, "a station has at most \(limit) devices; remove one")
        }
        if isTrafficLight(value) {
            if let lights = lamps(name, value, place) { next.use(own: lights) }
            return
        }
        guard let device = added(name, value, place) else { return }
        next.add(own: device)
    }

    private func isTrafficLight(_ value: JSONValue) -> Bool {
        guard case .object(let fields) = value else { return false }
        return fields["type"] == .string("traffic-light")
    }

    /// The three lamps as the owner described them; nil with problems noted.
    private func lamps(
        _ name: String,
        _ value: JSONValue,
        _ place: String
    ) -> LightsConfiguration? {
        guard case .object(var fields) = value else { return nil }
        guard name == LightsConfiguration.name else {
            problems.add("\(place).name", "a traffic light has the name lights")
            return nil
        }
        guard next.lights == nil else {
            problems.add(place, "\(file) has `lights`, which counts; change it there")
            return nil
        }
        (fields["record"], fields["title"], fields["type"]) = (nil, nil, nil)
        let before = problems.problems.count
        // A path as output is for the file alone: the station writes to it.
        if fields.removeValue(forKey: "output") != nil {
            problems.add("\(place).output", "belongs in the configuration file")
        }
        let light = catalog.profiles.first { $0.driver == "traffic-light" }
        let lamps = ObjectReader(.object(fields), at: place, problems).flatMap {
            LightsConfiguration($0, light, next.board)
        }
        guard let lamps, problems.problems.count == before else { return nil }
        let used = Array(zip(["red", "yellow", "green"], lamps.usedLines))
        for (index, (key, line)) in used.enumerated() {
            if let twin = used.prefix(index).first(where: { $0.1.isSame(as: line) }) {
                problems.add("\(place).\(key)", "line \(line.line) is that of \(twin.0) too")
            }
            demandFree(line, "\(place).\(key)")
        }
        return problems.problems.count == before ? lamps : nil
    }

    /// Notes a problem where another device has a line.
    private func demandFree(_ line: UsedLine, _ place: String) {
        guard let other = next.usedLines.first(where: { $0.isSame(as: line) }) else { return }
        problems.add(place, UsedLine.conflict(with: other.device))
    }

    /// A device as the owner described it; nil with problems noted.
    private func added(_ name: String, _ value: JSONValue, _ place: String) -> DeviceConfiguration?
    {
        guard case .object(var fields) = value else { return nil }
        (fields["record"], fields["title"]) = (nil, nil)
        let known = catalog.profiles.filter {
            [.http, .gpio].contains($0.kind) || $0.driver == "i2c-sensor"
        }
        let isKnown = { (type: String, profile: Profile) in
            profile.id == type || (profile.kind == .gpio && profile.driver == type)
        }
        if case .string(let type)? = fields["type"], !known.contains(where: { isKnown(type, $0) }) {
            // Parts on a bus are added by their address alone: `roost bus use`.
            let names = known.filter { $0.kind != .bus }.map(\.id).joined(separator: ", ")
            problems.add("\(place).type", "expected one of \(names), found \"\(type)\"")
            return nil
        }
        fields["name"] = .string(name)
        let before = problems.problems.count
        let device = ObjectReader(.object(fields), at: place, problems).flatMap {
            DeviceConfiguration($0, known, catalog.broken, next.board)
        }
        guard var device, problems.problems.count == before, device.confine(to: next.reach) else {
            if problems.problems.count == before {
                problems.add(
                    "\(place).address",
                    "is an address of this computer or of no network; "
                        + "`reach` in the configuration would allow it"
                )
            }
            return nil
        }
        if let line = device.usedLine {
            demandFree(line, "\(place).line")
            return problems.problems.count == before ? device : nil
        }
        if let other = next.devices.first(where: { $0.location == device.location }) {
            let key = fields["port"] == nil ? "address" : "port"
            problems.add("\(place).\(key)", "is the \(key) of \(other.name) too")
            return nil
        }
        return device
    }

    private mutating func setInterval(of name: String, _ reader: inout ObjectReader) {
        let place = reader.path("intervalSeconds")
        guard let interval = reader.seconds("intervalSeconds", in: next.intervalRange(of: name))
        else { return }
        guard !next.fixedIntervals.contains(name) else { return locked(place) }
        next.intervals[name] = interval
        if let words = next.useInterval(of: name) { problems.add(place, words) }
    }
}

extension ObjectReader {
    /// The name of a time zone by its form: `Europe/Berlin`.
    mutating func zone(_ key: String) -> String? {
        guard let text = string(key) else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"),
                UInt8(ascii: "+"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain, text.utf8.count <= 64, !text.hasPrefix("/"), !text.hasSuffix("/") else {
            problem(
                key,
                "expected a zone such as Europe/Berlin, found \"\(PlainText.shown(text))\""
            )
            return nil
        }
        return text
    }

    /// What people read as a name: `Klasse 3b`.
    mutating func title(_ key: String) -> String? {
        guard let text = string(key) else { return nil }
        if text.first?.isWhitespace == false, text.last?.isWhitespace == false,
            text == PlainText.shown(text, limit: 64)
        {
            return text
        }
        problem(
            key,
            "expected 1 to 64 characters on one line, found \"\(PlainText.shown(text))\""
        )
        return nil
    }

    /// The limits of lamps and pages, by their name or as an owner's own: `eaqi`.
    mutating func levels(_ key: String) -> LevelRule? {
        guard let text = string(key) else { return nil }
        if let rule = LevelRule.named(text) { return rule }
        let names = LevelRule.all.map(\.name)
        problem(
            key,
            "expected one of \(names.joined(separator: ", ")), or \(LevelRule.ownForm); found "
                + "\"\(PlainText.shown(text))\"",
            meant: Spelling.nearest(to: text, among: names)
        )
        return nil
    }

    /// Channels that a person lists: `dust/pm25, hall/co2`.
    mutating func channels(_ key: String) -> ChannelList? {
        guard let text = string(key) else { return nil }
        if let list = ChannelList(text) { return list }
        problem(key, "expected \(ChannelList.form), found \"\(PlainText.shown(text))\"")
        return nil
    }

    /// A place such as `46.1699, 9.8786`.
    mutating func position(_ key: String) -> Position? {
        guard let text = string(key) else { return nil }
        if let position = Position(text: text) { return position }
        problem(
            key,
            "expected latitude and longitude in degrees, north and east positive, such as "
                + "\"46.1699, 9.8786\", found \"\(PlainText.shown(text))\""
        )
        return nil
    }

    /// The address of map pictures such as `https://tile.openstreetmap.org/{z}/{x}/{y}.png`.
    mutating func tiles(_ key: String) -> TileServer? {
        guard let text = string(key) else { return nil }
        do throws(TileServerError) { return try TileServer(text) } catch {
            problem(
                key,
                "expected an address such as https://tile.openstreetmap.org/{z}/{x}/{y}.png, and "
                    + "\"\(PlainText.shown(text))\" \(error)"
            )
            return nil
        }
    }

    /// Whether the local network is searched for other stations: `find` or `off`.
    mutating func stations(_ key: String) -> Bool? {
        string(key, in: StationConfiguration.searches).map { $0 == "find" }
    }

    /// `reach`: what an owner's HTTP device may be beyond the local network.
    mutating func reach() -> AddressGuard.Reach {
        let known = AddressGuard.Reach.names
        return array("reach", limit: known.count).enumerated().reduce(into: []) { reach, entry in
            guard case .string(let text) = entry.element, let one = known[text] else {
                let names = known.keys.sorted().joined(separator: ", ")
                return problem(
                    "reach[\(entry.offset)]",
                    "expected one of \(names), found \(entry.element.shown)"
                )
            }
            reach.formUnion(one)
        }
    }
}
