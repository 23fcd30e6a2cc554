/// Kinds of events that the node records.
///
/// A kind whose content code reads is a case of its own; the others are only shown. Log, JSON and
/// store have a kind as its name, which programs of others may read, and its content as details;
/// `docs/reference/events.md` lists them.
package enum EventKind: Hashable, Sendable {
    /// A child began to run; the start of the last one makes the station ready.
    case childStarted(child: String)
    case motion
    case motionEnded
    case lineFault(LineFault)
    case recovered(LineFault)
    /// A part was plugged in and proven.
    indirect case deviceFound(DeviceFound)
    /// An HTTP device counts as gone.
    case httpDeviceLost(reason: String)
    case httpDeviceBack
    indirect case samplesMissing(MissingSamples)
    /// Another part than the wanted one answers on its line.
    indirect case otherSensor(wanted: String, found: String)
    indirect case surveyBegun(Survey)
    /// From here on a person counts the dose of a device.
    case doseMarked(channel: String)
    /// Data waits too long for a target; `since` is ISO 8601.
    indirect case outboxLate(OutboxLate)
    case outboxInTime(target: String)
    indirect case alert(AlertEvent)
    case plain(Plain)
    /// A kind of another version's store, or of a tool.
    case other(String)

    /// Faults on the line of a motion sensor or a button.
    package enum LineFault: String, CaseIterable, Sendable {
        case stuckHigh = "stuck high"
        case stuckPressed = "stuck pressed"
        case edgeStorm = "edge storm"
    }

    package struct DeviceFound: Hashable, Sendable {
        /// Whether the station meets it for the first time.
        package let isNew: Bool
        package let identity: String
        package let profile: String
        package let node: String

        package init(isNew: Bool, identity: String, profile: String, node: String) {
            (self.isNew, self.identity) = (isNew, identity)
            (self.profile, self.node) = (profile, node)
        }
    }

    /// The beginning of a survey.
    package struct Survey: Hashable, Sendable {
        package let name: String
        /// Whether what it measures may leave the station.
        package let isForUpload: Bool

        package init(_ name: String, isForUpload: Bool) {
            (self.name, self.isForUpload) = (name, isForUpload)
        }
    }

    package struct OutboxLate: Hashable, Sendable {
        package let target: String
        package let why: String?
        package let since: String?
    }

    /// The kinds that are only shown, by name; and the names of a few whose content is read, which
    /// are plain without it.
    package enum Plain: String, CaseIterable, Sendable {
        // Supervision.
        case childEnded = "child ended"
        case childRestarting = "child restarting"
        case childUnkillable = "child unkillable"
        case supervisorEscalating = "supervisor escalating"
        case requestRefused = "request refused"
        case childLate = "child late"
        case childOnTime = "child on time again"
        case childReplaced = "child replaced"
        case childStillLate = "child still late"
        // Sensors and HTTP devices.
        case sensorFound = "sensor found"
        case sensorSilent = "sensor not answering"
        case sensorBack = "sensor answering again"
        case sensorIgnoresCommands = "sensor does not acknowledge"
        case sensorObeysAgain = "sensor acknowledges again"
        case sensorIDChanged = "sensor id changed"
        case otherSensor = "another sensor answers"
        case remedyTried = "remedy tried"
        case fanOn = "fan on without a reason"
        case samplesLeftOut = "samples left out"
        case intervalsSkipped = "intervals skipped"
        case eventsWithheld = "events withheld"
        case readingsDoubtful = "readings doubtful"
        case readingsGood = "readings good again"
        case sensorsDisagree = "sensors disagree"
        case sensorsAgree = "sensors agree again"
        case laserHoursForgotten = "laser hours forgotten"
        case tooManyChannels = "too many channels"
        // Lines and lamps.
        case lampChanged = "lamp changed"
        case pressed
        case released
        case longPress = "long press"
        case doublePress = "double press"
        case pinsShared = "pins shared"
        // Devices that come and go.
        case adapterFound = "adapter found"
        case adapterGone = "adapter gone"
        case adapterHeldOff = "adapter held off"
        case adapterUnknown = "adapter unknown"
        case adapterUnusable = "adapter unusable"
        case noHotplug = "no hotplug events"
        case deviceAway = "device away"
        case deviceBack = "device back"
        case deviceUnusable = "device unusable"
        case deviceHeldOff = "device held off"
        case deviceRenamed = "device renamed"
        case deviceNotRemembered = "device not remembered"
        case identityShared = "identity shared"
        case nameNotGiven = "name not given"
        case namesNotRead = "device names not read"
        // The station and its users.
        case configurationReloaded = "configuration reloaded"
        case restartNeeded = "restart needed"
        case watchdogUnusable = "watchdog unusable"
        case watchdogNotPetted = "watchdog not petted"
        case onBattery = "on battery"
        case onMains = "on mains again"
        case powerOffAsked = "power-off asked for"
        case faultBegan = "fault began"
        case faultOver = "fault over"
        case modeAsked = "mode asked for"
        case modeChanged = "mode changed"
        case modeGoesOn = "mode goes on"
        case surveyEnded = "survey ended"
        case surveyGoesOn = "survey goes on"
        case note
        case adoptAsked = "device adopt asked for"
        case ignoreAsked = "device ignore asked for"
        case renameAsked = "device rename asked for"
        case forgetAsked = "device forget asked for"
        case partUseAsked = "bus part use asked for"
        case partForgetAsked = "bus part forget asked for"
        case partBound = "bus part bound"
        case partNotBound = "bus part not bound"
        case muted
        case unmuted
        case clockTrusted = "clock trusted"
        case stationIDRenewed = "station id renewed"
        case claimWindowOpened = "claim window opened"
        case claimWindowClosed = "claim window closed"
        case fileImported = "measurements imported"
        case resetAsked = "reset asked for"
        case resetRefused = "reset refused"
        case settingsChanged = "settings changed"
        case alertsLeftOut = "alerts left out"
        // The store.
        case storeOpen = "store open"
        case storeDamaged = "store damaged"
        case storeNotClosed = "store not closed"
        case cardFails = "card does not write"
        case cardWrites = "card writes again"
        case journalWorn = "journal slots refuse"
        case historyFails = "history not writable"
        case historyWrites = "history writable again"
        case historyHeld = "history waits for a reader"
        case historySetAside = "history set aside"
        case historyFull = "history has no place"
        case historyHasPlaces = "history has places again"
        case samplesGivenUp = "samples had no place"
        case samplesUnreadable = "samples cannot be read"
        case tablesUncopied = "copy of tables fails"
        case tablesCopied = "copy of tables is written again"
        case settingLost = "setting lost"
        case deliveryUnknown = "delivery unknown"
        // The courier.
        case courierStarted = "courier started"
        case courierStopped = "courier stopped"
        case outboxHeld = "outbox held"
        case outboxResumed = "outbox resumed"
        case outboxRefused = "outbox refused"
        case outboxExpired = "outbox expired"
        case outboxDrained = "outbox drained"
        case outboxLate = "outbox late"
        case outboxInTime = "outbox in time"
        case noticeSent = "notice sent"
        // The camera.
        case cameraStarted = "camera started"
        case cameraFails = "camera fails"
        case cameraWorks = "camera works again"
    }
}

