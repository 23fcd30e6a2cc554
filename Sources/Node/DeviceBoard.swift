import ControlProtocol
import Readings
import Synchronization

/// How every configured device is at this moment, for reports.
///
/// Bound: one entry per configured device and one for the lights.
package final class DeviceBoard: Sendable {
    /// What the driver of a device knows about it.
    package struct Account: Sendable {
        /// A word such as `measuring`, `asleep` or `settling`.
        package let state: String
        package let facts: [DeviceReport.Fact]

        package init(state: String, facts: [DeviceReport.Fact]) {
            self.state = state
            self.facts = facts
        }
    }

    private struct Entry {
        let name: String
        let type: String
        let location: String
        var trouble: String?
        /// Whether it is not there, rather than there and of no use.
        var isAway = false
        var account: (@Sendable () async -> Account)?

        /// Without a driver to ask.
        var state: String {
            if trouble == nil { return "starting" }
            return isAway ? "absent" : "unusable"
        }
    }

    private let entries = Mutex<[Entry]>([])
    /// A structure, not a tuple: Swift 6.3.1 wraps a function that lies in a generic type by itself
    /// anew at each access under the lock, once deeper every time, until the stack is full.
    private struct Others {
        var trouble: @Sendable () -> String? = { nil }
        var observer: @Sendable () -> Void = {}
    }

    private let others = Mutex(Others())

    package init() {}

    /// Asks `trouble` too when all faults are wanted, and tells `observer` of every change here.
    func join(
        trouble: @escaping @Sendable () -> String?,
        observer: @escaping @Sendable () -> Void
    ) {
        others.withLock { $0 = Others(trouble: trouble, observer: observer) }
    }

    /// Whether anything of the station is in trouble.
    var isWell: Bool { faults.isEmpty && others.withLock { $0.trouble }() == nil }

    /// Adds a device that is not attached yet; one that is there already is left alone.
    func add(name: String, type: String, location: String) {
        entries.withLock { entries in
            guard !entries.contains(where: { $0.name == name }) else { return }
            entries.append(Entry(name: name, type: type, location: location))
        }
    }

    func remove(_ name: String) {
        entries.withLock { entries in entries.removeAll { $0.name == name } }
        others.withLock { $0.observer }()
    }

    /// The device works, and its driver can tell about it.
    func attached(_ name: String, _ account: @escaping @Sendable () async -> Account) {
        update(name) { ($0.trouble, $0.account) = (nil, account) }
    }

    /// The device is away or cannot be used, in words; nil when it ended in order.
    func detached(_ name: String, trouble: String?, isAway: Bool = false) {
        update(name) { ($0.trouble, $0.isAway, $0.account) = (trouble, isAway, nil) }
    }

    /// The device's driver goes on, with this trouble; nil when it is over.
    func troubled(_ name: String, _ words: String?) { update(name) { $0.trouble = words } }

    private func update(_ name: String, _ change: (inout Entry) -> Void) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.name == name }) else { return }
            change(&entries[index])
        }
        others.withLock { $0.observer }()
    }

    /// Every device with what its driver knows.
    package func reports() async -> [DeviceReport] {
        var reports: [DeviceReport] = []
        for entry in entries.withLock({ $0 }) {
            let account = await entry.account?()
            let trouble = entry.trouble.map { [DeviceReport.Fact("trouble", $0)] } ?? []
            reports.append(
                DeviceReport(
                    name: entry.name,
                    type: entry.type,
                    location: entry.location,
                    state: account?.state ?? entry.state,
                    facts: trouble + (account?.facts ?? [])
                )
            )
        }
        return reports
    }

    /// A line of words for each device in trouble.
    package var faults: [String] {
        entries.withLock { $0 }.compactMap { entry in
            entry.trouble.map { "\(entry.name): \($0)" }
        }
    }
}
