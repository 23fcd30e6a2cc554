import ControlProtocol
import Core
import Store

/// How one life of the process ended.
package enum LifeEnding: Hashable, Sendable {
    /// The life is over; the station was stopped in order.
    case finished
    /// The process stopped in order, to be started again: `systemctl restart`.
    case restarted
    /// The process stopped in order, with the machine.
    case rebooted
    /// The process stopped in order, with the machine, whose battery was nearly empty.
    case poweredOff
    /// A signal from outside ended the process; it cannot be caught.
    case killed(by: FaultKind)
    /// The process did not stop in the time that systemd gives.
    case stopTimedOut
    /// The process ended itself: a part of it could not be stopped or replaced.
    case endedItself(String)
    /// The process ended because its root supervisor gave up.
    case gaveUp(String)
    /// The process gave no sign of life for systemd's limit.
    case serviceWatchdog
    /// The process did not pet the board's watchdog within its time-out.
    case boardWatchdog
    case powerCut

    /// Whether the kernel's memory of unwritten pages went too.
    var losesPages: Bool { self == .powerCut || self == .boardWatchdog }

    var isOrderly: Bool { [.finished, .restarted, .rebooted, .poweredOff].contains(self) }

    var beginsBoot: Bool { losesPages || self == .rebooted || self == .poweredOff }
}

