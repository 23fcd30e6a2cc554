import Core

/// The state of the node at one moment.
package struct StatusReport: Codable, Hashable, Sendable {
    package let name: String
    package let version: String
    package let processID: Int32
    package let uptimeSeconds: Double
    /// ISO 8601, or nil while the clock was never set; `clock` says how far to trust it.
    package let wallTime: String?
    package let bootID: String?
    package let mode: ModeReport
    /// `good`, `moderate`, `poor`, `unknown`, `fault`; nil without lights.
    package let lamp: String?
    package var channels: [ChannelReport]
    package let budget: BudgetReport
    package let watchdog: WatchdogReport?
    /// Present faults, the oldest first; empty when all is well.
    package let faults: [FaultReport]
    /// The computer; nil while it is not known.
    package var board: BoardReport?
    /// Parts that wear out, with their operating hours.
    package var lasers: [LaserReport] = []
    /// How far the clock can be trusted; nil from older stations.
    package var clock: ClockReport?
    /// The state of the store; nil without a configured store.
    package var store: StoreReport?
    /// The values behind the lamp's colour; nil while there is no dust sensor to follow.
    package var lampCause: LampReport?
    /// IANA name of the zone that pages show; nil for the machine's.
    package var zone: String?
    /// What people call devices, by their names; nil without any.
    package var titles: [String: String]?
    /// Where the station stands; nil where that was not set.
    package var position: PositionReport?
    /// Name of the limits that lamps and pages go by: `eaqi`; nil from older stations.
    package var levels: String?
    /// Channels that the page Now shows first, in their order; nil for none.
    package var nowFirst: [String]?
    /// Channels that it folds away where they are not among the first; nil for none.
    package var nowHidden: [String]?
    /// Whether the owner lets the local network be searched for other stations; nil where that was
    /// not said.
    package var findsStations: Bool?
    /// Twelve hexadecimal digits; nil before the store was open, and from older stations.
    package var stationID: String?
    /// The battery; nil without one.
    package var power: PowerReport?
    /// Whether all is well; nil from older stations.
    package var health: HealthReport?
    /// Time since the last value of each device with channels; nil from older stations.
    package var progress: [DeviceProgressReport]?
    /// The raised alerts; nil from older stations.
    package var alerts: AlertsSummary?
    /// The state of `roost-eyes`; added by the client, as the station does not know it.
    package var camera: EyesReport?
    /// Targets and receivers of the courier, where one runs; added by the client.
    package var sending: [SendingReport]?
    /// Why the courier does not say; added by the client.
    package var sendingTrouble: String?
    /// Faults of the card found at an image's start; added by the client.
    package var cardStart: [String]?

    package init(
        name: String,
        version: String,
        processID: Int32,
        uptimeSeconds: Double,
        wallTime: String?,
        bootID: String?,
        mode: ModeReport,
        lamp: String?,
        channels: [ChannelReport],
        budget: BudgetReport,
        watchdog: WatchdogReport?,
        faults: [FaultReport]
    ) {
        self.name = name
        self.version = version
        self.processID = processID
        self.uptimeSeconds = uptimeSeconds
        self.wallTime = wallTime
        self.bootID = bootID
        self.mode = mode
        self.lamp = lamp
        self.channels = channels
        self.budget = budget
        self.watchdog = watchdog
        self.faults = faults
    }
}

/// The computer that a station runs on, with data of its profile.
package struct BoardReport: Codable, Hashable, Sendable {
    /// The profile: `raspberry-pi-4`.
    package let id: String
    package let name: String
    /// Model from the device tree; nil without one.
    package let model: String?
    package let gpioChip: String?
    package let watchdogSeconds: Double?

    package init(
        id: String,
        name: String,
        model: String?,
        gpioChip: String?,
        watchdogSeconds: Double?
    ) {
        self.id = id
        self.name = name
        self.model = model
        self.gpioChip = gpioChip
        self.watchdogSeconds = watchdogSeconds
    }
}

