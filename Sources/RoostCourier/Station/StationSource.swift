import ControlProtocol
import Core
import Logging
import Runtime
import Store
import StoreQueries

/// The station's samples for the outboxes: new ones by `tail`, older ones from the history.
///
/// Follows the station as a child; until it has answered once, callers wait. The history is opened
/// as seldom as possible, and each read holds its lock only for single steps.
actor StationSource: OutboxSampleSource, Child {
    /// Dependencies of a station source.
    struct World: Sendable {
        let link: any QuestionClient
        let history: HistoryDisk
        let clock: any NodeClock
        let logger: Logger
        /// How long a new sample may wait for further ones; zero sends it at once.
        var gathering = Duration.zero

        init(
            link: any QuestionClient,
            history: HistoryDisk,
            clock: any NodeClock,
            logger: Logger
        ) {
            (self.link, self.history, self.clock, self.logger) = (link, history, clock, logger)
        }
    }

    /// Time that one question waits.
    static let patience: Duration = .seconds(300)
    /// Waits between attempts while the station does not answer: the first and the longest.
    private static let retries: ClosedRange<Duration> = .seconds(1) ... .seconds(15)
    private static let pageLimit = 500

    /// State while the station is followed.
    private struct Present {
        /// Where the station's next records begin.
        var end: String
        let folder: String
        let boot: BootID
        let bootNumber: Int
        /// Whether memory had what came while the history was read.
        var hasFollowed = false
        var past: StationRecollection
        var recent: RecentSamples
        var anchors: [ClockAnchor]
        var clock: ClockAnchors
        /// Value of `RecentSamples.dropCount` when the history was opened.
        var historyDropCount = 0
    }

    private let world: World
    private let heartbeat: Heartbeat
    private let onNews: @Sendable (TailReport) async -> Void
    private let onReturn: @Sendable () async -> Void
    private var present: Present?
    private var changeCount: UInt64 = 0
    private var waiting: [Signal] = []
    private var isReopening = false
    private var reopened: [Signal] = []
    /// Why the station is not followed; nil while it is.
    private(set) var trouble: String?

    /// - Parameters:
    ///   - onReturn: Called when the station answers for the first time, or again.
    ///   - onNews: Gets each answer that has records.
    init(
        in world: World,
        heartbeat: Heartbeat,
        onReturn: @escaping @Sendable () async -> Void = {},
        onNews: @escaping @Sendable (TailReport) async -> Void = { _ in }
    ) {
        (self.world, self.heartbeat) = (world, heartbeat)
        (self.onReturn, self.onNews) = (onReturn, onNews)
    }

    /// The station's streams with their channels.
    var descriptions: [StreamDescription] { present.map(Self.descriptions) ?? [] }

    /// Returns the time of an instant in the present boot; nil while no trusted clock dates it.
    func time(of instant: MonotonicInstant) -> WallTime? {
        present.flatMap { Self.time(of: Self.place(Tick(instant), $0), $0) }
    }

    /// Changes of alerts in the history, oldest first.
    var alerts: [AlertChange] { present?.past.alerts ?? [] }

    // MARK: Following

    /// Follows the station until cancelled.
    func run() async throws {
        var delay = Self.retries.lowerBound
        while !Task.isCancelled {
            heartbeat.beat(nextWithin: Self.patience * 2)
            do {
                try await follow()
                guard present?.hasFollowed == true else { continue }
                delay = Self.retries.lowerBound
                trouble = nil
            } catch let error where !(error is CancellationError) {
                lose(error)
                try await world.clock.sleep(for: delay, tolerance: delay / 4)
                delay = min(delay * 2, Self.retries.upperBound)
            }
        }
    }

    private func lose(_ error: any Error) {
        let words = "\(error)"
        if trouble != words {
            world.logger.warning("station is not followed", metadata: ["why": "\(words)"])
        }
        (trouble, present) = (words, nil)
    }

    private func follow() async throws {
        guard let end = present?.end else { return try await begin() }
        let question = GetTail(
            from: end,
            limit: Self.pageLimit,
            // After a trouble the first answer shows at once whether it is over.
            waitSeconds: trouble == nil ? Self.patience.inSeconds : 0,
            samples: TailCondition(
                atLeast: world.gathering > .zero ? Self.pageLimit : 1,
                orAfterSeconds: world.gathering > .zero ? world.gathering.inSeconds : nil
            )
        )
        // The station wakes up for its end some time late.
        let limit = Self.patience * 1.2 + .seconds(10)
        let report = try await world.link.ask(question, within: limit)
        guard report.folder == present?.folder, report.bootID == present.map({ "\($0.boot)" }),
            let next = report.next
        else {
            // The store is another one, or more happened than the station keeps in memory.
            guard present?.hasFollowed == true else {
                throw StationDown(
                    "what it recorded while the history was read is no longer in its memory; "
                        + "the courier begins again"
                )
            }
            present = nil
            return
        }
        present?.hasFollowed = true
        try apply(report, next)
        if !report.parts.isEmpty { await onNews(report) }
    }

    /// Asks for the station's place, then opens the history, so that nothing between is missed.
    private func begin() async throws {
        let tail = try await tail()
        guard let folder = tail.folder, let boot = tail.now?.boot, let end = tail.end else {
            throw StationDown("the station has no store open; see `roost status`")
        }
        try await world.history.reopen(folder, tail.tail)
        let past = try await world.history.read { try StationRecollection($0, present: boot) }
        var recent = RecentSamples(after: past.newest)
        for stream in past.streams { recent.describe(stream) }
        present = Present(
            end: end,
            folder: folder,
            boot: boot,
            bootNumber: past.boots[boot] ?? 0,
            past: past,
            recent: recent,
            anchors: past.anchors,
            clock: past.clock
        )
        announce()
        await onReturn()
    }

    /// Asks the station for the records that the history's file lacks.
    private func tail() async throws -> StationTail {
        let link = world.link
        return try await StationTail { try await link.ask($0) }
    }

    private func apply(_ report: TailReport, _ next: String) throws {
        guard var present else { return }
        var hasAnchors = false
        for record in report.parts.flatMap({ JournalRecordCodec.contents($0.bytes).records }) {
            switch record {
            case .stream(let description): present.recent.describe(description)
            case .samples(let stream, let segment): try add(segment, of: stream, to: &present)
            case .anchor(let anchor) where !present.anchors.contains(anchor):
                hasAnchors = true
                present.anchors.append(anchor)
            case .event(let event):
                let place = Self.place(Tick(event.instant), present)
                present.past.remember(event, at: place)
            case .anchor, .started, .stopped, .schedule, .cursor: continue
            }
        }
        if hasAnchors {
            let anchors = present.anchors.filter { $0.boot == present.boot }
            present.clock = ClockAnchors(runs: [], anchors: anchors)
        }
        present.end = next
        self.present = present
        if !report.parts.isEmpty { announce() }
    }

    private func add(
        _ segment: [UInt8],
        of stream: StreamID,
        to present: inout Present
    ) throws {
        guard let description = present.recent.description(of: stream) else {
            throw StationDown("the station sent samples of a stream that it does not describe")
        }
        let decimals = description.quantities.map(\.decimals)
        var decoder = try SegmentDecoder(segment, decimals: decimals)
        while let (tick, outcomes) = try decoder.next() {
            let place = Self.place(tick, present)
            // The history has what came between its tail's end and its opening.
            guard present.past.newest[stream].map({ place > $0 }) ?? true else { continue }
            present.recent.append(RecentSamples.Row(place: place, outcomes: outcomes), of: stream)
        }
    }

    private static func place(_ tick: Tick, _ present: Present) -> OutboxPosition {
        OutboxPosition(boot: present.boot, bootNumber: present.bootNumber, tick: tick)
    }

    private func announce() {
        changeCount += 1
        for signal in waiting { signal.raise() }
        waiting = []
    }

    // MARK: As a source

    func change(
        since count: UInt64,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> UInt64 {
        guard changeCount == count else { return changeCount }
        let signal = Signal()
        waiting.append(signal)
        defer { waiting.removeAll { $0 === signal } }
        _ = try await world.clock.wait(for: signal, until: deadline, tolerance: tolerance)
        return changeCount
    }

    func streams() async throws -> [StreamID] {
        Self.descriptions(try followed()).map(\.id)
    }

    func boots() async throws -> [BootID: Int] { try followed().past.boots }

    func count(
        of stream: StreamID,
        after place: OutboxPosition?
    ) async throws -> (count: Int, newest: OutboxPosition?) {
        let present = try followed()
        if present.recent.covers(stream, after: place) {
            return present.recent.count(of: stream, after: place)
        }
        try await freshen()
        let (boots, recent) = (present.past.boots, present.recent)
        let floor = recent.floor(of: stream)
        let old = try await world.history.read { reader -> (count: Int, newest: OutboxPosition?) in
            let places = HistoryPlaces(reader)
            let from = place.flatMap { boots[$0.boot] == nil ? nil : $0.stored(in: stream) }
            let newest = try floor.map { $0.stored(in: stream) } ?? places.newest(of: stream)
            let count = try places.count(of: stream, after: from, through: newest) ?? 0
            return (count, newest.map { OutboxPosition($0, boots) })
        }
        guard let floor else { return old }
        let new = recent.count(of: stream, after: floor)
        return (old.count + new.count, new.count > 0 ? new.newest : old.newest)
    }

    func page(
        of stream: StreamID,
        after place: OutboxPosition?,
        limit: Int
    ) async throws -> OutboxPage? {
        let present = try followed()
        if present.recent.covers(stream, after: place) {
            let rows = present.recent.rows(of: stream, after: place, limit: limit)
            return Self.page(rows, of: stream, present)
        }
        try await freshen()
        let boots = present.past.boots
        let rows = try await world.history.read { reader -> [RecentSamples.Row] in
            let from = place.flatMap { boots[$0.boot] == nil ? nil : $0.stored(in: stream) }
            let found = try HistoryPlaces(reader).samples(of: stream, after: from, limit: limit)
            return found.samples.map { sample in
                let here = SamplePosition(stream: stream, boot: sample.boot, tick: sample.tick)
                return .init(place: OutboxPosition(here, boots), outcomes: sample.outcomes)
            }
        }
        let boot = rows.first?.place.boot
        return Self.page(Array(rows.prefix { $0.place.boot == boot }), of: stream, present)
    }

    func place(notAfter moment: WallTime) async throws -> OutboxPosition? {
        let present = try followed()
        // Imported samples have boots of their own, and no target gets them.
        let boots = present.past.boots.filter { !$0.key.isImported }
        for (boot, number) in boots.sorted(by: { $0.value > $1.value }) {
            let clock = boot == present.boot ? present.clock : present.past.clock
            guard let tick = TickSearch(clock, boot).last(notAfter: moment) else { continue }
            return OutboxPosition(boot: boot, bootNumber: number, tick: tick)
        }
        return nil
    }

    private func followed() throws -> Present {
        guard let present else {
            throw StationDown(trouble ?? "the station has not answered yet")
        }
        return present
    }

    /// Opens the history again if memory has dropped samples that it may lack.
    private func freshen() async throws {
        while isReopening {
            let signal = Signal()
            reopened.append(signal)
            defer { reopened.removeAll { $0 === signal } }
            _ = try await world.clock.wait(for: signal, until: nil, tolerance: .zero)
        }
        let now = try followed()
        guard now.recent.dropCount != now.historyDropCount else { return }
        isReopening = true
        defer {
            isReopening = false
            for signal in reopened { signal.raise() }
        }
        try await world.history.reopen(now.folder, try await tail().tail)
        present?.historyDropCount = now.recent.dropCount
    }

    private static func descriptions(_ present: Present) -> [StreamDescription] {
        present.recent.streams.sorted { $0.id < $1.id }
    }

    private static func page(
        _ rows: [RecentSamples.Row],
        of stream: StreamID,
        _ present: Present
    ) -> OutboxPage? {
        guard let first = rows.first,
            let description = descriptions(present).first(where: { $0.id == stream })
        else { return nil }
        let samples = rows.map { row -> OutboxSample in
            var sample = OutboxSample(
                stream: stream,
                at: (row.place.boot, row.place.tick),
                time: time(of: row.place, present),
                device: description.device,
                quantities: description.quantities,
                outcomes: row.outcomes
            )
            sample.isPrivate = present.past.privates.contains(row.place)
            return sample
        }
        return OutboxPage(
            stream: stream,
            boot: first.place.boot,
            bootNumber: first.place.bootNumber,
            isPresent: first.place.boot == present.boot,
            samples: samples
        )
    }

    /// Returns a sample's time in tenths of a second, the same at each repetition.
    ///
    /// Two readings of a clock differ by microseconds.
    private static func time(of place: OutboxPosition, _ present: Present) -> WallTime? {
        let clock = place.boot == present.boot ? present.clock : present.past.clock
        guard let time = clock.time(place.boot, place.tick), time.isSure else { return nil }
        let tenth: Int64 = 100_000_000
        let count = (time.wall.nanoseconds + tenth / 2) / tenth
        return WallTime(nanoseconds: count * tenth)
    }
}

extension OutboxPosition {
    fileprivate init(_ place: SamplePosition, _ boots: [BootID: Int]) {
        self.init(boot: place.boot, bootNumber: boots[place.boot] ?? 0, tick: place.tick)
    }

    fileprivate func stored(in stream: StreamID) -> SamplePosition {
        SamplePosition(stream: stream, boot: boot, tick: tick)
    }
}
