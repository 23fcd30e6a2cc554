import StoreQueries
import Synchronization

/// The time zone that the station's owner set, followed while the courier runs.
///
/// Until the station has named a zone, and where it names none, it is the machine's zone.
final class FollowedZone: Sendable {
    private struct State {
        var name: String?
        var zone: Zone
    }

    private let machine: Zone
    private let find: @Sendable (String) -> Zone?
    private let state: Mutex<State>

    init(_ machine: Zone, find: @escaping @Sendable (String) -> Zone?) {
        (self.machine, self.find) = (machine, find)
        state = Mutex(State(name: nil, zone: machine))
    }

    /// A zone whose answers follow the present setting.
    var zone: Zone {
        Zone { [self] second in state.withLock { $0.zone }.offset(second) }
    }

    /// Applies the name of the station's zone.
    ///
    /// - Returns: Whether it is another one; nil when this machine does not know it, which then has
    ///   the machine's.
    func follow(_ name: String?) -> Bool? {
        guard state.withLock({ $0.name != name }) else { return false }
        let found = name.map(find) ?? machine
        state.withLock { $0 = State(name: name, zone: found ?? machine) }
        return found == nil ? nil : true
    }
}
