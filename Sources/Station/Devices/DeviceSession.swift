import Core
import Devices
import HardwareIO
import Runtime
import Synchronization

/// Keeps one configured device attached: opens it, runs its driver, waits when it is away.
///
/// A device that is unplugged, busy or forbidden is not a failure of the node: it is reported once,
/// its channels say why they are empty, and the node goes on. Failures of a driver go up to the
/// supervisor.
final class DeviceSession: OrderlyStop {
    /// An opened device.
    struct Attached {
        let driver: any Child
        let account: @Sendable () async -> DeviceList.Account
    }

    /// Identity of the device, and the channels that its absence leaves without values.
    struct Subject {
        let name: String
        /// Path to wait for while the device is absent; nil tries again from time to time.
        let path: String?
        let channels: [Channel]
        /// Receives the readings for its absence; nil is the recorder itself.
        var sink: (any ReadingSink)?
        /// How long a found device is there; nil when its place is configured.
        var presence: Presence?
    }

    /// The stay of a found device in its socket: when that ends, so does the attachment.
    struct Presence: Sendable {
        let detection: DetectionClient
        let port: Int

        var isThere: Bool { detection.isThere(port: port) }

        /// The line failed before a hotplug event reported that the device is gone.
        func end() { detection.deviceEnded(port: port) }
    }

    /// Running time after which a device that failed counts as repaired.
    static let settleTime: Duration = .seconds(10)
    /// The longest pause between two tries to open a device that is there and cannot be used.
    static let longestPause: Duration = .minutes(5)
    /// The longest pause where a try costs little: a bus that hung, a port that another has.
    static let cheapPause: Duration = .seconds(15)

    private enum Outage {
        case absent(String)
        /// Another has its line; only of found devices.
        case replaced(String)
        case unusable(String)
        case busy(String)
        case hanging(String)

        var text: String {
            switch self {
            case .absent(let text), .replaced(let text), .unusable(let text), .busy(let text),
                .hanging(let text):
                text
            }
        }

        var isAbsent: Bool {
            switch self {
            case .absent, .replaced: true
            case .unusable, .busy, .hanging: false
            }
        }

        /// Whether the next try may succeed without anything being done: udev sets the group of
        /// a new node a moment after it appears, and who looked at it then lets go.
        var maySettle: Bool {
            switch self {
            case .unusable, .busy: true
            case .absent, .replaced, .hanging: false
            }
        }

        var longestPause: Duration {
            switch self {
            case .absent, .replaced, .unusable: DeviceSession.longestPause
            case .busy, .hanging: DeviceSession.cheapPause
            }
        }
    }

    private let subject: Subject
    private let station: StationContext
    private let heartbeat: Heartbeat
    private let attach: @Sendable (Heartbeat) async throws -> Attached
    private let stop = Signal()
    private let running = Mutex<(isStopping: Bool, driver: (any Child)?)>((false, nil))

    init(
        _ subject: Subject,
        station: StationContext,
        heartbeat: Heartbeat,
        attach: @escaping @Sendable (Heartbeat) async throws -> Attached
    ) {
        self.subject = subject
        self.station = station
        self.heartbeat = heartbeat
        self.attach = attach
    }

    private var isStopping: Bool { running.withLock { $0.isStopping } }

    func requestStop() {
        let driver = running.withLock { running in
            running.isStopping = true
            return running.driver
        }
        (driver as? any OrderlyStop)?.requestStop()
        stop.raise()
    }

    func run() async throws {
        let absence = try await keepAttached()
        guard let presence = subject.presence, absence != nil || !presence.isThere else { return }
        // After its driver's last reading, so that this is the final state of its channels.
        let text = absence ?? "unplugged"
        await report(.absent(text), text)
    }

    /// Opens and runs until a stop is requested.
    ///
    /// - Returns: Why a detected device is away, when that was not reported yet; nil for an end in
    ///   order.
    private func keepAttached() async throws -> String? {
        var pause = Duration.seconds(1)
        // The outage that was reported, and the error that ended a running driver.
        var (reported, broke): (Outage?, String?)
        while !Task.isCancelled, !isStopping {
            let outage: Outage?
            do {
                // Opening may wait for a card or a device that does not answer.
                let (attach, heartbeat) = (attach, heartbeat)
                let attached = try await station.clock.run(unless: stop) {
                    try await attach(heartbeat)
                }
                guard let attached else { return nil }
                if broke == nil, let before = reported {
                    await reportReturn(after: before.text)
                    reported = nil
                }
                let startedAt = station.clock.now
                let stay = try await drive(attached, backAfter: broke.map { reported?.text ?? $0 })
                outage = stay.outage
                if stay.isBack { reported = nil }
                broke = stay.outage.flatMap { $0.isAbsent ? nil : $0.text }
                if startedAt.duration(to: station.clock.now) >= .minutes(1) { pause = .seconds(1) }
            } catch {
                guard let known = Self.outage(of: error) else { throw error }
                outage = known
            }
            guard let outage else { return nil }
            if outage.isAbsent, let presence = subject.presence {
                // The next device under that node is another one.
                presence.end()
                if case .replaced(let text) = outage { return text }
                return "unplugged"
            }
            reported = try await backOff(outage, pause: &pause, reported: reported)
        }
        return nil
    }