// MARK: - As text

extension EventKind {
    /// Names of the kinds that are no `Plain`.
    package enum Name {
        package static let childStarted = "child started"
        package static let motion = "motion"
        package static let motionEnded = "motion ended"
        static let lineMuted = "line muted"
        package static let recovered = "recovered"
        static let deviceAdopted = "device adopted"
        package static let surveyBegun = "survey begun"
        package static let doseMarked = "dose marked"
        package static let httpDeviceLost = "HTTP device not answering"
        package static let httpDeviceBack = "HTTP device answers again"
        package static let samplesMissing = "samples missing"
    }

    /// The name of every kind but `other`.
    package static let names = Set([
        Name.childStarted, Name.motion, Name.motionEnded, Name.lineMuted, Name.recovered,
        Name.deviceAdopted, Name.httpDeviceLost, Name.httpDeviceBack, Name.samplesMissing,
        Name.surveyBegun, Name.doseMarked,
        LineFault.stuckHigh.rawValue, LineFault.stuckPressed.rawValue,
    ]).union(Plain.allCases.map(\.rawValue)).union(AlertEventText.names)

    /// Name in log, JSON and store.
    package var name: String {
        switch self {
        case .childStarted: Name.childStarted
        case .motion: Name.motion
        case .motionEnded: Name.motionEnded
        case .lineFault(.edgeStorm): Name.lineMuted
        case .lineFault(let fault): fault.rawValue
        case .recovered: Name.recovered
        case .deviceFound(let found):
            found.isNew ? Name.deviceAdopted : Plain.deviceBack.rawValue
        case .httpDeviceLost: Name.httpDeviceLost
        case .httpDeviceBack: Name.httpDeviceBack
        case .samplesMissing: Name.samplesMissing
        case .otherSensor: Plain.otherSensor.rawValue
        case .surveyBegun: Name.surveyBegun
        case .doseMarked: Name.doseMarked
        case .outboxLate: Plain.outboxLate.rawValue
        case .outboxInTime: Plain.outboxInTime.rawValue
        case .alert(let alert): AlertEventText.name(alert)
        case .plain(let kind): kind.rawValue
        case .other(let name): name
        }
    }

