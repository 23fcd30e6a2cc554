import ControlProtocol
import Core
import Store

/// An example of a batch, for trying a target.
package enum ExampleBatch {
    /// Makes a batch of the station's last measurements, or of made-up values without any.
    package static func make(_ status: StatusReport?, at now: WallTime?) -> SampleBatch {
        var samples: [OutboxSample] = []
        let boot =
            status?.bootID.flatMap { BootID($0) } ?? BootID(bytes: Array(repeating: 0, count: 16))
        let channels = status?.channels ?? []
        var devices: [String] = []
        for channel in channels {
            let device = String(channel.channel.prefix { $0 != "/" })
            if !devices.contains(device), channel.latest?.value != nil { devices.append(device) }
        }
        for (number, device) in devices.enumerated() {
            let own = channels.filter { $0.channel.hasPrefix("\(device)/") && $0.latest != nil }
            let values = own.compactMap { channel -> (Quantity, Outcome)? in
                guard let latest = channel.latest, let value = latest.value else { return nil }
                let name = String(channel.channel.dropFirst(device.count + 1))
                let scale = (0..<latest.decimals).reduce(1.0) { scale, _ in scale * 10 }
                let mantissa = Int64((value * scale).rounded())
                return (
                    Quantity(name: name, unit: latest.unit, decimals: latest.decimals),
                    .value(FixedPoint(mantissa, decimals: latest.decimals))
                )
            }
            let seconds = own.first?.latest?.instantSeconds ?? 0
            samples.append(
                OutboxSample(
                    stream: StreamID(UInt16(number + 1)),
                    at: (boot, Tick(tenths: Int64(seconds * 10))),
                    time: now,
                    device: device,
                    quantities: values.map(\.0),
                    outcomes: values.map(\.1)
                )
            )
        }
        if samples.isEmpty { samples = [madeUp(boot, at: now)] }
        return SampleBatch(samples, id: BatchID.digest(Array("example".utf8)), isLate: false)
    }

    private static func madeUp(_ boot: BootID, at now: WallTime?) -> OutboxSample {
        OutboxSample(
            stream: StreamID(1),
            at: (boot, Tick(tenths: 28_005_850)),
            time: now,
            device: "dust",
            quantities: [.pm25, .pm10],
            outcomes: [
                .value(FixedPoint(123, decimals: 1)), .value(FixedPoint(205, decimals: 1)),
            ]
        )
    }
}