/// The power mode, and when it ends by itself.
package struct ModeReport: Codable, Hashable, Sendable {
    /// `normal`, `live` or `survey`.
    package let mode: String
    /// The survey's name.
    package let name: String?
    /// Seconds until the mode is `normal` again; nil when it does not end.
    package let endsInSeconds: Double?
    /// Whether the survey is kept from uploads; nil is no.
    package var isPrivate: Bool?

    package init(mode: String, name: String?, endsInSeconds: Double?) {
        self.mode = mode
        self.name = name
        self.endsInSeconds = endsInSeconds
    }
}

/// The latest reading of one channel, with its age: an old value never looks live.
package struct ChannelReport: Codable, Hashable, Sendable {
    /// `balcony/pm25`.
    package let channel: String
    package let unit: String
    package let latest: ReadingReport?
    /// Age of the last value, also when attempts without one followed; nil when there was none.
    package let valueAgeSeconds: Double?
    /// True when the last value is older than the channel's age limit.
    package let isStale: Bool
    /// How old a value may be before it is stale; nil from older stations.
    package var ageLimitSeconds: Double?
    /// Seconds from one sample to the next in the present mode; nil for what is measured on events.
    package var intervalSeconds: Double?
    /// `good`, `moderate` or `poor` by the lamp's rule, with hysteresis; nil without a limit or a
    /// fresh value, and while there is no mean yet.
    package var level: String?
    /// The mean that the level comes from; nil without one.
    package var levelMean: Double?
    /// Seconds that `levelMean` is of; nil where the limits are for single samples.
    package var levelMeanSeconds: Int?
    /// Properties known before the first value; nil from older stations.
    package var facts: ChannelFacts?
    /// Progress of its device between two samples; nil while that is not known.
    package var progress: ProgressReport?
    /// Whether its values are kept, and not shown only; nil from older stations.
    package var records: Bool?
    /// Implausible values of the last day, left out everywhere; nil for none.
    package var omittedCount: Int?
    /// The humidity for which its last value has the flag `humid`; nil without the flag.
    package var humidity: HumidityReport?

    /// Whether its part does not measure it at all, which is no fault, unlike a lost value.
    package var isNeverMeasured: Bool {
        valueAgeSeconds == nil && latest?.noData == NoData.notMeasured.rawValue
    }

    package init(
        channel: String,
        unit: String,
        latest: ReadingReport?,
        valueAgeSeconds: Double?,
        isStale: Bool
    ) {
        self.channel = channel
        self.unit = unit
        self.latest = latest
        self.valueAgeSeconds = valueAgeSeconds
        self.isStale = isStale
    }
}

package struct ReadingsReport: Codable, Hashable, Sendable {
    /// Oldest first.
    package let readings: [ReadingReport]
    /// Readings left out by `limit`; only on the first page.
    package let omittedCount: Int
    /// Where the next page begins, for `from`; nil on the last.
    package let next: String?

    package init(readings: [ReadingReport], omittedCount: Int, next: String?) {
        self.readings = readings
        self.omittedCount = omittedCount
        self.next = next
    }
}

package struct EventsReport: Codable, Hashable, Sendable {
    /// Oldest first.
    package let events: [EventReport]
    package let omittedCount: Int
    /// Where the next page begins, for `from`; nil on the last.
    package let next: String?

    package init(events: [EventReport], omittedCount: Int, next: String?) {
        self.events = events
        self.omittedCount = omittedCount
        self.next = next
    }
}