    /// Runs the driver until it ends.
    ///
    /// - Parameters:
    ///   - text: The outage that is over once the driver has run for a while; nil when there is
    ///     none.
    /// - Returns: What ended it, nil for an end in order; whether the return was reported.
    /// - Throws: A failure of ours; `CancellationError`.
    private func drive(
        _ attached: Attached,
        backAfter text: String?
    ) async throws -> (outage: Outage?, isBack: Bool) {
        station.devices.attached(subject.name, isTrial: text != nil, attached.account)
        let isStopping = running.withLock { running in
            running.driver = attached.driver
            return running.isStopping
        }
        defer { running.withLock { $0.driver = nil } }
        if isStopping {
            (attached.driver as? any OrderlyStop)?.requestStop()
            stop.raise()  // Opening the port may have consumed an earlier one.
        }
        let isBack = Flag()
        do {
            try await run(attached.driver, beside: text.map { settle($0, isBack) })
            station.devices.detached(subject.name, trouble: nil)
            return (nil, isBack.isSet)
        } catch {
            let outage = Self.outage(of: error)
            station.devices.detached(
                subject.name,
                trouble: "\(error)",
                isAway: outage?.isAbsent ?? false
            )
            guard let outage else { throw error }
            return (outage, isBack.isSet)
        }
    }

    /// Reports the return of a device that has run for a while.
    private func settle(
        _ text: String,
        _ isBack: Flag
    ) -> @Sendable () async throws -> Void {
        { [self] in
            try await station.clock.sleep(for: Self.settleTime)
            isBack.set()
            station.devices.troubled(subject.name, nil)
            await reportReturn(after: text)
        }
    }

    /// Runs a driver that may support only cancellation, and `body` concurrently.
    private func run(
        _ driver: any Child,
        beside body: (@Sendable () async throws -> Void)?
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let body {
                group.addTask {
                    try await body()
                    // Only the driver's end is an end.
                    let clock = self.station.clock
                    _ = try await clock.wait(for: Signal(), until: nil, tolerance: .zero)
                }
            }
            group.addTask {
                if driver is any OrderlyStop { return try await driver.run() }
                let (clock, stop) = (self.station.clock, self.stop)
                _ = try await clock.run(unless: stop) { try await driver.run() }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Names the trouble once and waits until another try makes sense.
    ///
    /// - Returns: The outage that was reported.
    private func backOff(
        _ outage: Outage,
        pause: inout Duration,
        reported: Outage?
    ) async throws -> Outage? {
        let text = outage.text
        var isReported = reported?.text == text
        // Who holds a port may be another program each time.
        if case .busy = outage, case .busy? = reported { isReported = true }
        if outage.maySettle, pause <= .seconds(1), reported == nil { isReported = true }
        if !isReported { await report(outage, text) }
        let newlyTold = isReported ? reported : outage
        station.devices.detached(subject.name, trouble: text, isAway: outage.isAbsent)
        // However long that lasts, it is not a failure of this child.
        heartbeat.beat(nextWithin: .days(36_500))
        // The stop's one signal may have ended the opening.
        if isStopping { return newlyTold }
        if case .absent = outage, let path = subject.path {
            let (platform, since) = (station.platform, station.clock.now)
            _ = try await station.clock.run(unless: stop) {
                try await platform.waitForPath(path)
            }
            // The stop's one signal may have ended that wait.
            if isStopping { return reported }
            // Plugged in anew: it gets a quick try, whatever failed before.
            if since.duration(to: station.clock.now) > .seconds(2) { pause = .seconds(1) }
        }
        _ = try await station.clock.wait(
            for: stop,
            until: station.clock.now.advanced(by: pause),
            tolerance: pause / 4
        )
        pause = min(pause * 2, outage.longestPause)
        heartbeat.beat()
        return newlyTold
    }

    private func report(_ outage: Outage, _ text: String) async {
        let isAbsent = outage.isAbsent
        let now = station.clock.now
        station.recorder.record(
            Event(
                at: now,
                source: subject.name,
                kind: .plain(isAbsent ? .deviceAway : .deviceUnusable),
                severity: .warning,
                ["reason": text]
            )
        )
        let absence: NoData = isAbsent ? .unplugged : .unusable
        guard !subject.channels.isEmpty else { return }
        let sink = subject.sink ?? station.recorder
        sink.accept(
            subject.channels.map { Reading($0, at: now, .noData(absence)) }
        )
    }

    private func reportReturn(after text: String) async {
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: subject.name,
                kind: .plain(.deviceBack),
                severity: .notice,
                ["was": text]
            )
        )
    }

    /// A cause outside the node; nil for a failure of the node.
    private static func outage(of error: any Error) -> Outage? {
        switch error {
        case let error as SerialError:
            switch error {
            case .absent, .disconnected, .noServer: .absent("\(error)")
            // A part that accepts nothing blocks only its own line.
            case .noPermission, .notASerialLine, .unsupportedBaud, .backlog, .flooded:
                .unusable("\(error)")
            case .busy: .busy("\(error)")
            case .hanging, .stuck: .hanging("\(error)")
            case .system: nil
            }
        case let error as GPIOError:
            switch error {
            case .disconnected: .absent("\(error)")
            case .noChip, .noLine, .busy, .noPermission: .unusable("\(error)")
            case .system: nil
            }
        case let error as AnotherPart: .replaced("\(error)")
        case let error as LetterOutputError: .unusable("\(error)")
        default: nil
        }
    }
}

/// Set once.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}
