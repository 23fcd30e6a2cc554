import Configuration
import ControlProtocol
import Core
import Profiles
import Station

/// Everything that the checks of `roost doctor` decide on, gathered once.
///
/// A nil says that it cannot be known: there is no such file, or it is an image and not a machine.
struct DoctorFacts {
    /// The tree is not the running machine, so nothing of the kernel's is true of it.
    var isImage = false
    /// Such as `Raspberry Pi 4 Model B Rev 1.4`; nil without a device tree.
    var model: String?
    /// What is known of such a machine.
    var board: Profile?
    var kernel: KernelVersion?
    /// Who runs the check; nil for an image.
    var user: DoctorUser?
    /// Processes by name, in order of their numbers.
    var processes: [DoctorProcess] = []

    var ports = DoctorPorts()
    var pins = DoctorPins()
    var health = DoctorHealth()
    var card = DoctorCard()
    var station = DoctorStation()

    /// A Pi, or the image of a card for one: there is no device tree without a machine.
    var isPi: Bool {
        model?.hasPrefix("Raspberry Pi") ?? (isImage && pins.firmwareFile != nil)
    }

    /// The configuration, when there is one and it is right.
    var configuration: StationConfiguration? { try? station.configuration?.get() }

    /// How a station is started here.
    var startStation: String {
        station.hasService
            ? "sudo systemctl start roostd" : "sudo roostd --config \(station.path)"
    }

    /// How one that hangs is started anew.
    var restartStation: String {
        guard !station.hasService else { return "sudo systemctl restart roostd" }
        let running = processes.first { $0.name == "roostd" }?.id ?? station.lockHolder
        return running.map { "sudo kill -9 \($0) && \(startStation)" } ?? startStation
    }

    func runs(_ name: String) -> Bool { processes.contains { $0.name == name } }
}

/// A user and the groups that count for what may be opened.
struct DoctorUser: Hashable {
    let name: String
    let isRoot: Bool
    let groups: [String]
}

struct DoctorProcess: Hashable {
    let id: Int32
    /// At most 15 bytes of it: the kernel keeps no more.
    let name: String
}

/// `6.6.31`, of `6.6.31+rpt-rpi-v8`.
struct KernelVersion: Hashable, Comparable, CustomStringConvertible {
    let numbers: [Int]

    init(_ numbers: Int...) { self.numbers = numbers }

    /// Nil when the text does not begin with two numbers.
    init?(_ text: String) {
        let plain = text.prefix { $0.isNumber || $0 == "." }
        numbers = plain.split(separator: ".").prefix(3).compactMap { Int($0) }
        guard numbers.count >= 2 else { return nil }
    }

    static func < (left: KernelVersion, right: KernelVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    var description: String { numbers.map(String.init).joined(separator: ".") }
}

/// A device node, and whether who asks may use it.
struct DoctorNode: Hashable {
    let path: String
    var group: String
    /// Such as `0660`.
    var mode: String
    /// Nil when it does not apply, as in an image.
    var mayUse: Bool?
}

/// A serial adapter or a port of the board.
struct DoctorAdapter: Hashable {
    let node: DoctorNode
    /// `1a86:7523`; nil when it is none of USB's.
    var id: String?
    var serial: String?
    /// `on` or `auto`, of the USB device.
    var powerControl: String?
    /// Another program that has it open, as `minicom (pid 12)`.
    var holder: String?
}

/// Serial ports, and who else wants them.
struct DoctorPorts: Hashable {
    var adapters: [DoctorAdapter] = []
    /// Where brltty's program or rules are; nil without.
    var brltty: String?
    /// The rule of brltty's that counts; nil when there is none or it is masked.
    var brlttyRule: String?
    /// The rules that belong there: installed as they should be, with another content, or not at
    /// all.
    var rules: [DoctorRule] = []
    /// `/run/udev/control` is there.
    var udevAnswers = false
    /// Values of `console=` on the kernel's command line, without their speed.
    var consoles: [String] = []
    /// Where that line is changed.
    var commandLineFile: String?
    /// What `/dev/serial0` leads to, such as `ttyS0`.
    var serial0: String?
}

struct DoctorRule: Hashable {
    enum State { case equal, differs, missing }

    let name: String
    let state: State
}

/// GPIO chips and their lines.
struct DoctorPins: Hashable {
    struct Line: Hashable {
        let offset: Int
        var name: String?
        /// Who holds it, `""` when a holder gave no name; nil when it is free.
        var holder: String?
    }

    struct Chip: Hashable {
        let node: DoctorNode
        /// Nil when it could not be opened.
        var label: String?
        var lines: [Line] = []
    }

    /// Nil for an image.
    var chips: [Chip]?
    /// Version of libgpiod, such as `1.6.3`.
    var library = ""
    /// The firmware's `config.txt`; nil without one.
    var firmwareFile: String?
    /// What it says of SPI; nil when nothing.
    var spiIsAskedFor: Bool?
    /// Nodes of SPI0, which are there while it is on.
    var spiNodes: [String] = []
}

/// Power, heat, watchdog, clock.
struct DoctorHealth: Hashable {
    struct Watchdog: Hashable {
        var name: String
        var identity: String?
        /// `active` or `inactive`; nil when the kernel does not report it.
        var state: String?
        var timeoutSeconds: Int?
    }

