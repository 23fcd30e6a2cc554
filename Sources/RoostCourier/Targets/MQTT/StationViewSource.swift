import ControlProtocol
import Core

/// Source of the station's state, for a target that shows the station.
protocol StationViewSource: Sendable {
    /// Returns the station's present state; nil when it does not answer.
    ///
    /// - Throws: `CancellationError`.
    func view() async throws -> BrokerStationView?
}

/// State of the station, as a broker's other clients see it.
package struct BrokerStationView: Hashable, Sendable {
    /// A device with channels, or a motion sensor.
    package struct Device: Hashable, Sendable {
        /// Identity of the part, such as `nova-sds011_A160`, the same after its owner renames it.
        package let identity: String
        package let name: String
        /// Name of the device for people: its owner's title, else `name`.
        package var title: String
        /// Quantities of the device; empty for a motion sensor.
        package private(set) var quantities: [Quantity]
        private(set) var sensesMotion: Bool
        /// Whether it is a motion sensor that sees no motion now.
        var isStill = false
        /// Time from one sample to the next; nil where an event starts a measurement.
        package let interval: Duration?
        /// Names of quantities without a reading so far: the part may not have them.
        package var pending: Set<String> = []
        /// Names of quantities that the part does not have, or the target does not get.
        package var absent: Set<String> = []

        package init(
            identity: String,
            name: String,
            quantities: [Quantity],
            interval: Duration?
        ) {
            (self.identity, self.name) = (identity, name)
            (self.quantities, self.interval) = (quantities, interval)
            (title, sensesMotion) = (name, quantities.isEmpty)
        }

        /// Returns the device with only the channels of a choice.
        fileprivate func keeping(_ choice: StreamChoice) -> Device {
            let names = quantities.map(\.name) + (sensesMotion ? ["motion"] : [])
            let left = names.filter { !choice.takes(name, $0) }
            var device = self
            device.absent.formUnion(left)
            device.quantities.removeAll { left.contains($0.name) }
            device.sensesMotion = sensesMotion && !left.contains("motion")
            device.isStill = isStill && device.sensesMotion
            return device
        }
    }

    package var name: String
    package var model: String
    package var version: String
    package var devices: [Device]
    /// Names of devices whose quantities are unknown, such as those that are starting.
    package var quiet: Set<String> = []
    /// Whether the station has run long enough to know all its devices.
    package var isSettled = true
    /// State of the lamp: `good`, `moderate`, `poor`, `unknown` or `fault`; nil without lights.
    package var lamp: String?
    package var laserHours: Double?
    /// Ids of the faults.
    package var faults: [String]
    /// Whether every device that should measure makes progress.
    var makesProgress: Bool

    package init(name: String, model: String, version: String, devices: [Device]) {
        (self.name, self.model, self.version) = (name, model, version)
        (self.devices, faults, makesProgress) = (devices, [], true)
    }
}

extension BrokerStationView {
    /// Seconds after its start until which a station may not know all its devices.
    private static let settlingSeconds = 120.0

    /// Makes the view from answers of the control socket.
    ///
    /// A part without an id of its own is known by its profile and its name.
    package init(_ status: StatusReport, _ report: DevicesReport) {
        let model = status.board.map { $0.model ?? $0.name } ?? "Linux"
        let devices = report.devices.compactMap { Self.device($0, status.channels) }
        self.init(name: status.name, model: model, version: status.version, devices: devices)
        quiet = Set(report.devices.map(\.name)).subtracting(devices.map(\.name))
        isSettled = status.uptimeSeconds >= Self.settlingSeconds
        lamp = status.lamp
        laserHours = status.lasers.map(\.hours).max()
        faults = status.faults.map(\.id)
        let reasons = status.health?.reasons ?? []
        makesProgress = !reasons.contains { $0.hasPrefix("late:") }
    }

    /// Returns the view with only the channels of a choice.
    ///
    /// A channel that the target does not get has no entity, which would wait for ever.
    func keeping(_ choice: StreamChoice) -> BrokerStationView {
        var view = self
        view.devices = devices.map { $0.keeping(choice) }
        return view
    }

    private static func device(_ report: DeviceReport, _ channels: [ChannelReport]) -> Device? {
        let all = channels.filter { $0.channel.hasPrefix(report.name + "/") }
        let own = all.filter { !$0.isNeverMeasured }
        func name(_ channel: ChannelReport) -> String {
            String(channel.channel.dropFirst(report.name.utf8.count + 1))
        }
        let quantities = own.map { channel in
            Quantity(
                name: name(channel),
                unit: channel.unit,
                decimals: channel.facts?.decimals ?? 0
            )
        }
        let isMotion = report.type == "pir"
        guard isMotion || !quantities.isEmpty else { return nil }
        let profile = own.lazy.compactMap(\.facts?.profile).first ?? report.type
        var part = report.name
        for key in ["id", "serial"] {
            if case .text(let text)? = report.facts[key], !text.isEmpty { part = text }
        }
        let seconds = report.intervalSeconds ?? own.lazy.compactMap(\.intervalSeconds).first
        var device = Device(
            identity: "\(profile)_\(part)",
            name: report.name,
            quantities: quantities,
            interval: seconds.map { .milliseconds(Int64(($0 * 1_000).rounded())) }
        )
        device.title = report.title ?? report.name
        device.isStill = isMotion && report.state == "still"
        device.absent = Set(all.filter(\.isNeverMeasured).map(name))
        device.pending = Set(own.filter { $0.latest == nil }.map(name))
        return device
    }
}
