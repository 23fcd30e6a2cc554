import Core
import Synchronization

/// Pins of devices whose owner has named none: by what they measure, as in the firmware airrohr.
///
/// The service knows a sensor by its pin. A pin that is not registered it refuses, but a node with
/// one sensor takes any pin for that sensor: its answers name the sensor, so two pins with one
/// sensor are seen at the first answer, and the climate sensor is not sent again. On a station that
/// measures dust the others wait for the sensor that dust went to, since theirs is compared with
/// it. What was learnt is forgotten with the process, so that a sensor that is registered later is
/// found. Bound: a device for each pin.
///
/// - Source: opendata-stuttgart/sensors-software, `airrohr-firmware/ext_def.h` (`…_API_PIN`);
///   opendata-stuttgart/feinstaub-api, `serializers.py` (`sensor` of an answer).
final class CommunityPins: Sendable {
    /// Pin of sensors of particles.
    static let particles = 1
    /// Time without a sample after which another device may have a pin.
    private static let absence: Int64 = 6_000  // Tenths of a second.
    /// Quantities that a pin is chosen by.
    private static let climate = ["temperature", "humidity", "pressure", "co2"]

    private struct Holder {
        let device: String
        var boot: BootID
        var tick: Tick
    }

    /// What a device has had values of since the courier's start.
    private struct Measured {
        var names: Set<String> = []
        /// The first sample with a value.
        var boot: BootID
        var tick: Tick
        var isComplete = false
    }

    private struct State {
        /// One for each device of the station that has had a value.
        var measured: [String: Measured] = [:]
        var holders: [Int: Holder] = [:]
        /// The service's number of the sensor behind a pin, and the device that was sent there.
        var sensors: [Int: (number: Int, device: String)] = [:]
        var refused: [String: DeliveryReason] = [:]
        /// Devices whose pin another one has.
        var crowded: [String: DeliveryReason] = [:]
        /// Whether the station has a sensor of particles.
        var hasDust = false
        /// Devices that were left out because the sensor of dust is not known yet.
        var waiting: Set<String> = []

        var isUnsure: Bool { hasDust && sensors[CommunityPins.particles] == nil }
    }

    private let state = Mutex(State())

    init() {}

    /// Pin for a device that measures these quantities; nil where none is certain.
    ///
    /// A temperature alone may be that of water, of earth or of a circuit board.
    static func pin(of quantities: [Quantity]) -> Int? {
        if CommunityValues.hasParticles(quantities) { return particles }
        let names = Set(quantities.map(\.name))
        guard names.contains("temperature") else { return nil }
        switch (names.contains("humidity"), names.contains("pressure"), names.contains("co2")) {
        case (true, _, true): return 17
        case (true, true, false): return 11
        case (true, false, false): return 7
        case (false, true, false): return 3
        case (false, _, _): return nil
        }
    }

    /// Quantities of a sample's device that have had a value, by which its pin is chosen.
    ///
    /// A part under the profile of another one has quantities that never have a value, such as a
    /// BMP280 under that of a BME280. One that lacks a value for a moment must not go under a pin
    /// of others, so a device waits until each of its quantities has had a value, at most for ten
    /// minutes.
    ///
    /// - Returns: None while it waits.
    func measured(_ sample: OutboxSample) -> [Quantity] {
        let quantities = sample.quantities.filter { Self.climate.contains($0.name) }
        let valued = quantities.map(\.name).filter { name in
            // A doubted value proves as well that the part measures it; one that stays at zero
            // may stand for a sensor that is not there.
            guard case .value(_, let quality)? = sample[name] else { return false }
            return quality.isDisjoint(with: [.zero, .unchanging])
        }
        return state.withLock { state in
            let (boot, tick) = (sample.boot, sample.tick)
            let first = valued.isEmpty ? nil : Measured(boot: boot, tick: tick)
            guard var measured = state.measured[sample.device] ?? first else { return [] }
            // Under another pin the service may well have the device.
            if measured.isComplete, !measured.names.isSuperset(of: valued) {
                state.refused[sample.device] = nil
            }
            measured.names.formUnion(valued)
            if measured.boot != boot { (measured.boot, measured.tick) = (boot, tick) }
            let hasWaited = tick.tenths - measured.tick.tenths >= Self.absence
            if hasWaited || measured.names.isSuperset(of: quantities.map(\.name)) {
                measured.isComplete = true
            }
            state.measured[sample.device] = measured
            let names = measured.isComplete ? measured.names : []
            return quantities.filter { names.contains($0.name) }
        }
    }