    /// `in0_lcrit_alarm` of the hwmon named `rpi_volt`.
    var isUnderVoltage: Bool?
    var hottestMillidegrees: Int?
    var watchdogs: [Watchdog] = []
    /// Settings of systemd's manager.
    var managerSettings: [String: String] = [:]
    var hasSystemd = false
    /// What the kernel says; nil for an image.
    var clockIsSynchronised: Bool?
    /// Names of the processes that keep a clock right; the kernel cuts them at 15 bytes.
    let timeDaemons = ["systemd-timesyn", "chronyd", "ntpd"]
    /// The file by which timesyncd marks its first success.
    var hasTimesyncMark = false
    /// Programs that keep the clock right and are installed.
    var timeServices: [String] = []
    /// Name of the real time clock.
    var clockChip: String?
    /// What that clock says, in seconds since 1970.
    var clockChipSeconds: Int?
    /// What saves the time across a power cut.
    var clockKeeper: String?
}

/// A line of `/proc/mounts`.
struct DoctorMount: Hashable {
    let device: String
    let place: String
    let kind: String
    let options: [String]

    var isReadOnly: Bool { options.contains("ro") }
    var isInMemory: Bool { ["tmpfs", "ramfs"].contains(kind) }
    /// Its writes go to an SD card or an eMMC.
    ///
    /// `/etc/fstab` names partitions by what is written in them; in an image that is the card.
    var isCard: Bool {
        device.hasPrefix("/dev/mmcblk") || device == "/dev/root" || device.contains("UUID=")
            || device.hasPrefix("LABEL=")
    }
}

struct DoctorSpace: Hashable {
    let totalBytes: Int
    let freeBytes: Int
}

/// The card, and what writes to it.
struct DoctorCard: Hashable {
    struct Partition: Hashable {
        let name: String
        let startBytes: Int
    }

    /// What is mounted; nil when that cannot be known.
    var mounts: [DoctorMount]?
    /// Of the file system with the store's folder.
    var space: DoctorSpace?
    /// Of `/run`.
    var runSpace: DoctorSpace?
    /// `mmcblk0`; nil without a card.
    var name: String?
    /// `SD` or `MMC`.
    var kind: String?
    var eraseBytes: Int?
    /// Tenths of its life that are used up, by memory type: 1…11.
    var lifeTime: [Int] = []
    /// 1 normal, 2 warning, 3 urgent.
    var endOfLife: Int?
    var partitions: [Partition] = []
    /// Devices and files that are swapped to.
    var swaps: [String] = []
    /// journald's `Storage`; `auto` by default.
    var logStorage = "auto"
    var hasLogFolder = false
    /// The partition for the journal, as udev's links name it.
    var journalPartition: String?
    /// Whether the station used one before.
    var hasNotedPartition = false

    /// What a path lies on.
    func mount(of path: String) -> DoctorMount? {
        let fitting = (mounts ?? []).filter { mount in
            mount.place == "/" || path == mount.place || path.hasPrefix(mount.place + "/")
        }
        // The last of equals is mounted over the others.
        return fitting.enumerated().max { left, right in
            (left.element.place.utf8.count, left.offset)
                < (right.element.place.utf8.count, right.offset)
        }?.element
    }
}

/// The station's own files, and whether it runs.
struct DoctorStation {
    enum Answer: Hashable {
        case answers(processID: Int32, faults: [FaultReport])
        /// No process listens.
        case absent
        case refuses(words: String)
        /// A process listens and does not answer.
        case hangs(words: String)
    }

    enum Store: Hashable {
        case missing
        /// `isWritable` is nil when it does not apply.
        case there(isWritable: Bool?)
    }

    enum LastSample: Hashable {
        case noHistory
        case unreadable(words: String)
        /// A history without a sample.
        case empty
        /// When the newest sample was measured; nil when nothing dates it.
        case taken(WallTime?)
    }

    /// A configured device on the network.
    struct Board: Hashable {
        let device: String
        let address: String
        /// Why it gives nothing; nil when it answers.
        let trouble: String?
    }

    var path = ""
    /// What the file says, or everything that is wrong in it; nil without a file.
    var configuration: Result<StationConfiguration, ConfigurationError>?
    /// Ports of the configuration, as it names them.
    var configuredPorts: [String] = []
    /// The nodes that they lead to.
    var usedPorts: [String] = []
    /// Those that lead nowhere.
    var missingPorts: [String] = []
    /// Devices on the network; none of an image.
    var boards: [Board] = []
    var profileProblems: [String] = []
    var profileNotes: [String] = []
    var ownProfileCount = 0
    /// systemd knows a service `roostd`.
    var hasService = false
    /// The process that holds the station's lock.
    var lockHolder: Int32?
    /// Nil for an image.
    var answer: Answer?
    var store: Store?
    var history: LastSample?
    /// The time by a clock that is trusted.
    var now: WallTime?
}
