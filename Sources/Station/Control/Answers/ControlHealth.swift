import ControlProtocol
import Core

/// Reports since when each device has measured nothing, and whether that is a fault.
struct ControlHealth {
    let station: StationState
    let channels: [Recorder.ChannelState]
    let now: MonotonicInstant

    /// By device, in the order of the first channels.
    var progress: [DeviceProgressReport] {
        var order: [String] = []
        var newest: [String: MonotonicInstant] = [:]
        for state in channels {
            let device = state.channel.device
            if !order.contains(device) { order.append(device) }
            guard let instant = Self.progress(of: state) else { continue }
            newest[device] = max(newest[device] ?? instant, instant)
        }
        return order.map { device in
            DeviceProgressReport(
                device: device,
                progressAgeSeconds: newest[device].map { $0.age(at: now) }
            )
        }
    }

    /// Whether all is well.
    ///
    /// - Parameter faults: Ids of the present faults.
    /// - Returns: The report.
    func report(_ faults: [String]) -> HealthReport {
        let late = progress.filter { report in
            guard let age = report.progressAgeSeconds else { return false }
            return age > station.ageLimit(of: report.device).inSeconds
        }
        return HealthReport(reasons: faults + late.map { "late:\($0.device)" })
    }

    /// The last value, or the last that a person wanted left out.
    private static func progress(of state: Recorder.ChannelState) -> MonotonicInstant? {
        let value = state.lastValue?.instant
        guard let latest = state.latest, case .noData(.muted) = latest.outcome else { return value }
        return max(latest.instant, value ?? latest.instant)
    }
}
