import ControlProtocol
import Core
import Devices
import Synchronization

/// How every configured device is at this moment, for reports.
///
/// Bound: one entry per configured device and one for the lights.
package final class DeviceList: Sendable {
    /// The state of a device, from its driver.
    package struct Account: Sendable {
        /// For example `measuring`, `asleep` or `settling`.
        package let state: String
        package let facts: [Fact]
        /// Progress of a device with samples; nil for others and while its driver does not know.
        package var progress: SensorProgress?

        package init(state: String, facts: [Fact]) {
            self.state = state
            self.facts = facts
        }
    }

    private struct Entry {
        let name: String
        let type: String
        let location: String
        let addedAt: MonotonicInstant
        var trouble: StationFacts.Trouble?
        /// When its driver began; nil while it has none.
        var attachedAt: MonotonicInstant?
        var account: (@Sendable () async -> Account)?
        /// Another part that answers on the line in place of the wanted one.
        var other: StationFacts.OtherPart?

        /// State of a device while it has no driver.
        var state: String {
            switch trouble?.kind {
            case nil: "starting"
            case .away: "absent"
            case .unusable, .silent: "unusable"
            }
        }
    }

    private let entries = Mutex<[Entry]>([])
    /// A structure: Swift 6.3.1 wraps a closure that is the whole value of a generic type once more
    /// at each access under the lock, until the stack overflows.
    private struct Others {
        var observer: @Sendable () -> Void = {}
    }

    private let others = Mutex(Others())
    private let clock: any NodeClock

    package init(clock: any NodeClock) { self.clock = clock }

    /// Calls `observer` on every change here.
    func join(_ observer: @escaping @Sendable () -> Void) {
        others.withLock { $0 = Others(observer: observer) }
    }

    /// Adds a device that is not attached yet; a listed device stays unchanged.
    func add(name: String, type: String, location: String) {
        let now = clock.now
        entries.withLock { entries in
            guard !entries.contains(where: { $0.name == name }) else { return }
            entries.append(Entry(name: name, type: type, location: location, addedAt: now))
        }
    }

    /// The devices there are, and since when each has its name.
    var arrivals: [(name: String, at: MonotonicInstant)] {
        entries.withLock { $0.map { ($0.name, $0.addedAt) } }
    }

    func remove(_ name: String) {
        entries.withLock { entries in entries.removeAll { $0.name == name } }
        others.withLock { $0.observer }()
    }

    /// The device works, and its driver can report on it.
    ///
    /// - Parameters:
    ///   - isTrial: Whether it broke before: its trouble stays until it has run for a while.
    func attached(
        _ name: String,
        isTrial: Bool = false,
        _ account: @escaping @Sendable () async -> Account
    ) {
        let now = clock.now
        update(name) { entry in
            if !isTrial { entry.trouble = nil }
            (entry.attachedAt, entry.account, entry.other) = (now, account, nil)
        }
    }

    /// The device is away or cannot be used, as text; nil when it ended in order.
    func detached(_ name: String, trouble: String?, isAway: Bool = false) {
        update(name) { entry in
            setTrouble(trouble, isAway ? .away : .unusable, &entry)
            (entry.attachedAt, entry.account) = (nil, nil)
        }
    }

    /// The device's driver goes on, with this trouble; nil when it is over.
    func troubled(_ name: String, _ text: String?) {
        update(name) { setTrouble(text, .silent, &$0) }
    }

    /// Records from a driver's event that another part answers in place of the wanted one.
    func follow(_ event: Event) {
        guard case .otherSensor(let wanted, let found) = event.kind else { return }
        update(event.source) { $0.other = StationFacts.OtherPart(wanted: wanted, found: found) }
    }

    /// A trouble that goes on keeps its beginning.
    private func setTrouble(
        _ text: String?,
        _ kind: StationFacts.Trouble.Kind,
        _ entry: inout Entry
    ) {
        let since = entry.trouble.flatMap { $0.kind == kind ? $0.since : nil } ?? clock.now
        entry.trouble = text.map { StationFacts.Trouble(kind, since: since, $0) }
    }

    private func update(_ name: String, _ change: (inout Entry) -> Void) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.name == name }) else { return }
            change(&entries[index])
        }
        others.withLock { $0.observer }()
    }

    /// Every device with its driver's state.
    package func reports() async -> [DeviceReport] {
        var reports: [DeviceReport] = []
        for entry in entries.withLock({ $0 }) {
            let account = await entry.account?()
            let trouble = entry.trouble.map { [Fact("trouble", $0.words)] } ?? []
            var report = DeviceReport(
                name: entry.name,
                type: entry.type,
                location: entry.location,
                state: account?.state ?? entry.state,
                facts: Details(trouble + (account?.facts ?? []))
            )
            report.progress = account?.progress.map { ProgressReport($0, at: clock.now) }
            reports.append(report)
        }
        return reports
    }

    /// The state of each device without a call to its driver.
    var facts: [StationFacts.Device] {
        entries.withLock { $0 }.map { entry in
            var device = StationFacts.Device(name: entry.name, location: entry.location)
            (device.trouble, device.attachedAt) = (entry.trouble, entry.attachedAt)
            device.other = entry.other
            return device
        }
    }
}
