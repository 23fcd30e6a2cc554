import ControlProtocol
import Core
import Devices
import HardwareIO
import Profiles
import Supervision

/// One device on the local network that answers with a line of values.
package struct HTTPDeviceConfiguration: Hashable, Sendable {
    /// A profile's id, as in the configuration.
    package let type: String
    package let profile: Profile
    package let target: HTTPTarget
    /// 1…3 600 s from one request to the next, in every mode; the default is the profile's.
    package let interval: Duration
    let format: LineFormat
}

extension HTTPDeviceConfiguration {
    /// Reads the configuration of an HTTP device.
    ///
    /// - Parameters:
    ///   - reader: At the device's object.
    ///   - type: As it stands there.
    ///   - profile: The profile of its type.
    init?(_ reader: inout ObjectReader, type: String, profile: Profile) {
        let target = reader.target("address")
        let interval = reader.seconds("intervalSeconds", in: LineFormat.askedInterval)
        let format: LineFormat
        do throws(DialectError) { format = try LineFormat(profile) } catch {
            for problem in error.problems { reader.problem("type", "\(type): \(problem)") }
            return nil
        }
        guard let target else { return nil }
        (self.type, self.profile, self.target) = (type, profile, target)
        self.interval = interval ?? format.interval
        self.format = format
    }

    /// The child that queries the device.
    func spec(_ name: String, _ context: StationContext) -> ChildSpec {
        let sink = TroubleSink(
            next: context.sink(for: name, graph: profile.description(of: format.quantities)),
            board: context.devices
        )
        return ChildSpec(id: name, minimumRunTime: .seconds(1), heartbeatLimit: .minutes(2)) {
            heartbeat in
            let driver = HTTPLineDriver(
                name: name,
                target: target,
                format: format,
                interval: interval,
                fetcher: context.platform.fetcher,
                environment: DriverEnvironment(
                    clock: context.clock,
                    sink: sink,
                    heartbeat: heartbeat
                )
            )
            context.devices.attached(name) { [weak driver] in
                let now = context.clock.now
                return await driver?.report.account(at: now)
                    ?? DeviceList.Account(state: "starting", facts: [])
            }
            return driver
        }
    }
}

extension HTTPLineReport {
    fileprivate func account(at now: MonotonicInstant) -> DeviceList.Account {
        var facts: [Event.Detail] = [
            .init("answers", "\(answerCount)"), .init("questions", "\(questionCount)"),
        ]
        if let lastAnswerAt {
            facts.append(.init("last answer", "\(lastAnswerAt.age(at: now)) s ago"))
        }
        if !doubts.isEmpty { facts.append(.init("doubts", doubts.joined(separator: ", "))) }
        if let lastTrouble { facts.append(.init("last trouble", lastTrouble)) }
        return DeviceList.Account(state: state, facts: facts)
    }
}

extension ObjectReader {
    /// Where a device answers: on the local network, as far as its address shows it.
    fileprivate mutating func target(_ key: String) -> HTTPTarget? {
        guard let text = required(key) else { return nil }
        guard let target = HTTPTarget(text) else {
            problem(key, "expected http://name:port/path, found \"\(text.prefix(80))\"")
            return nil
        }
        if let address = target.address, !AddressGuard.admits(address) {
            problem(key, "\(target.host) is not on the local network, and no other is asked")
            return nil
        }
        return target
    }
}

/// Updates the device list while a driver continues during an outage.
private struct TroubleSink: ReadingSink {
    let next: any ReadingSink
    let board: DeviceList

    func accept(_ readings: [Reading]) async { await next.accept(readings) }

    func record(_ event: Event) async {
        await next.record(event)
        switch event.kind {
        case HTTPLineDriver.lostKind: board.troubled(event.source, event["reason"])
        case HTTPLineDriver.backKind: board.troubled(event.source, nil)
        default: break
        }
    }
}