/// Resources that the node uses, measured by itself.
package struct BudgetReport: Codable, Hashable, Sendable {
    package let wakeUps: Int
    package let wakeUpsPerMinute: Double
    package let cpuMilliseconds: Double
    package let voluntarySwitches: Int
    package let residentKiB: Int
    package let privateKiB: Int
    package let descriptorCount: Int
    package let threadCount: Int
    package let readingCount: Int
    package let eventCount: Int
    /// Costs of the last hour and the last day; nil while there is nothing to compare with.
    package var hour: CostReport?
    package var day: CostReport?

    package init(
        wakeUps: Int,
        wakeUpsPerMinute: Double,
        cpuMilliseconds: Double,
        voluntarySwitches: Int,
        residentKiB: Int,
        privateKiB: Int,
        descriptorCount: Int,
        threadCount: Int,
        readingCount: Int,
        eventCount: Int
    ) {
        self.wakeUps = wakeUps
        self.wakeUpsPerMinute = wakeUpsPerMinute
        self.cpuMilliseconds = cpuMilliseconds
        self.voluntarySwitches = voluntarySwitches
        self.residentKiB = residentKiB
        self.privateKiB = privateKiB
        self.descriptorCount = descriptorCount
        self.threadCount = threadCount
        self.readingCount = readingCount
        self.eventCount = eventCount
    }
}

package struct WatchdogReport: Codable, Hashable, Sendable {
    package let path: String
    /// Seconds until it resets the board, as the hardware reports them, not as they were set.
    package let timeoutSeconds: Double
    package let causedLastBoot: Bool

    package init(path: String, timeoutSeconds: Double, causedLastBoot: Bool) {
        self.path = path
        self.timeoutSeconds = timeoutSeconds
        self.causedLastBoot = causedLastBoot
    }
}

package struct DevicesReport: Codable, Hashable, Sendable {
    package let devices: [DeviceReport]
    /// Serial adapters that are plugged in and not configured; nothing is ever written to them.
    package let unclaimed: [UnclaimedReport]
    /// State of each detected adapter, and of known devices that are absent.
    package let found: [FoundReport]
    /// The state of `roost-eyes`, where it runs; added by the command line.
    package var camera: EyesReport?
    /// Where they are plugged in; nil from older stations.
    package var plugs: PlugsReport?

    package init(
        devices: [DeviceReport],
        unclaimed: [UnclaimedReport],
        found: [FoundReport] = []
    ) {
        self.devices = devices
        self.unclaimed = unclaimed
        self.found = found
    }
}

package struct DeviceReport: Codable, Hashable, Sendable {
    package let name: String
    /// `sds011`, `pir`, `traffic-light`.
    package let type: String
    /// Path of the device, or chip and lines.
    package let location: String
    /// For example `measuring`, `asleep` or `unusable`.
    package let state: String
    /// Details from the driver: id, firmware, counts.
    package var facts: Details
    /// Its channels whose values a person has left out.
    package var mutes: [MuteReport] = []
    /// Its progress between two samples; nil while that is not known.
    package var progress: ProgressReport?
    /// Where the device comes from: `file`, `owner` or `found`; nil for the lamp.
    package var origin: String?
    /// What people call it; nil is `name`.
    package var title: String?
    /// Whether its values are kept; nil from older stations.
    package var records: Bool?
    /// Seconds from one sample to the next; nil for devices without an interval.
    package var intervalSeconds: Double?
    /// Whether the configuration file sets that.
    package var hasFixedInterval: Bool?
    /// What an LED shows: `station`, `motion`, `level` or `camera`; `level` of a traffic light.
    package var shows: String?
    /// The device that a lamp shows; nil is the first dust sensor, or each motion sensor.
    package var follows: String?
    /// Whether holding it for 15 s gives the station away; nil for what is no button.
    package var resets: Bool?

    package init(name: String, type: String, location: String, state: String, facts: Details) {
        self.name = name
        self.type = type
        self.location = location
        self.state = state
        self.facts = facts
    }
}

/// One line of the `live` stream: exactly one field is set.
package struct LiveItem: Codable, Hashable, Sendable {
    package let reading: ReadingReport?
    package let event: EventReport?
    /// The client read too slowly and this many items were left out.
    package let omittedCount: Int?

    package init(
        reading: ReadingReport? = nil,
        event: EventReport? = nil,
        omittedCount: Int? = nil
    ) {
        self.reading = reading
        self.event = event
        self.omittedCount = omittedCount
    }
}
