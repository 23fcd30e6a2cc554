import ControlProtocol
import Core

/// One thing that is wrong with the station now, and what to do about it.
package struct Fault: Hashable, Sendable {
    /// The kinds of faults; the raw value is the first part of the fault's id and never changes.
    package enum Kind: String, CaseIterable, Sendable {
        /// A device is not plugged in.
        case deviceAway = "device-away"
        /// A device is there and cannot be used: permission, busy, broken settings.
        case deviceUnusable = "device-unusable"
        /// A sensor or an HTTP device does not answer.
        case sensorSilent = "sensor-silent"
        /// Another sensor answers than the one whose id is configured.
        case sensorOther = "sensor-other"
        /// A sensor repeats the same value for too long.
        case sensorStuck = "sensor-stuck"
        /// A line of a motion sensor or button does not move any more.
        case lineStuck = "line-stuck"
        /// A line changes so often that it is muted.
        case lineStorm = "line-storm"
        /// An adapter cannot be looked at.
        case adapterFaulty = "adapter-faulty"
        /// Adapters that come and go are not seen.
        case hotplugUnseen = "hotplug-unseen"
        /// The card or the journal does not write.
        case storeNotWriting = "store-not-writing"
        /// Slots of the journal refuse to be written; the others are used.
        case journalWorn = "journal-worn"
        /// The history cannot be written.
        case historyNotTaking = "history-not-writable"
        /// The history has no place for a device's samples.
        case historyFull = "history-full"
        /// Samples that reached the card cannot be read.
        case samplesUnreadable = "samples-unreadable"
        /// The second copy of the history's small tables is not written.
        case tablesUncopied = "tables-uncopied"
        /// The hours of lasers are not stored, and a restart forgets the newest.
        case laserHoursUnsaved = "laser-hours-unsaved"
        /// A crash of the process would lose what is not on the card yet.
        case mirrorMissing = "mirror-missing"
        /// A configuration was not applied.
        case configurationRejected = "configuration-rejected"
        /// A configuration was applied, except for keys that need a restart.
        case restartNeeded = "restart-needed"
        /// A setting of the owner does not count now.
        case settingsLeftOut = "settings-left-out"
        /// The file of the owner's settings could not be read.
        case settingsDamaged = "settings-damaged"
        /// A profile of the owner is left out.
        case profileLeftOut = "profile-left-out"
        /// A file that a person put on the boot partition of the card is wrong.
        case bootFilesWrong = "boot-files"
        /// The card keeps nothing: its data partition cannot be used.
        case dataInMemory = "data-in-memory"
        /// The courier cannot send to a target or receiver, or fetch from a feed.
        case outboxFails = "outbox-fails"
        /// The board's watchdog cannot be used.
        case watchdogUnusable = "watchdog-unusable"
        /// The battery could be empty without the machine being shut down before.
        case batteryUnusable = "battery-unusable"
        /// The battery is nearly empty, and the machine is not shut down.
        case powerOffFails = "power-off-fails"
        /// More is wrong than is listed.
        case more = "more-faults"
    }

    package let kind: Kind
    /// Its subject: a device, an adapter, a file; nil for the station itself.
    package let subject: String?
    package let since: MonotonicInstant
    /// The fault as a sentence, without its full stop.
    package let sentence: String
    /// Advice to a person: the next step that can end the fault.
    package let nextStep: String

    package init(
        _ kind: Kind,
        of subject: String? = nil,
        since: MonotonicInstant,
        _ sentence: String,
        next nextStep: String? = nil
    ) {
        (self.kind, self.subject, self.since) = (kind, subject, since)
        // It may repeat what a server, a device or a network calls itself.
        self.sentence = ForeignText.plain(sentence)
        self.nextStep = nextStep ?? kind.nextStep(subject ?? "")
    }

    /// `sensor-silent:dust`.
    package var id: String { Self.id(kind, subject) }

    static func id(_ kind: Kind, _ subject: String?) -> String {
        kind.rawValue + (subject.map { ":\($0)" } ?? "")
    }
}

extension Fault.Kind {
    /// The default next step of this kind.
    fileprivate func nextStep(_ subject: String) -> String {
        switch self {
        case .deviceAway: "plug \(subject) in again; roost devices shows what is there"
        case .deviceUnusable: "roost doctor says what keeps it from its work"
        case .sensorSilent:
            "see its cable and its power; roost events --last 1h says what was tried"
        case .sensorOther: "plug the one in whose id is configured, or write the other's id there"
        case .sensorStuck: "unplug \(subject) for ten seconds; if that does not help, replace it"
        case .lineStuck, .lineStorm: "see the wire of \(subject), its ground and its power"
        case .adapterFaulty: "roost devices says what was tried; roost doctor --only ports"
        case .hotplugUnseen:
            "start udev, or name the devices in the configuration and set \"detect\": false"
        case .storeNotWriting: "see that the card is in, writable and has room: roost doctor"
        case .journalWorn: "replace the card; roost store compact-copy brings its history along"
        case .historyNotTaking: "roost events --last 1h says why; sudo roost store check"
        case .historyFull:
            "stop the station, make a history with more places with roost store compact-copy, and "
                + "put it in its place"
        case .samplesUnreadable:
            "keep a copy of the store's folder, and report it; a new start ends this notice"
        case .tablesUncopied:
            "see that the store's folder has room, and that history.db.tables in it is a file"
        case .laserHoursUnsaved:
            "sudo roost store check; where 64 settings are kept, roost devices forget one "
                + "that is not used"
        case .mirrorMissing:
            "give the station a folder in memory: sudo install -d -o USER /run/roost, with the "
                + "station's user"
        case .configurationRejected:
            "edit it until roostd --check is silent, then sudo systemctl reload roostd"
        case .restartNeeded: "sudo systemctl restart roostd"
        case .settingsLeftOut: "roost settings shows it; change it there or in the configuration"
        case .settingsDamaged:
            "compare roost settings with settings.json.damaged beside the store; a new start ends "
                + "this notice"
        case .profileLeftOut: "roost profiles check"
        case .bootFilesWrong: "correct it on any computer, and start the station again"
        case .dataInMemory: "replace the card; roost doctor says what its start found"
        case .outboxFails:
            "roost outbox \(subject) says what waits; roost target try \(subject) tries it"
        case .batteryUnusable:
            "ls /sys/class/power_supply shows what the kernel has a driver for; sudo systemctl "
                + "enable --now roost-power-off.path; or take powerOffPercent out of battery"
        case .powerOffFails:
            "sudo systemctl enable --now roost-power-off.path; until then shut it down yourself: "
                + "sudo systemctl poweroff"
        case .watchdogUnusable: "roost doctor --only watchdog"
        case .more: "repair the first ones; the others show then"
        }
    }
}

extension FaultReport {
    init(_ fault: Fault, at now: MonotonicInstant, _ wall: WallTime?) {
        let age = fault.since.duration(to: now)
        self.init(
            id: fault.id,
            since: wall.map { wall in
                WallTime(nanoseconds: wall.nanoseconds - age.wholeNanoseconds).iso8601
            },
            ageSeconds: age.inSeconds.rounded(toDecimals: 3),
            sentence: fault.sentence,
            nextStep: fault.nextStep
        )
    }
}