/// Observations from outside while the node lived; the checker uses them and the files.
package struct LifeRecords: Sendable {
    /// One life of the process.
    package struct Segment: Sendable {
        package let number: Int
        package let boot: BootID
        package let bootedAt: MonotonicInstant
        package let start: MonotonicInstant
        package internal(set) var end: MonotonicInstant
        package internal(set) var ending: LifeEnding = .finished
        /// When the store was there.
        package internal(set) var storeOpenAt: MonotonicInstant?
        /// Processor time of the work on the files until it was; nil when it was not timed.
        package internal(set) var openingTime: Duration?
        package internal(set) var byteCounts: [String: Int] = [:]
        /// SDS011s with a laser on when it ended, none of them excused by a fault.
        package internal(set) var awakeAtEnd: [String] = []
    }

    /// One sample, as a client of the live stream received it.
    package struct Sample: Sendable {
        package let device: Int32
        package let segment: Int32
        package let at: MonotonicInstant
        package let tick: Tick
        package let digest: UInt64
        /// The same without its values, as a store has it while recording is off.
        package let unkeptDigest: UInt64
        package let hasValue: Bool
        /// Tenths of the first channel; the last digit says which part spoke.
        package let firstTenths: Int32
    }

    /// A sample in a block that the station calls durable.
    package struct Acknowledged: Sendable {
        package let segment: Int
        package let stream: StreamID
        /// The stream's name then.
        package let device: String
        package let tick: Tick
        package let digest: UInt64
    }

    package struct HeardEvent: Sendable {
        package let segment: Int
        package let at: MonotonicInstant
        package let event: Event
    }

    /// A fault that happened: it was there from `start` to `end`.
    package struct Window: Sendable {
        package let kind: FaultKind
        package let part: String?
        package let start: MonotonicInstant
        package internal(set) var end: MonotonicInstant
    }

    /// A look at the station over its control socket.
    package struct Look: Sendable {
        package let at: MonotonicInstant
        package let lamp: String?
        /// Whether the lamp shows a level of the air and follows a sensor.
        package let isLampLevel: Bool
        /// The sensor that the lamp follows, and when it last gave a value.
        package let followed: String?
        package let followedValueAt: MonotonicInstant?
        /// A value not marked stale: the channel, the reported age, and the true one.
        package let fresh: [(channel: String, told: Duration, age: Duration?)]
    }

    /// The alerts that the station reported at a moment.
    struct AlertLook: Sendable {
        let at: MonotonicInstant
        let segment: Int
        /// Whether it called its clock sure.
        let isSure: Bool
        let alerts: [AlertsReport.Alert]
    }

    var alertLooks: [AlertLook] = []
    package internal(set) var segments: [Segment] = []
    package internal(set) var samples: [Sample] = []
    package internal(set) var devices: [String] = []
    package internal(set) var events: [HeardEvent] = []
    package internal(set) var windows: [Window] = []
    package internal(set) var looks: [Look] = []
    /// Samples that the station said are durable: segment and digest, by its answer to `tail`.
    package internal(set) var acknowledged: [Acknowledged] = []
    /// Cursors that a follower of the store left with the station, and found there.
    package internal(set) var cursors: [Cursor] = []
    /// Faults in the answers that the follower got, as text.
    package internal(set) var tailFaults: [String] = []
    /// Why a courier ended that was not killed, as text.
    package internal(set) var courierFaults: [String] = []
    /// The courier's counts for its target, oldest first.
    package internal(set) var deliveries: [Delivery] = []

    /// Observations of the camera's program.
    package internal(set) var eyes = EyesRecords()

    package struct Delivery: Sendable {
        let at: MonotonicInstant
        let segment: Int
        let counts: OutboxSampleCounts
    }

    package struct Cursor: Sendable {
        let at: MonotonicInstant
        let segment: Int
        /// Number in the cursor, counted up; nil where none was found.
        let number: Int?
        /// Whether it was left then, or found.
        let isSaid: Bool
    }

    /// Questions over the control socket without an answer within a minute.
    package internal(set) var unanswered: [MonotonicInstant] = []
    package internal(set) var fired: [FaultKind: Int] = [:]
    /// Bytes that were sent to parts that must not be written to.
    package internal(set) var strangerBytes = 0
    package internal(set) var wakeUps = 0

    /// The name under which the station reads a part, as it says itself.
    package internal(set) var deviceOfPart: [String: String] = [:]
    /// Names by the time from which each holds; a part without an id gets one for each socket.
    package internal(set) var namings: [Naming] = []

    package struct Naming: Sendable {
        let part: String
        let device: String
        let at: MonotonicInstant
    }

    /// The name under which the station read a part at an instant.
    func device(of part: String, at instant: MonotonicInstant) -> String? {
        namings.last { $0.part == part && $0.at <= instant }?.device ?? deviceOfPart[part]
    }
    /// Parts with an identity of their own that got another name, as text.
    package internal(set) var renames: [String] = []
    /// Names that the owner gave.
    package internal(set) var givenNames: [GivenName] = []

    /// The name that a device had before the owner gave it any.
    ///
    /// A rename renames the past too: samples taken under one name may be stored, and may have
    /// been delivered, under any other.
    func firstName(of device: String) -> String {
        givenNames.reversed().reduce(device) { name, given in
            given.name == name ? given.was : name
        }
    }

    package struct GivenName: Sendable {
        let name: String
        let was: String
        let at: MonotonicInstant
        let segment: Int
    }

    /// The owner's settings of recording, by time.
    package internal(set) var recording = RecordingLog()

    /// Imports by the owner.
    package internal(set) var imports: [Import] = []

    package struct Import: Sendable {
        let device: String
        let at: MonotonicInstant
        let sampleCount: Int
        /// Whether samples had to make room.
        let hasOverwritten: Bool
    }

    /// Faults that a part really had.
    package internal(set) var hitParts: Set<Hit> = []
    /// Time of continuous measuring that people asked for.
    package internal(set) var continuousTime: Duration = .zero

    /// A time in which the card refused, and how often it was tried.
    package struct Refusal: Sendable {
        let start: MonotonicInstant
        let end: MonotonicInstant
        let count: Int
    }

    package internal(set) var refusals: [Refusal] = []

    /// A part and when it began to misbehave.
    package struct Hit: Hashable, Sendable {
        let part: String
        let at: MonotonicInstant
    }

    private var numbers: [String: Int32] = [:]

    mutating func number(of device: String) -> Int32 {
        if let number = numbers[device] { return number }
        let number = Int32(devices.count)
        devices.append(device)
        numbers[device] = number
        return number
    }
}
