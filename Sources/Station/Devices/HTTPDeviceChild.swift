import Configuration
import ControlProtocol
import Core
import Devices
import Profiles
import Runtime

/// A device on the local network, as a child of the tree.
struct HTTPDeviceChild {
    let name: String
    let device: HTTPDeviceConfiguration
    let context: StationContext

    /// The child that queries the device.
    var spec: ChildSpec {
        let (name, device, context) = (name, device, context)
        let sink = TroubleSink(
            next: context.sink(for: name, graph: device.profile.graph(of: device.quantities)),
            devices: context.devices
        )
        return ChildSpec(id: name, minimumRunTime: .seconds(1), heartbeatLimit: .minutes(2)) {
            heartbeat in
            let driver = HTTPLineDriver(
                name: name,
                target: device.target,
                format: device.format,
                interval: device.interval,
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
        var facts = [Fact("answerCount", answerCount), Fact("questionCount", questionCount)]
        if let lastAnswerAt {
            facts.append(Fact("lastAnswerAgeSeconds", lastAnswerAt.age(at: now)))
        }
        if !doubts.isEmpty { facts.append(Fact("doubts", doubts)) }
        if let lastTrouble { facts.append(Fact("lastTrouble", lastTrouble)) }
        var account = DeviceList.Account(state: state, facts: facts)
        account.progress = nextQuestionAt.map { SensorProgress(.measuring, until: nil, next: $0) }
        return account
    }
}

/// Updates the device list while a driver continues during an outage.
private struct TroubleSink: ReadingSink {
    let next: any ReadingSink
    let devices: DeviceList

    func accept(_ readings: [Reading]) { next.accept(readings) }

    func record(_ event: Event) {
        next.record(event)
        switch event.kind {
        case .httpDeviceLost(let reason): devices.troubled(event.source, reason)
        case .httpDeviceBack: devices.troubled(event.source, nil)
        default: break
        }
    }
}
