import ControlProtocol
import Core
import Store

/// How one life of the process ended.
enum LifeEnding: Hashable, Sendable {
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
struct LifeRecords: Sendable {
    /// One life of the process.
    struct Segment: Sendable {
        let number: Int
        let boot: BootID
        let bootedAt: MonotonicInstant
        let start: MonotonicInstant
        var end: MonotonicInstant
        var ending: LifeEnding = .finished
        /// When the store was there.
        var storeOpenAt: MonotonicInstant?
        /// Processor time of the work on the files until it was; nil when it was not timed.
        var openingTime: Duration?
        var byteCounts: [String: Int] = [:]
        /// SDS011s with a laser on when it ended, none of them excused by a fault.
        var awakeAtEnd: [String] = []
    }

    /// One sample, as a client of the live stream received it.
    struct Sample: Sendable {
        let device: Int32
        let segment: Int32
        let at: MonotonicInstant
        let tick: Tick
        let digest: UInt64
        /// The same without its values, as a store has it while recording is off.
        let unkeptDigest: UInt64
        let hasValue: Bool
        /// Tenths of the first channel; the last digit says which part spoke.
        let firstTenths: Int32
    }

    /// A sample in a block that the station calls durable.
    struct Acknowledged: Sendable {
        let segment: Int
        let stream: StreamID
        /// The stream's name then.
        let device: String
        let tick: Tick
        let digest: UInt64
    }

    struct HeardEvent: Sendable {
        let segment: Int
        let at: MonotonicInstant
        let event: Event
    }

    /// A fault that happened: it was there from `start` to `end`.
    struct Window: Sendable {
        let kind: FaultKind
        let part: String?
        let start: MonotonicInstant
        var end: MonotonicInstant
    }

    /// A look at the station over its control socket.
    struct Look: Sendable {
        let at: MonotonicInstant
        let lamp: String?
        /// Whether the lamp shows a level of the air and follows a sensor.
        let isLampLevel: Bool
        /// The sensor that the lamp follows, and when it last gave a value.
        let followed: String?
        let followedValueAt: MonotonicInstant?
        /// A value not marked stale: the channel, the reported age, and the true one.
        let fresh: [(channel: String, told: Duration, age: Duration?)]
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
    var segments: [Segment] = []
    var samples: [Sample] = []
    var devices: [String] = []
    var events: [HeardEvent] = []
    var windows: [Window] = []
    var looks: [Look] = []
    /// Samples that the station said are durable: segment and digest, by its answer to `tail`.
    var acknowledged: [Acknowledged] = []
    /// Cursors that a follower of the store left with the station, and found there.
    var cursors: [Cursor] = []
    /// Faults in the answers that the follower got, as text.
    var tailFaults: [String] = []
    /// Why a courier ended that was not killed, as text.
    var courierFaults: [String] = []
    /// The courier's counts for its target, oldest first.
    var deliveries: [Delivery] = []

    /// Observations of the camera's program.
    var eyes = EyesRecords()

    struct Delivery: Sendable {
        let at: MonotonicInstant
        let segment: Int
        let counts: OutboxSampleCounts
    }

    struct Cursor: Sendable {
        let at: MonotonicInstant
        let segment: Int
        /// Number in the cursor, counted up; nil where none was found.
        let number: Int?
        /// Whether it was left then, or found.
        let isSaid: Bool
    }

    /// Questions over the control socket without an answer within a minute.
    var unanswered: [MonotonicInstant] = []
    var fired: [FaultKind: Int] = [:]
    /// Bytes that were sent to parts that must not be written to.
    var strangerBytes = 0
    var wakeUps = 0

    /// The name under which the station reads a part, as it says itself.
    var deviceOfPart: [String: String] = [:]
    /// Names by the time from which each holds; a part without an id gets one for each socket.
    var namings: [Naming] = []

    struct Naming: Sendable {
        let part: String
        let device: String
        let at: MonotonicInstant
    }

    /// The name under which the station read a part at an instant.
    func device(of part: String, at instant: MonotonicInstant) -> String? {
        namings.last { $0.part == part && $0.at <= instant }?.device ?? deviceOfPart[part]
    }
    /// Parts with an identity of their own that got another name, as text.
    var renames: [String] = []
    /// Names that the owner gave.
    var givenNames: [GivenName] = []

    /// The name that a device had before the owner gave it any.
    ///
    /// A rename renames the past too: samples taken under one name may be stored, and may have
    /// been delivered, under any other.
    func firstName(of device: String) -> String {
        givenNames.reversed().reduce(device) { name, given in
            given.name == name ? given.was : name
        }
    }

    struct GivenName: Sendable {
        let name: String
        let was: String
        let at: MonotonicInstant
        let segment: Int
    }

    /// The owner's settings of recording, by time.
    var recording = RecordingLog()

    /// Imports by the owner.
    var imports: [Import] = []

    struct Import: Sendable {
        let device: String
        let at: MonotonicInstant
        let sampleCount: Int
        /// Whether samples had to make room.
        let hasOverwritten: Bool
    }

    /// Faults that a part really had.
    var hitParts: Set<Hit> = []
    /// Time of continuous measuring that people asked for.
    var continuousTime: Duration = .zero

    /// A time in which the card refused, and how often it was tried.
    struct Refusal: Sendable {
        let start: MonotonicInstant
        let end: MonotonicInstant
        let count: Int
    }

    var refusals: [Refusal] = []

    /// A part and when it began to misbehave.
    struct Hit: Hashable, Sendable {
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
