/// The state of a courier at one moment.
package struct CourierReport: Codable, Hashable, Sendable {
    /// One entry that the owner added and that is not in use.
    package struct LeftOut: Codable, Hashable, Sendable {
        package let id: String
        /// Why, without its full stop.
        package let sentence: String

        package init(id: String, sentence: String) { (self.id, self.sentence) = (id, sentence) }
    }

    /// The program's version.
    package let version: String
    package let processID: Int32
    package let uptimeSeconds: Double
    /// Path of its configuration file.
    package let file: String
    /// Why the station is not followed; nil while it is.
    package var stationTrouble: String?
    /// Why cursors are not kept; nil while they are.
    package var cursorTrouble: String?
    /// Whether the connection is paid by volume, so that data waits.
    package var isMetered: Bool
    /// Events that the station did not record.
    package var omittedEventCount: Int
    /// Entries that the owner added and that are not in use.
    package var leftOut: [LeftOut] = []
    /// Why what the owner added could not be read, or subscribers of a card's backup could not be
    /// restored; nil when they could.
    package var settingsTrouble: String?
    /// Targets of samples, in the order of the configuration.
    package var targets: [OutboxReport]
    /// Receivers of alert notices, in the order of the configuration.
    package var receivers: [OutboxReport] = []
    /// Services whose values are fetched, in the order of the configuration.
    package var feeds: [OutboxReport] = []

    package init(
        version: String,
        processID: Int32,
        uptimeSeconds: Double,
        file: String,
        targets: [OutboxReport]
    ) {
        (self.version, self.processID) = (version, processID)
        (self.uptimeSeconds, self.file, self.targets) = (uptimeSeconds, file, targets)
        (isMetered, omittedEventCount) = (false, 0)
    }
}

/// The state of one target or receiver.
package struct OutboxReport: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// Its secrets or its address are missing: `why` says which.
        case broken
        /// It has not begun: the station has not answered yet.
        case waitsForStation
        /// Everything is delivered.
        case idle
        /// Something waits for its turn.
        case waiting
        /// The last try failed, and the next follows by itself.
        case later
        /// It needs a change by a person; until then it is tried each hour.
        case held
        /// Its owner paused it.
        case paused
    }

    package let id: String
    /// As in the configuration: `influx2`.
    package let type: String
    package var state: State
    /// Where it is set: in `courier.json`, or by the owner on the page or by a command.
    package var origin = SettingReport.Origin.file
    /// Reason as text without a secret; nil while all is well.
    package var why: String?
    /// Constant: `status-503`, `unknown-host`; nil while all is well.
    package var code: String?
    /// Why its cursor could not be read when the process started; nil when it could.
    package var cursorLost: String?
    /// Samples since the target was added; nil where samples do not count, as for a heartbeat.
    package var samples: OutboxSampleCounts?
    /// Notices of alerts; nil for a target of samples.
    package var notices: NoticeCounts?
    /// ISO 8601 in UTC, of the oldest sample that waits; nil when none waits, or it has no date.
    package var oldestWaiting: String?
    /// Whether samples wait until the clock can be trusted.
    package var isWaitingForClock = false
    /// Seconds until the next try; nil when none is planned.
    package var nextTrySeconds: Double?
    /// Seconds since the last delivery; nil before the first of this process.
    package var lastDeliverySeconds: Double?
    /// Files that were delivered since the target was added; nil where none are sent.
    package var fileCount: Int?
    /// Whether `prove` can ask the receiver what it has.
    package var isProvable = false
    /// Drives since the target was added; nil where none are sent.
    package var drives: OutboxDrives?
    /// How far the receiver can confirm deliveries, where servers differ; nil otherwise.
    package var proof: String?
    /// Motions left out for lack of room since the process started; nil for other targets.
    package var omittedMotionCount: Int?
    /// Values of a feed since the process started; nil for others.
    package var values: FeedCounts?
    /// Locations of a feed's series, as far as its service gives them; nil for others.
    package var places: [FeedLocation]?
    /// Requests since the process started.
    package var requestCount = 0
    /// Bytes of bodies since the process started: requests and answers; for a feed only answers.
    package var byteCount = 0

    package init(id: String, type: String, state: State) {
        (self.id, self.type, self.state) = (id, type, state)
    }

    /// Whether what waits belongs to files whose periods are not over yet.
    package var waitsForPeriod: Bool {
        fileCount != nil && state == .idle && samples?.waiting ?? 0 > 0
    }
}

/// Counts of the values that a feed delivered since the process started.
package struct FeedCounts: Codable, Hashable, Sendable {
    /// New ones.
    package var written = 0
    /// Known already.
    package var same = 0
    /// Known with another value; both are kept, and the new one counts.
    package var revised = 0
    /// Values that the station refused; `refusal` is the first reason of the last time.
    package var refused = 0
    package var refusal: String?
    /// Parts of the last answers that could not be read.
    package var omitted = 0
    /// Days that the service no longer had after an outage, since the courier's start.
    package var missedDays = 0

    package init() {}

    package mutating func add(_ report: ImportsReport) {
        written += report.written
        same += report.same
        revised += report.revised
        refused += report.refused
        if let first = report.refusals.first { refusal = first.message }
    }
}

/// Counts of the alert notices for one receiver.
package struct NoticeCounts: Codable, Hashable, Sendable {
    /// Notices sent since the receiver was added.
    package let sent: Int
    /// Alerts and ends of alerts that wait for their turn.
    package let waiting: Int
    /// Alerts that found no room, since the process started.
    package let omitted: Int
    /// Alerts of which it got the first notice since the process started: the newest, newest first.
    package let latest: [Latest]

    package init(sent: Int, waiting: Int, omitted: Int, latest: [Latest]) {
        (self.sent, self.waiting, self.omitted) = (sent, waiting, omitted)
        self.latest = latest
    }

    package static let latestMax = 16

    /// An alert of which a receiver got a notice.
    package struct Latest: Codable, Hashable, Sendable {
        /// Rule and subject: `who-24h:balcony/pm25`.
        package let key: String
        package let ageSeconds: Double

        package init(key: String, ageSeconds: Double) {
            (self.key, self.ageSeconds) = (key, ageSeconds)
        }
    }
}

/// Samples of one target: delivered + waiting + left out = recorded since it was added.
package struct OutboxSampleCounts: Codable, Hashable, Sendable {
    package let delivered: Int
    package let waiting: Int
    /// Samples left out, by reason.
    ///
    /// The reasons: `tooOld`, `noValue`, `flagged`, `markedPrivate`, `refused`, `expired`,
    /// `timeUnknown`, `dropped`, `unknown`, `notKept`.
    package let leftOut: [String: Int]

    package init(delivered: Int, waiting: Int, leftOut: [String: Int]) {
        (self.delivered, self.waiting, self.leftOut) = (delivered, waiting, leftOut)
    }

    package var recorded: Int { delivered + waiting + leftOut.values.reduce(0, +) }
}