    /// Devices that the service did not take, with the reasons.
    var refused: [String: DeliveryReason] { state.withLock(\.refused) }

    /// Devices whose values are not sent, with the reasons: also those whose pin is another's.
    var leftOut: [String: DeliveryReason] {
        state.withLock { state in state.crowded.merging(state.refused) { _, refused in refused } }
    }

    /// Why devices wait; nil while none do.
    var waitsFor: DeliveryReason? {
        state.withLock { state in
            guard state.isUnsure, !state.waiting.isEmpty else { return nil }
            let names = state.waiting.sorted().joined(separator: ", ")
            let words =
                "\(names) waits until dust was taken: it could go into the dust sensor's record; "
                + "a pin for each under `devices` ends this"
            return DeliveryReason("waits-for-dust", words)
        }
    }

    /// Tries refused devices again.
    ///
    /// The sensors stay known, so that one answer shows that nothing changed.
    func forget() {
        state.withLock { state in
            state.refused = [:]
            state.crowded = [:]
        }
    }

    func see(hasDust: Bool) { state.withLock { $0.hasDust = hasDust } }

    /// Whether a device has to wait until the service has named the sensor that dust goes to.
    func waits(_ device: String, _ pin: Int) -> Bool {
        guard pin != Self.particles else { return false }
        return state.withLock { state in
            if state.isUnsure { state.waiting.insert(device) } else { state.waiting = [] }
            return state.isUnsure
        }
    }

    /// Whether a sample's device has the pin.
    ///
    /// The first one that measures has it until it has no value to send for ten minutes: ask for
    /// samples with such a value alone. Sensors of particles share theirs.
    func holds(_ sample: OutboxSample, _ pin: Int) -> Bool {
        guard pin != Self.particles else { return true }
        return state.withLock { state in
            if let holder = state.holders[pin], holder.device != sample.device,
                holder.boot == sample.boot,
                sample.tick.tenths - holder.tick.tenths < Self.absence
            {
                let words =
                    "pin \(pin) is used by \(holder.device); give this one a pin under `devices`"
                state.crowded[sample.device] = DeliveryReason("pin-in-use", words)
                return false
            }
            let (device, boot, tick) = (sample.device, sample.boot, sample.tick)
            state.holders[pin] = Holder(device: device, boot: boot, tick: tick)
            state.crowded[device] = nil
            return true
        }
    }

    /// Judges an answer that says that a pin is not registered; nil for any other.
    func refusal(_ answer: OutboundAnswer, of device: String, _ pin: Int) -> DeliveryOutcome? {
        guard pin != Self.particles, answer.status == 400,
            answer.text.contains("sensor could not be selected")
        else { return nil }
        let words = "no sensor with pin \(pin) is registered: add it at devices.sensor.community"
        let reason = DeliveryReason("pin-not-registered", words)
        state.withLock { $0.refused[device] = reason }
        return .refused(reason)
    }

    /// Remembers which sensor an answer names, and refuses the climate sensor of two with one.
    func learn(_ answer: OutboundAnswer, of device: String, _ pin: Int) {
        guard let number = WireJSON.parse(answer.body)?["sensor"]?.integer else { return }
        state.withLock { state in
            // A device whose pin has changed was under the one before itself.
            let other = state.sensors.first {
                $0.key != pin && $0.value.number == number && $0.value.device != device
            }
            if let other {
                let isFirst = pin == Self.particles
                let (place, loser) = isFirst ? (other.key, other.value.device) : (pin, device)
                let words =
                    "one sensor is registered, which got these values: "
                    + "add one with pin \(place)"
                state.refused[loser] = DeliveryReason("pin-not-registered", words)
                guard isFirst else { return }
                state.sensors[other.key] = nil
            }
            state.sensors[pin] = (number, device)
        }
    }
}