    /// Its content as details, in the order to show them.
    var details: [EventDetail] {
        switch self {
        case .childStarted(let child): [.init("child", child)]
        case .lineFault(.edgeStorm): [.init("fault", LineFault.edgeStorm.rawValue)]
        case .recovered(let fault): [.init("fault", fault.rawValue)]
        case .deviceFound(let found):
            [
                .init("identity", found.identity), .init("profile", found.profile),
                .init("node", found.node),
            ]
        case .httpDeviceLost(let reason): [.init("reason", reason)]
        case .samplesMissing(let missing): missing.details
        case .otherSensor(let wanted, let found):
            [.init("wanted", wanted), .init("found", found)]
        case .surveyBegun(let survey): survey.details
        case .doseMarked(let channel): [.init("channel", channel)]
        case .outboxLate(let late): late.details
        case .outboxInTime(let target): [.init("target", target)]
        case .alert(let alert): AlertEventText.details(alert)
        case .motion, .motionEnded, .lineFault, .httpDeviceBack, .plain, .other: []
        }
    }

    /// The kind of a stored event; `other` when name and details are of no kind known here.
    ///
    /// - Parameters:
    ///   - details: Its details; those that are the kind's content are removed.
    init(_ name: String, taking details: inout [EventDetail]) {
        func text(_ key: String) -> String? { details.first { $0.key == key }?.value }
        let found: EventKind? =
            switch name {
            case Name.childStarted: text("child").map { .childStarted(child: $0) }
            case Name.motion: .motion
            case Name.motionEnded: .motionEnded
            case Name.lineMuted: .lineFault(.edgeStorm)
            case Name.recovered: text("fault").flatMap(LineFault.init).map { .recovered($0) }
            case Name.deviceAdopted, Plain.deviceBack.rawValue:
                DeviceFound(isNew: name == Name.deviceAdopted, text).map { .deviceFound($0) }
            case Name.httpDeviceLost: text("reason").map { .httpDeviceLost(reason: $0) }
            case Name.httpDeviceBack: .httpDeviceBack
            case Name.samplesMissing: MissingSamples(text).map { .samplesMissing($0) }
            case Plain.otherSensor.rawValue:
                text("wanted").flatMap { wanted in
                    text("found").map { .otherSensor(wanted: wanted, found: $0) }
                }
            case Name.surveyBegun: .surveyBegun(Survey(text))
            case Name.doseMarked: text("channel").map { .doseMarked(channel: $0) }
            case Plain.outboxLate.rawValue: OutboxLate(text).map { .outboxLate($0) }
            case Plain.outboxInTime.rawValue: text("target").map { .outboxInTime(target: $0) }
            default:
                AlertEventText.event(name, text).map { .alert($0) }
                    ?? LineFault(rawValue: name).map { .lineFault($0) }
            }
        self = found ?? Plain(rawValue: name).map { .plain($0) } ?? .other(name)
        let own = Set(self.details.map(\.key))
        if !own.isEmpty { details.removeAll { own.contains($0.key) } }
    }
}

extension EventKind.DeviceFound {
    fileprivate init?(isNew: Bool, _ text: (String) -> String?) {
        guard let identity = text("identity"), let profile = text("profile"),
            let node = text("node")
        else { return nil }
        self.init(isNew: isNew, identity: identity, profile: profile, node: node)
    }
}

extension EventKind.Survey {
    /// Another word than `yes` keeps it: what has left does not come back.
    fileprivate init(_ text: (String) -> String?) {
        self.init(text("name") ?? "", isForUpload: ["yes", nil].contains(text("upload")))
    }

    fileprivate var details: [EventDetail] {
        (name.isEmpty ? [] : [EventDetail("name", name)])
            + (isForUpload ? [] : [EventDetail("upload", "no")])
    }
}

extension EventKind.OutboxLate {
    fileprivate init?(_ text: (String) -> String?) {
        guard let target = text("target") else { return nil }
        (self.target, why, since) = (target, text("why"), text("since"))
    }

    fileprivate var details: [EventDetail] {
        let all = [("target", target), ("why", why), ("since", since)]
        return all.compactMap { key, value in value.map { EventDetail(key, $0) } }
    }
}
