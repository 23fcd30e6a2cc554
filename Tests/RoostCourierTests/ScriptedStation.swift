import ControlProtocol
import Core
import HardwareIO
import SimulationKit
import Synchronization
import TestSupport

@testable import RoostCourier
@testable import Store
@testable import StoreQueries

/// A station for tests: a real history, newer records in memory, and scripted answers.
final class ScriptedStation: QuestionClient, DiskWork {
    static let dust = StreamDescription(
        id: StreamID(1),
        device: "dust",
        quantities: [.pm25, .pm10]
    )
    static let climate = StreamDescription(
        id: StreamID(2),
        device: "air",
        quantities: [.temperature, Quantity(name: "humidity", unit: "%", decimals: 1)]
    )
    static let stationID = "7f3a21c9d0e4"
    private static let started: Int64 = 1_795_321_800_000_000_000

    private struct State {
        var boot = 1
        /// Records of the present boot that are not in the history, oldest first.
        var unwritten: [JournalRecord] = []
        /// How many of its records the history has.
        var writtenCount = 0
        var sequence: UInt64 = 0
        var cursors: [String: CursorReport.Cursor] = [:]
        var (cursorCount, refusesCursors, isBusy) = (Int64(0), false, false)
        var events: [String] = []
        var (isDown, isDated) = (false, true)
        var (changed, recorded) = ([Signal](), 0)
        var (progressAge, reasons) = (0.0, [String]())
        var noData: String?
        /// Time until it has the first page; its memory has nothing of the time before, then.
        var firstPageTime: Duration?
        var firstPageCount = 0
    }

    let folder: TestFolder
    let said = StationSays()
    let history: Mutex<History>
    private let state = Mutex(State())
    private let clock: any NodeClock

    init(_ clock: any NodeClock) throws {
        self.clock = clock
        folder = try TestFolder(isInMemory: true)
        let (file, _) = try HistoryFile.open(
            path: folder.path("history.db"),
            plan: StorePlan(.megabytes(4))
        )
        history = Mutex(file)
        begin()
    }

    var boot: BootID { state.withLock { Self.id($0.boot) } }
    var recorded: Int { state.withLock { $0.recorded } }
    var isDown: Bool { state.withLock { $0.isDown } }
    var events: [String] { state.withLock { $0.events } }
    var cursors: [String: [UInt8]] { state.withLock { $0.cursors.mapValues(\.bytes) } }

    /// How many cursors it was sent and kept.
    var cursorCount: Int64 { state.withLock { $0.cursorCount } }

    static func id(_ number: Int) -> BootID {
        BootID(bytes: [UInt8](repeating: UInt8(number), count: 16))
    }

    func set(down: Bool) {
        state.withLock { $0.isDown = down }
        wake()
    }

    /// Sets whether the card fails, so that cursors cannot be kept.
    func set(refusesCursors: Bool) { state.withLock { $0.refusesCursors = refusesCursors } }

    /// Sets whether it has too much to do to keep a cursor; it removes them.
    func set(isBusy: Bool) { state.withLock { $0.isBusy = isBusy } }

    func set(progressAge: Double, reasons: [String] = [], noData: String? = nil) {
        state.withLock { ($0.progressAge, $0.reasons, $0.noData) = (progressAge, reasons, noData) }
    }

    /// Lets the first page take so long that memory lacks what came meanwhile; nil ends that.
    func set(firstPageTime: Duration?) { state.withLock { $0.firstPageTime = firstPageTime } }

    /// How often a follower began.
    var firstPageCount: Int { state.withLock { $0.firstPageCount } }

    // MARK: What happens in it

    private func begin() {
        state.withLock { state in
            let now = Tick(clock.now)
            state.unwritten = [
                .started(at: now, version: "1"), .stream(Self.dust),
                .schedule(Self.dust.id, from: now, interval: .seconds(1)),
            ]
            if state.isDated { state.unwritten.append(Self.anchor(state.boot, now)) }
        }
    }

    private static func anchor(_ boot: Int, _ tick: Tick) -> JournalRecord {
        // Time goes on across boots, which share one clock here.
        .anchor(
            ClockAnchor(
                boot: id(boot),
                tick: tick,
                wall: wall(tick),
                isTrusted: true
            )
        )
    }

