import Core
import HardwareIO

/// The parts of a profile, each with its bounds; what is beyond a bound is a problem of the file.
extension ProfileReader {
    /// Rates that serial adapters agree on.
    package static let bauds = [
        1_200, 2_400, 4_800, 9_600, 14_400, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800,
        921_600,
    ]
    /// Channels of one device.
    package static let channelLimit = 64
    /// Adapters of one profile.
    package static let matchLimit = 32

    func detection(
        _ reader: inout ObjectReader,
        for kind: Profile.Kind,
        _ problems: ProblemList
    ) -> (matches: [ProfileMatch], probe: ProbeRules?, rule: RuleProfile?) {
        guard kind == .usbSerial else { return ([], nil, nil) }
        var matches: [ProfileMatch] = []
        for (index, value) in reader.array("match", limit: Self.matchLimit).enumerated() {
            let place = "match[\(index)]"
            guard var entry = ObjectReader(value, at: place, problems) else { continue }
            guard let match = match(&entry) else { continue }
            if let first = matches.firstIndex(of: match) {
                problems.add(place, "says the same as match[\(first)]")
            }
            matches.append(match)
        }
        if reader.value("probe") == nil { reader.problem("probe", "is missing") }
        let probe = reader.object("probe").flatMap { self.probe($0, problems) }
        var rule = reader.object("rule")
        let group = rule?.text("group", limit: 32, .group)
        rule?.finish()
        return (matches, probe, rule == nil ? nil : RuleProfile(group: group ?? "dialout"))
    }

    /// Names of the kernel's drivers, for a part on a bus.
    func sensorMatches(
        _ reader: inout ObjectReader,
        for kind: Profile.Kind,
        _ problems: ProblemList
    ) -> [SensorMatch] {
        guard kind == .bus else { return [] }
        var matches: [SensorMatch] = []
        for (index, value) in reader.array("match", limit: Self.matchLimit).enumerated() {
            let place = "match[\(index)]"
            guard var entry = ObjectReader(value, at: place, problems),
                let match = SensorMatch(&entry)
            else { continue }
            if let first = matches.firstIndex(of: match) {
                problems.add(place, "says the same as match[\(first)]")
            }
            matches.append(match)
        }
        return matches
    }

    /// How a part on I²C is recognised; of one without a driver its settings say where it can be.
    func i2c(_ reader: inout ObjectReader, of profile: Profile) -> I2CFacts? {
        if var facts = reader.object("i2c") { return I2CFacts(&facts) }
        guard profile.driver == "i2c-sensor", case .object(let settings) = profile.settings,
            case .array(let values)? = settings["addresses"]
        else { return nil }
        let addresses = values.prefix(I2CFacts.addressLimit).compactMap { value -> UInt8? in
            guard case .string(let text) = value else { return nil }
            return I2CFacts.address(text)
        }
        return addresses.isEmpty ? nil : I2CFacts(addresses: addresses)
    }

    private func match(_ entry: inout ObjectReader) -> ProfileMatch? {
        let vendorID = entry.requiredText("vendorID", limit: 4, .usbID)
        let productID = entry.requiredText("productID", limit: 4, .usbID)
        let serial = entry.text("serial", limit: 64, .glob)
        let model = entry.text("model", limit: 64, .glob)
        let interface = entry.text("interface", limit: 2, .interface)
        entry.finish()
        guard let vendorID, let productID else { return nil }
        return ProfileMatch(
            vendorID: vendorID,
            productID: productID,
            serial: serial,
            model: model,
            interface: interface
        )
    }

    private func probe(_ probe: ObjectReader, _ problems: ProblemList) -> ProbeRules? {
        var probe = probe
        if probe.value("bauds") == nil { probe.problem("bauds", "is missing") }
        var bauds: [Int] = []
        for (index, value) in probe.array("bauds", limit: Self.bauds.count).enumerated() {
            let place = probe.path("bauds[\(index)]")
            guard case .number(let number) = value, let baud = Int(exactly: number),
                Self.bauds.contains(baud)
            else {
                let known = Self.bauds.map(String.init)
                problems.add(
                    place,
                    "\(value.shown) is no usual rate",
                    meant: Spelling.nearest(to: value.shown, among: known)
                )
                continue
            }
            if bauds.contains(baud) { problems.add(place, "\(baud) is there already") }
            bauds.append(baud)
        }
        if case .array(let values)? = probe.value("bauds"), values.isEmpty {
            probe.problem("bauds", "names no rate")
        }
        let streams = probe.requiredBool("streams")
        let mayAsk = probe.requiredBool("mayAsk")
        let listen = probe.seconds("listenSeconds", in: 1...30) ?? .seconds(3)
        probe.finish()
        guard let streams, let mayAsk else { return nil }
        return ProbeRules(bauds: bauds, streams: streams, mayAsk: mayAsk, listen: listen)
    }

