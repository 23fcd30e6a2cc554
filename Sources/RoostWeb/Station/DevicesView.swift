import ControlProtocol
import Core

/// `/devices`: what the station has, and what it found and does not use.
struct DevicesView: Codable, Sendable {
    struct Device: Codable, Sendable {
        let name: String
        let profile: String
        let model: String
        let kind: String
        @OrNull var identity: String?
        let location: String
        /// Only of devices on the network.
        let address: String?
        let state: String
        /// As `roost devices --json` has them: numbers where the station counts.
        let facts: Details
        let channels: [String]
        @OrNull var intervalSeconds: Double?
        let hasFixedInterval: Bool
        let records: Bool
        /// Found and added devices can be changed here; those of a configuration file, there.
        let isFromFile: Bool
        @OrNull var origin: String?
        let mutes: [Mute]
    }

    struct Mute: Codable, Sendable {
        let target: String
        @OrNull var until: String?
        @OrNull var endsInSeconds: Double?
    }

    struct Found: Codable, Sendable {
        let identity: String
        let state: String
        let why: String
        @OrNull var name: String?
        @OrNull var profile: String?
        @OrNull var node: String?
        @OrNull var usb: String?
    }

    struct Adapter: Codable, Sendable {
        let node: String
        @OrNull var usb: String?
        @OrNull var serial: String?
    }

    let devices: [Device]
    let found: [Found]
    let unclaimed: [Adapter]

    init(report: DevicesReport, status: StatusReport) {
        devices = report.devices.map { Device($0, report.found, status.channels) }
        found = report.found.map(Found.init)
        unclaimed = report.unclaimed.map { adapter in
            Adapter(
                node: adapter.node,
                usb: adapter.vendorID.map { "\($0):\(adapter.productID ?? "")" },
                serial: adapter.serial
            )
        }
    }
}

extension DevicesView.Device {
    fileprivate init(_ device: DeviceReport, _ found: [FoundReport], _ all: [ChannelReport]) {
        let channels = all.filter { $0.channel.hasPrefix(device.name + "/") }
        let found = found.first { $0.name == device.name }
        (name, profile, model) = (device.name, device.type, device.type)
        kind = Self.kind(device)
        (location, state) = (device.location, device.state)
        address = kind == "http" ? device.location : nil
        facts = device.facts
        self.channels = channels.map(\.channel)
        hasFixedInterval = device.hasFixedInterval ?? true
        records = device.records ?? true
        isFromFile = device.origin.map { $0 == "file" } ?? (found == nil)
        mutes = device.mutes.map {
            DevicesView.Mute(target: $0.target, until: $0.endTime, endsInSeconds: $0.endsInSeconds)
        }
        identity = found?.identity
        intervalSeconds = device.intervalSeconds ?? channels.first?.intervalSeconds
        origin = device.origin
    }

    private static func kind(_ device: DeviceReport) -> String {
        switch device.type {
        case "pir", "button", "led": "gpio"
        case "traffic-light": "light"
        default: device.location.hasPrefix("http") ? "http" : "serial"
        }
    }
}

extension DevicesView.Found {
    fileprivate init(_ found: FoundReport) {
        (identity, state, why) = (found.identity, found.state, found.why)
        name = found.name
        profile = found.profile
        node = found.node
        usb = found.usb
    }
}