    /// Returns the time of a tick.
    static func wall(_ tick: Tick) -> WallTime {
        WallTime(nanoseconds: started + tick.instant.nanoseconds)
    }

    /// Sets whether the next boot has a trusted clock; without one, until `date()`.
    func set(dated: Bool) { state.withLock { $0.isDated = dated } }

    func date() {
        state.withLock { state in
            state.isDated = true
            state.unwritten.append(Self.anchor(state.boot, Tick(clock.now)))
        }
        wake()
    }

    /// Records a sample of now.
    func record(_ tenths: Int64 = 123) { record(Self.dust, tenths) }

    /// Records a sample of a second device, which is there from its first sample on.
    func recordClimate() {
        state.withLock { $0.unwritten.append(.stream(Self.climate)) }
        record(Self.climate, 201)
    }

    private func record(_ stream: StreamDescription, _ tenths: Int64) {
        state.withLock { state in
            let tick = Tick(clock.now)
            var encoder = SegmentEncoder(decimals: [1, 1], startingAt: tick)
            let outcome = Outcome.value(FixedPoint(tenths, decimals: 1))
            encoder.append(tick, [outcome, outcome])
            state.unwritten.append(.samples(stream.id, segment: encoder.finished()))
            state.recorded += 1
        }
        wake()
    }

    func record(_ name: String, _ details: KeyValuePairs<String, String>) {
        state.withLock { state in
            let event = Event(
                at: clock.now,
                source: "mode",
                name: name,
                severity: .notice,
                details: details.map { Event.Detail($0.key, $0.value) }
            )
            state.unwritten.append(.event(event))
        }
        wake()
    }

    func record(_ alert: AlertEvent) {
        state.withLock { state in
            let event = Event(
                at: clock.now,
                source: "alerts",
                kind: .alert(alert),
                severity: alert.severity,
                details: []
            )
            state.unwritten.append(.event(event))
        }
        wake()
    }

    /// Moves the records in memory to the history.
    func checkpoint() throws {
        let (records, sequence, boot) = state.withLock { state in
            state.sequence += 1
            defer {
                state.writtenCount += state.unwritten.count
                state.unwritten = []
            }
            return (state.unwritten, state.sequence, Self.id(state.boot))
        }
        let block = JournalBlock(
            sequence: sequence,
            boot: boot,
            payload: JournalRecordCodec.encode(records)
        )
        _ = try history.withLock { try $0.append([block]) }
    }

    /// Restarts the machine, with everything on the card.
    func reboot() throws {
        try checkpoint()
        state.withLock { state in
            state.boot += 1
            state.writtenCount = 0
        }
        begin()
        wake()
    }

    private func wake() {
        let signals = state.withLock { state in
            defer { state.changed = [] }
            return state.changed
        }
        for signal in signals { signal.raise() }
    }

