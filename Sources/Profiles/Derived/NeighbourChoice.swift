import Core

/// The device whose value goes into another one's graph, and why not another device.
package struct NeighbourChoice: Hashable, Sendable {
    /// Why a device that measures the same is not the chosen one.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// It measures dust, gas or CO₂ too: such a part warms the air at its humidity sensor.
        case warm
        /// Its value has a flag that says that it may be wrong, or cannot be.
        case doubtful
        /// Its last value is too old.
        case old
        /// It would do; the chosen one is before it by name.
        case later
    }

    /// `humidity`, without a device.
    package let quantity: String
    package let device: String
    /// In the unit that the graph takes.
    package let value: Double
    /// The other devices by name.
    package let passedOver: [Reason: [String]]
}

/// The values that other devices measured for one input of a graph.
///
/// The first fresh one counts: by its rank, then by the device's name, so that it does not matter
/// which spoke first. Bound: 32 devices; further ones are not kept.
struct GraphNeighbours: Sendable {
    private static let deviceLimit = 32
    /// Flags of a value that another device's is better than.
    private static let doubts: Quality = [.unchanging, .disagrees, .inconsistent, .estimated]
    /// Units in which a warm part is wrong.
    private static let warmUnits = ["%", "°C"]

    private enum Rank: Int, Comparable {
        case plain, warm, doubtful, impossible

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }

        var reason: NeighbourChoice.Reason {
            switch self {
            case .plain: .later
            case .warm: .warm
            case .doubtful, .impossible: .doubtful
            }
        }
    }

    private struct Note {
        let device: String
        var held: GraphHeld
        var rank: Rank
    }

    private let external: GraphExternal
    private var notes: [Note] = []

    init(_ external: GraphExternal) { self.external = external }

    /// Keeps a value that the input admits; one without a value changes nothing.
    mutating func remember(_ reading: Reading, isWarm: Bool) {
        guard let power = external.power(of: reading.channel) else { return }
        let signal = GraphSignal(reading.outcome, timesTenTo: power)
        guard case .value(let value, let quality) = signal else { return }
        let device = reading.channel.device
        let rank = rank(value, quality, isWarm: isWarm)
        let held = GraphHeld(instant: reading.instant, signal: signal)
        if let index = notes.firstIndex(where: { $0.device == device }) {
            let isSorted = notes[index].rank == rank
            (notes[index].held, notes[index].rank) = (held, rank)
            if isSorted { return }
        } else {
            guard notes.count < Self.deviceLimit else { return }
            notes.append(Note(device: device, held: held, rank: rank))
        }
        notes.sort { ($0.rank, $0.device) < ($1.rank, $1.device) }
    }

    private func rank(_ value: Double, _ quality: Quality, isWarm: Bool) -> Rank {
        if external.unit == "%", !HumidityFit.believable.contains(value) { return .impossible }
        if !quality.isDisjoint(with: Self.doubts) { return .doubtful }
        return isWarm && Self.warmUnits.contains(external.unit) ? .warm : .plain
    }

    func signal(at now: MonotonicInstant) -> GraphSignal {
        for note in notes {
            let signal = note.held.signal(at: now, limit: external.ageLimit)
            if case .value = signal { return signal }
        }
        return .noData(.stale)
    }

    /// The device whose value counts, and the others; nil while none does.
    func choice(at now: MonotonicInstant) -> NeighbourChoice? {
        var chosen: (note: Note, value: Double)?
        var others: [NeighbourChoice.Reason: [String]] = [:]
        for note in notes {
            let signal = note.held.signal(at: now, limit: external.ageLimit)
            if case .value(let value, _) = signal {
                if let chosen {
                    let reason = note.rank > chosen.note.rank ? note.rank.reason : .later
                    others[reason, default: []].append(note.device)
                } else {
                    chosen = (note, value)
                }
            } else {
                others[.old, default: []].append(note.device)
            }
        }
        return chosen.map {
            NeighbourChoice(
                quantity: external.quantityName,
                device: $0.note.device,
                value: $0.value,
                passedOver: others.mapValues { $0.sorted() }
            )
        }
    }
}

extension Quantity {
    private static let warm: Set<String> = ["co2", "co2_equivalent", "tvoc", "gas_resistance"]

    /// Whether a part that measures it is warmer than the air: it has a heater, a lamp or a laser.
    package var isOfWarmPart: Bool {
        GraphOperation.massUnits.contains(unit) || Self.warm.contains(name)
    }
}
