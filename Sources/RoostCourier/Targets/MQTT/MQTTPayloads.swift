import Core
import Profiles

/// Writer of the messages' payloads, byte for byte.
package struct MQTTPayloads: Hashable, Sendable {
    /// A motion as the station recorded it.
    package struct Motion: Hashable, Sendable {
        package let id: String
        package let device: String
        package let time: WallTime?
        /// Time since it was seen.
        package internal(set) var age: Duration
        /// Length of the motion in seconds; nil at its start.
        package let seconds: Int?

        package init(id: String, device: String, time: WallTime?, age: Duration, seconds: Int?) {
            (self.id, self.device, self.time) = (id, device, time)
            (self.age, self.seconds) = (age, seconds)
        }
    }

    /// Event types of Home Assistant's event entity for alerts.
    private static let alertTypes = ["raised", "level", "acknowledged", "resolved"]
    /// Highest number of entities in a retained announcement that is read.
    private static let formerLimit = 1_000
    /// Age up to which a motion goes to the live topic.
    static let motionLimit: Duration = .seconds(60)

    package let topics: MQTTTopics
    /// Whether one message announces all entities; false for Home Assistant before 2024.11.
    let isByDevice: Bool

    package init(topics: MQTTTopics, isByDevice: Bool = true) {
        (self.topics, self.isByDevice) = (topics, isByDevice)
    }

    /// Returns the seconds that a value counts: three times the interval between samples.
    package static func expiry(_ interval: Duration?) -> Int {
        max(3, Int((interval ?? .seconds(300)).components.seconds) * 3)
    }

    // MARK: Values

    /// Makes the message of a sample, with every quantity of its device.
    ///
    /// A quantity without a value is null: if it were left out, Home Assistant would show the old
    /// value as a new one. A sample without a date has its age in seconds instead.
    ///
    /// - Parameters:
    ///   - sample: With a date, or of the present boot.
    ///   - age: Time since it was measured; nil where only its date says it.
    ///   - expiry: Seconds for which it is the present state once measured; nil for the past.
    /// - Returns: For the state, or for the late topic.
    package func sample(_ sample: OutboxSample, age: Duration?, expiry: Int?) -> BrokerMessage {
        var members: [(key: String, value: String)] = [
            ("id", WireJSON.string(sample.id))
        ]
        if let time = sample.time {
            members.append(("t", WireJSON.string(time.iso8601)))
        } else if let age {
            members.append(("age", "\((age.inSeconds * 10).rounded() / 10)"))
        }
        for (quantity, outcome) in zip(sample.quantities, sample.outcomes) {
            members.append((quantity.name, Self.json(outcome)))
        }
        let text = WireJSON.object(members)
        guard let expiry else { return message(topics.lateState(sample.device), text) }
        let left = max(1, expiry - Int((age ?? .zero).inSeconds))
        return message(topics.state(sample.device), text, expiry: left)
    }

    private static func json(_ outcome: Outcome) -> String {
        switch outcome {
        case .value(let value, let quality):
            WireJSON.object([("v", value.description), ("q", WireJSON.strings(quality.names))])
        case .noData(let reason):
            WireJSON.object([
                ("v", "null"), ("q", "[]"), ("why", WireJSON.string(reason.rawValue)),
            ])
        }
    }

    /// Makes the messages of a motion: switch and event while it is new, else the late event.
    package func motion(_ motion: Motion) -> [BrokerMessage] {
        var members = [(key: "id", value: WireJSON.string(motion.id))]
        if let time = motion.time { members.append(("t", WireJSON.string(time.iso8601))) }
        members.append(("kind", "\"motion\""))
        if let seconds = motion.seconds { members.append(("seconds", "\(seconds)")) }
        let text = WireJSON.object(members)
        guard motion.age <= Self.motionLimit else {
            return [message(topics.late(motion.device), text)]
        }
        let state = motion.seconds == nil ? "ON" : "OFF"
        return [
            message(topics.motion(motion.device), state, expiry: 60),
            message(topics.event(motion.device), text, expiry: 60),
        ]
    }

    /// Makes the message of a motion sensor that sees no motion.
    func still(_ device: String) -> BrokerMessage {
        message(topics.motion(device), "OFF", expiry: 60)
    }

    package func status(_ isOnline: Bool) -> BrokerMessage {
        message(topics.status, isOnline ? "online" : "offline", isRetained: true)
    }

    package func station(_ isOnline: Bool) -> BrokerMessage {
        message(topics.station, isOnline ? "online" : "offline", isRetained: true)
    }

    /// Makes the messages of lamp and health, which are repeated within a third of their expiry.
    package func condition(_ view: BrokerStationView, expiry: Int) -> [BrokerMessage] {
        var members: [(key: String, value: String)] = []
        if let hours = view.laserHours {
            members.append(("laser_h", "\((hours * 10).rounded() / 10)"))
        }
        members.append(("faults", WireJSON.strings(view.faults)))
        let health = message(topics.health, WireJSON.object(members), expiry: expiry)
        guard let lamp = view.lamp else { return [health] }
        return [message(topics.lamp, lamp, expiry: expiry), health]
    }

    // MARK: Discovery

    /// Entities to announce, and entities to delete.
    package struct Plan: Hashable, Sendable {
        /// All entities after the announcement, also those that may come back.
        package let next: [Component]
        package let removed: [Component]
    }

    /// Decides which entities of a station to announce after `before` was announced.
    ///
    /// An entity is deleted with its device or its quantity, but not because a station that has
    /// just started does not know them yet: Home Assistant would forget the owner's settings for
    /// it. An entity of which nothing is known yet is not announced as new either.
    package static func plan(_ view: BrokerStationView, after before: [Component] = []) -> Plan {
        let announced = Set(before.map(\.id))
        let components = components(view).filter { !$0.isPending || announced.contains($0.id) }
        // Each entity once, however often it was announced: an object has no key twice.
        var ids = Set(components.map(\.id))
        let quiet = Set(view.quiet.map(MQTTTopics.level))
        let absent = before.filter { ids.insert($0.id).inserted }
        let kept = absent.filter {
            !view.isSettled || quiet.contains(MQTTTopics.level($0.device))
        }
        return Plan(next: components + kept, removed: absent.filter { !kept.contains($0) })
    }

    /// Parses the entities of an announcement that a broker retained.
    ///
    /// - Returns: By their ids; none of what is no announcement, or has more than 1 000.
    func announced(_ payload: [UInt8]) -> [Component] {
        guard case .object(let parts)? = WireJSON.parse(payload)?["cmps"],
            parts.count <= Self.formerLimit
        else { return [] }
        let found = parts.compactMap { id, part -> Component? in
            guard part["uniq_id"] != nil, let platform = part["p"]?.string else { return nil }
            let place = part["stat_t"]?.string?.dropFirst(topics.root.count + 1).split(
                separator: "/"
            )
            let device = place.flatMap { $0.count > 1 ? $0.first.map(String.init) : nil }
            return Component(id: id, device: device ?? "", kind: .former(platform))
        }
        return found.sorted { $0.id < $1.id }
    }

    /// Announces all entities of a plan, which is by default a first one; removed ones are deleted.
    func discovery(_ view: BrokerStationView, _ plan: Plan? = nil) -> [BrokerMessage] {
        let plan = plan ?? Self.plan(view)
        // Only the id is known of an entity that an earlier process announced.
        let (components, removed) = (plan.next.filter { !$0.isFormer }, plan.removed)
        guard isByDevice else {
            let made = components.map { single($0, view) }
            // No message lists the entities that an earlier process announced one by one.
            let absent = view.devices.flatMap { device in
                device.absent.sorted().map { name in
                    (Self.id(device, name), name == "motion" ? "binary_sensor" : "sensor")
                }
            }
            let gone = removed.map { ($0.id, $0.platform) } + absent
            return made
                + gone.map { id, platform in
                    message(topics.discovery(of: id, platform: platform), "", isRetained: true)
                }
        }
        var members = components.map { (key: $0.id, value: json($0)) }
        members += removed.map { ($0.id, WireJSON.object([("p", WireJSON.string($0.platform))])) }
        let whole = WireJSON.object(
            head(view) + [
                ("avty_mode", "\"all\""), ("qos", "1"), ("cmps", WireJSON.object(members)),
            ]
        )
        return [message(topics.discovery, whole, isRetained: true)]
    }

    /// An entity of Home Assistant.
    package struct Component: Hashable, Sendable {
        fileprivate enum Kind: Hashable {
            case value(Quantity, expiry: Int)
            case motion, lamp, laser, faults, alert
            /// Entity that an earlier process announced, with its platform.
            case former(String)
        }

        package let id: String
        package var platform: String {
            switch kind {
            case .motion, .faults: "binary_sensor"
            case .alert: "event"
            case .former(let platform): platform
            default: "sensor"
            }
        }
        fileprivate var isFormer: Bool {
            switch kind {
            case .former: true
            default: false
            }
        }
        /// Name of its device, for topics; empty for the station.
        fileprivate let device: String
        /// Name of its device for people.
        fileprivate var title = ""
        fileprivate let kind: Kind
        /// Whether no reading of it has come yet.
        fileprivate var isPending = false
    }

    private static func id(_ device: BrokerStationView.Device, _ name: String) -> String {
        "\(MQTTTopics.level(device.identity))_\(MQTTTopics.level(name))"
    }

    /// Returns the entities of a station, in the order of its devices.
    package static func components(_ view: BrokerStationView) -> [Component] {
        var all: [Component] = []
        for device in view.devices {
            let expiry = expiry(device.interval)
            all += device.quantities.map {
                Component(
                    id: id(device, $0.name),
                    device: device.name,
                    title: device.title,
                    kind: .value($0, expiry: expiry),
                    isPending: device.pending.contains($0.name)
                )
            }
            if device.sensesMotion {
                all.append(
                    Component(
                        id: id(device, "motion"),
                        device: device.name,
                        title: device.title,
                        kind: .motion
                    )
                )
            }
        }
        if view.lamp != nil { all.append(Component(id: "lamp", device: "", kind: .lamp)) }
        if view.laserHours != nil { all.append(Component(id: "laser", device: "", kind: .laser)) }
        return all + [
            Component(id: "faults", device: "", kind: .faults),
            Component(id: "alert", device: "", kind: .alert),
        ]
    }

    private func head(_ view: BrokerStationView) -> [(key: String, value: String)] {
        let device = WireJSON.object([
            ("ids", WireJSON.strings([topics.deviceID])), ("name", WireJSON.string(view.name)),
            ("mf", "\"Roost\""), ("mdl", WireJSON.string(view.model)),
            ("sw", WireJSON.string(view.version)),
        ])
        let origin = WireJSON.object([
            ("name", "\"roost-courier\""), ("sw", WireJSON.string(view.version)),
        ])
        let availability = [topics.status, topics.station].map {
            WireJSON.object([("t", WireJSON.string($0))])
        }
        return [("dev", device), ("o", origin), ("avty", WireJSON.array(availability))]
    }

    private func single(_ component: Component, _ view: BrokerStationView) -> BrokerMessage {
        let own = members(component)
        let text = WireJSON.object(head(view) + [("avty_mode", "\"all\""), ("qos", "1")] + own)
        let topic = topics.discovery(of: component.id, platform: component.platform)
        return message(topic, text, isRetained: true)
    }

    private func json(_ component: Component) -> String {
        WireJSON.object([("p", WireJSON.string(component.platform))] + members(component))
    }

    private func members(_ component: Component) -> [(key: String, value: String)] {
        let id = [(key: "uniq_id", value: WireJSON.string(topics.uniqueID(component.id)))]
        switch component.kind {
        case .former: return id
        case .value(let quantity, let expiry):
            return id + value(quantity, of: component, expiry: expiry)
        case .motion:
            return id + [
                ("name", WireJSON.string("\(component.title) Motion")),
                ("stat_t", WireJSON.string(topics.motion(component.device))),
                ("dev_cla", "\"motion\""), ("off_dly", "30"),
            ]
        case .alert:
            return id + [
                ("name", "\"Alert\""), ("stat_t", WireJSON.string(topics.alert)),
                ("evt_typ", WireJSON.strings(Self.alertTypes)),
            ]
        case .lamp:
            return id + [
                ("name", "\"Lamp\""), ("stat_t", WireJSON.string(topics.lamp)),
                ("dev_cla", "\"enum\""),
                ("ops", WireJSON.strings(["good", "moderate", "poor", "unknown", "fault"])),
                ("exp_aft", "900"),
            ]
        case .laser:
            return id + [
                ("name", "\"Laser hours\""), ("stat_t", WireJSON.string(topics.health)),
                ("val_tpl", "\"{{ value_json.laser_h }}\""), ("dev_cla", "\"duration\""),
                ("unit_of_meas", "\"h\""), ("stat_cla", "\"total_increasing\""),
                ("exp_aft", "900"),
            ]
        case .faults:
            let template = "{{ 'ON' if value_json.faults else 'OFF' }}"
            return id + [
                ("name", "\"Faults\""), ("stat_t", WireJSON.string(topics.health)),
                ("val_tpl", WireJSON.string(template)), ("dev_cla", "\"problem\""),
                ("exp_aft", "900"),
            ]
        }
    }

    private func value(_ quantity: Quantity, of component: Component, expiry: Int)
        -> [(key: String, value: String)]
    {
        let entity = HomeAssistantEntity(quantity)
        let topic = WireJSON.string(topics.state(component.device))
        let path = "value_json['\(quantity.name)']"
        var members: [(key: String, value: String)] = [
            ("name", WireJSON.string("\(component.title) \(entity.title)")), ("stat_t", topic),
            ("val_tpl", WireJSON.string("{{ \(path).v }}")), ("json_attr_t", topic),
            ("json_attr_tpl", WireJSON.string("{{ \(path) | tojson }}")),
        ]
        if !entity.unit.isEmpty {
            members.append(("unit_of_meas", WireJSON.string(entity.unit)))
        }
        if let name = entity.deviceClass { members.append(("dev_cla", WireJSON.string(name))) }
        return members + [
            ("stat_cla", "\"measurement\""), ("sug_dsp_prc", "\(quantity.decimals)"),
            ("exp_aft", "\(expiry)"),
        ]
    }

    private func message(
        _ topic: String,
        _ text: String,
        isRetained: Bool = false,
        expiry: Int? = nil
    ) -> BrokerMessage {
        BrokerMessage(
            topic: topic,
            payload: Array(text.utf8),
            isRetained: isRetained,
            expirySeconds: expiry
        )
    }
}
