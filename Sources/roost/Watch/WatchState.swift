import ControlProtocol
import Core
import Store

/// The data of a live view; the screen is drawn from it alone.
struct WatchState {
    /// Events kept for the screen.
    static let eventLimit = 60

    private(set) var status: StatusReport?
    private(set) var devices: DevicesReport?
    private(set) var tree: TreeReport?
    private(set) var trails: [String: Trail] = [:]
    /// Events by the time they began, which is not the order in which they become known.
    private(set) var events: [EventReport] = []
    /// Readings that came after the status, by channel.
    private(set) var latest: [String: ReadingReport] = [:]
    /// Why nothing is heard of the station; nil while it answers.
    var trouble: String?
    /// A remark about what is shown, such as that it is a demonstration.
    var note: String?
    private(set) var readingCount = 0
    private(set) var lampChangeCount = 0
    private(set) var motionCount = 0

    /// How far the station's clock is ahead of the machine's, once a person set it.
    private var leadSeconds = 0.0

    /// - Parameters:
    ///   - moment: When it said so, by the machine's clock.
    mutating func apply(_ status: StatusReport, at moment: ScreenTime? = nil) {
        self.status = status
        trouble = nil
        if let moment, let time = status.clock?.time ?? status.wallTime,
            let wall = WallTime(iso8601: time)
        {
            let lead = Double(wall.nanoseconds) / 1e9 - moment.wallSeconds
            // A report has whole seconds and takes its time; less is no other clock.
            if abs(lead - leadSeconds) >= 2 { leadSeconds = abs(lead) < 2 ? 0 : lead }
        }
        let known = Set(status.channels.map(\.channel))
        trails = trails.filter { known.contains($0.key) }
        latest = latest.filter { known.contains($0.key) }
    }

    mutating func apply(_ devices: DevicesReport) { self.devices = devices }
    mutating func apply(_ tree: TreeReport) { self.tree = tree }

    /// Adds readings from before the view was opened.
    mutating func prepend(past readings: [ReadingReport]) {
        for reading in readings { keep(reading) }
    }

    /// Adds events from before the view was opened.
    mutating func prepend(past events: [EventReport]) { for event in events { keep(event) } }

    /// Adds one item of the live stream.
    mutating func apply(_ item: LiveItem) {
        if let reading = item.reading {
            readingCount += 1
            keep(reading)
        }
        if let event = item.event { keep(event) }
    }

    private mutating func keep(_ reading: ReadingReport) {
        trails[reading.channel, default: Trail()].append(
            reading.value,
            at: reading.instantSeconds
        )
        let isNewer = latest[reading.channel].map { $0.instantSeconds <= reading.instantSeconds }
        if isNewer ?? true { latest[reading.channel] = reading }
    }

    private mutating func keep(_ event: EventReport) {
        if event.kind == EventKind.Plain.lampChanged.rawValue { lampChangeCount += 1 }
        if event.kind == EventKind.Name.motion { motionCount += 1 }
        // That every child starts is no news at a start.
        let isRoutine =
            event.kind == EventKind.Name.childStarted
            && event.details["restartCount"] == .number(0)
        guard event.severity != "debug", !isRoutine else { return }
        if events.count == Self.eventLimit { events.removeFirst() }
        let before = events.lastIndex { $0.instantSeconds <= event.instantSeconds }
        events.insert(event, at: before.map { $0 + 1 } ?? 0)
    }

    /// A moment of the machine as the station's clock has it.
    func dated(_ moment: ScreenTime) -> ScreenTime {
        var moment = moment
        moment.wallSeconds += leadSeconds
        moment.isSure = status.map { $0.clock?.isSure ?? ($0.wallTime != nil) } ?? true
        return moment
    }

    /// The newest reading of a channel.
    func newest(of channel: ChannelReport) -> ReadingReport? {
        [channel.latest, latest[channel.channel]].compactMap(\.self)
            .max { $0.instantSeconds < $1.instantSeconds }
    }
}