    func channels(
        _ reader: inout ObjectReader,
        for kind: Profile.Kind,
        version: Int,
        _ problems: ProblemList
    ) -> [ChannelProfile] {
        guard kind != .board else { return [] }
        let values = reader.array("channels", limit: Self.channelLimit)
        if kind != .gpio {
            switch reader.value("channels") {
            case nil: reader.problem("channels", "is missing")
            case .array(let all)? where all.isEmpty: reader.problem("channels", "names no channel")
            default: break
            }
        }
        var channels: [ChannelProfile] = []
        for (index, value) in values.enumerated() {
            let place = "channels[\(index)]"
            guard var entry = ObjectReader(value, at: place, problems),
                let channel = channel(&entry, version: version)
            else { continue }
            if let first = channels.firstIndex(where: { $0.quantity.name == channel.quantity.name })
            {
                let name = channel.quantity.name
                problems.add("\(place).name", "\(name) is the name of channels[\(first)] too")
            }
            channels.append(channel)
        }
        return channels
    }

    private func channel(_ entry: inout ObjectReader, version: Int) -> ChannelProfile? {
        // A file with a mistake is not used, but the rest of it is compared with the names it has.
        var named: String?
        if case .string(let text)? = entry.value("name") { named = text }
        _ = entry.requiredText("name", limit: 32, .channel)
        let unit = unit(&entry)
        let decimals = entry.requiredWhole("decimals", in: 0...9)
        let range = range(&entry)
        let description = description(&entry, limit: 200, version: version)
        let shown = entry.string("shown", in: ["line", "steps", "bar", "none"]) ?? "line"
        let step = entry.number("step", in: 0.000_001...1e9)
        entry.finish()
        guard let named else { return nil }
        return ChannelProfile(
            Quantity(name: named, unit: unit ?? "", decimals: decimals ?? 0),
            range: range ?? 0...1,
            description: description ?? "",
            shown: shown,
            step: step
        )
    }

    private func unit(_ entry: inout ObjectReader) -> String? {
        guard let unit = entry.requiredText("unit", limit: 16) else { return nil }
        guard MeasureUnit.known.contains(unit) else {
            let (message, meant) = MeasureUnit.mistake(unit)
            entry.problem("unit", message, meant: meant)
            return nil
        }
        return unit
    }

    /// Reads a range: two numbers within ±10⁹, the lower first.
    private func range(_ entry: inout ObjectReader) -> ClosedRange<Double>? {
        guard let value = entry.value("range") else {
            entry.problem("range", "is missing")
            return nil
        }
        guard case .array(let ends) = value, ends.count == 2, case .number(let low) = ends[0],
            case .number(let high) = ends[1]
        else {
            entry.problem("range", "expected two numbers as [lowest, highest]")
            return nil
        }
        guard abs(low) <= 1e9, abs(high) <= 1e9 else {
            entry.problem("range", "goes beyond a thousand million, which nothing measures")
            return nil
        }
        guard low < high else {
            entry.problem("range", "its lowest value is not below its highest")
            return nil
        }
        return low...high
    }

    func duty(_ reader: inout ObjectReader) -> DutyProfile? {
        guard var duty = reader.object("duty") else { return nil }
        let period = duty.requiredSeconds("periodSeconds", in: 1...86_400)
        let warmUp = duty.requiredSeconds("warmUpSeconds", in: 0...3_600)
        let window = duty.requiredSeconds("windowSeconds", in: 0...3_600)
        let live = duty.requiredSeconds("liveIntervalSeconds", in: 0.1...3_600)
        let preheat = duty.seconds("preheatSeconds", in: 0...3_600)
        duty.finish()
        guard let period, let warmUp, let window, let live else { return nil }
        guard warmUp + window <= period else {
            duty.problem("periodSeconds", "is shorter than warm-up and window together")
            return nil
        }
        return DutyProfile(
            period: period,
            warmUp: warmUp,
            window: window,
            liveInterval: live,
            preheat: preheat ?? .zero
        )
    }

    func board(_ reader: inout ObjectReader, _ problems: ProblemList) -> BoardProfile? {
        if reader.value("board") == nil { reader.problem("board", "is missing") }
        guard var board = reader.object("board") else { return nil }
        let models = board.texts("models", limit: 16, length: 100)
        let chip = board.text("gpioChip", limit: 64)
        let watchdog = board.seconds("watchdogSeconds", in: 1...86_400)
        let uarts = board.texts("uarts", limit: 8, length: 64, .device)
        var header: [Int: String] = [:]
        if case .object(let pins)? = board.value("header") {
            for (key, value) in pins.sorted(by: { $0.key < $1.key }) {
                let place = "\(board.path("header")).\(key)"
                guard let pin = Int(key), (1...40).contains(pin), "\(pin)" == key else {
                    problems.add(place, "expected a pin 1…40 of the header")
                    continue
                }
                guard case .string(let line) = value, (1...32).contains(line.unicodeScalars.count)
                else {
                    problems.add(place, "expected a line's name of 1 to 32 characters")
                    continue
                }
                header[pin] = line
            }
        } else {
            _ = board.object("header")
        }
        board.finish()
        return BoardProfile(
            models: models,
            gpioChip: chip,
            header: header,
            watchdogLimit: watchdog,
            uarts: uarts
        )
    }
}