    // MARK: Answers

    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try body()
    }

    func exchange(_ line: String, within limit: Duration?) async throws -> String {
        guard !state.withLock({ $0.isDown }) else { throw StationDown("it is down") }
        var questions = QuestionTable("this station", users: LocalUsers())
        questions.on(GetTail.self) { question, _ in try await self.tail(question) }
        questions.on(KeepCursor.self) { question, _ in try self.cursor(question) }
        questions.on(RecordCourierEvent.self) { event, _ in
            let details = event.details ?? [:]
            let subject = details["target"] ?? details["setting"] ?? "-"
            let text = [event.kind, subject, details["key"]].compactMap(\.self)
                .joined(separator: " ")
            self.state.withLock { $0.events.append(text) }
            return CourierEventReport(isKept: true, omittedCount: 0)
        }
        questions.on(GetStatus.self) { _, _ in self.status }
        questions.on(GetAlerts.self) { _, _ in OwnRule.report(self.said.alerts) }
        return try await questions.answer(line)
    }

    private func tail(_ request: GetTail) async throws -> TailReport {
        guard let from = request.from else {
            let time = state.withLock { state in
                state.firstPageCount += 1
                return state.firstPageTime
            }
            if let time { try await clock.sleep(for: time) }
            return tail
        }
        let deadline = clock.now.advanced(by: .seconds(request.waitSeconds ?? 0))
        while true {
            let signal = Signal()
            let report = state.withLock { state in
                let isBehind = state.firstPageTime != nil
                let report =
                    isBehind
                    ? self.report([], state) : page(from, request.limit ?? 500, state)
                if report == nil { state.changed.append(signal) }
                return report
            }
            guard !state.withLock({ $0.isDown }) else { throw StationDown("it went down") }
            if let report { return report }
            guard clock.now < deadline else {
                return state.withLock { self.report([], next: from, $0) }
            }
            _ = try await clock.wait(for: signal, until: deadline, tolerance: .zero)
        }
    }

    private func report(
        _ parts: [TailReport.Part],
        next: String? = nil,
        end: String? = nil,
        _ state: State
    ) -> TailReport {
        TailReport(
            folder: folder.path,
            bootID: "\(Self.id(state.boot))",
            nowSeconds: Double(clock.now.nanoseconds) / 1e9,
            parts: parts,
            next: next,
            end: end
        )
    }

    /// nil: nothing is there yet.
    private func page(_ from: String, _ limit: Int, _ state: State) -> TailReport? {
        let parts = from.dropFirst().split(separator: "-").compactMap { Int($0) }
        guard parts.count == 2, parts[0] == state.boot, parts[1] >= state.writtenCount else {
            return report([], state)
        }
        let new = state.unwritten.dropFirst(parts[1] - state.writtenCount).prefix(limit)
        let isAnswer = new.contains { record in
            if case .event(let event) = record { return event.source == "alerts" }
            if case .samples = record { return true }
            return false
        }
        guard isAnswer else { return nil }
        let payload = JournalRecordCodec.encode(Array(new))
        let part = TailReport.Part(bootID: "\(Self.id(state.boot))", payload: payload)
        return report([part], next: "r\(state.boot)-\(parts[1] + new.count)", state)
    }

    private var tail: TailReport {
        state.withLock { state in
            let part = TailReport.Part(
                earliestSequence: state.sequence + 1,
                bootID: "\(Self.id(state.boot))",
                payload: JournalRecordCodec.encode(state.unwritten)
            )
            let end = state.writtenCount + state.unwritten.count
            return report([part], end: "r\(state.boot)-\(end)", state)
        }
    }

    private func cursor(_ request: KeepCursor) throws -> CursorReport {
        try state.withLock { state in
            if let name = request.name, let blob = request.bytes {
                guard !state.refusesCursors else { throw StationDown("the card is read-only") }
                if state.isBusy, !blob.isEmpty {
                    throw ControlFailure(code: .busy, message: "there is too much going on")
                }
                if blob.isEmpty {
                    state.cursors[name] = nil
                } else {
                    let isFull = state.cursors.count >= CursorReport.nameLimit
                    guard state.cursors[name] != nil || !isFull else {
                        throw ControlFailure(code: .busy, message: "the table is full")
                    }
                    state.cursorCount += 1
                    let number = state.cursorCount
                    state.cursors[name] = .init(name: name, blob: blob, number: number)
                }
            }
            let all = state.cursors.values.sorted { $0.name < $1.name }
            return CursorReport(cursors: all, number: state.cursorCount, durable: state.cursorCount)
        }
    }

    private var status: StatusReport {
        state.withLock { state in
            var report = StatusReport(
                name: "balcony",
                version: "1",
                processID: 1,
                uptimeSeconds: 10_000,
                wallTime: nil,
                bootID: "\(Self.id(state.boot))",
                mode: ModeReport(mode: "normal", name: nil, endsInSeconds: nil),
                lamp: nil,
                channels: [channel(state)],
                budget: .none,
                watchdog: nil,
                faults: []
            )
            (report.stationID, report.zone) = (Self.stationID, said.zone)
            report.findsStations = said.findsStations
            report.health = HealthReport(reasons: state.reasons)
            report.progress = [
                DeviceProgressReport(device: "dust", progressAgeSeconds: state.progressAge)
            ]
            return report
        }
    }

    private func channel(_ state: State) -> ChannelReport {
        var channel = ChannelReport(
            channel: "dust/pm25",
            unit: "µg/m³",
            latest: ReadingReport(
                channel: "dust/pm25",
                instantSeconds: 1,
                ageSeconds: 1,
                outcome: (nil, state.noData),
                unit: "µg/m³",
                quality: []
            ),
            valueAgeSeconds: 1,
            isStale: false
        )
        channel.intervalSeconds = 60
        return channel
    }
}
