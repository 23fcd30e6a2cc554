import Devices
import HardwareIO
import LinuxPlatform
import Station

/// A line of `/proc/mounts`.
struct DoctorMount: Hashable {
    let device: String
    let place: String
    let kind: String
    let options: [String]

    var isReadOnly: Bool { options.contains("ro") }
    var isInMemory: Bool { ["tmpfs", "ramfs"].contains(kind) }
    /// Whether the file system lies on an SD card or an eMMC.
    ///
    /// `/etc/fstab` names partitions by what is written in them; in an image that is the card.
    var isCard: Bool {
        device.hasPrefix("/dev/mmcblk") || device == "/dev/root" || device.contains("UUID=")
            || device.hasPrefix("LABEL=")
    }
}

/// The card, and what writes to it.
struct DoctorCard: Hashable {
    struct Partition: Hashable {
        let name: String
        let startBytes: Int
    }

    /// Mounted file systems; nil when they cannot be known.
    var mounts: [DoctorMount]?
    /// Space of the file system with the store's folder.
    var space: DoctorSpace?
    /// Space of `/run`.
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

    /// Returns the mounted file system that holds a path.
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

extension DoctorCard {
    /// Reads the mounts, also for the place where a missing store's folder would be.
    init(_ tree: DoctorTree, _ machine: DoctorMachine, folder: String) {
        if let text = tree.text("/proc/mounts") {
            mounts = Self.mounts(text)
        } else if let text = tree.text("/etc/fstab") {
            // An image's mounts come from fstab; the kernel's own choice has no entry there.
            mounts = Self.mounts(text).map { mount in
                let says = mount.options.contains { $0.hasSuffix("atime") }
                let options = mount.options + (says ? [] : ["relatime"])
                return DoctorMount(
                    device: mount.device,
                    place: mount.place,
                    kind: mount.kind,
                    options: options
                )
            }
        }
        var place = folder
        while !place.isEmpty, !tree.exists(place) {
            place = String(place.prefix(upTo: place.lastIndex(of: "/") ?? place.startIndex))
        }
        space = machine.space(tree.full(place.isEmpty ? "/" : place))
        runSpace = machine.space(tree.full("/run"))
        swaps = (tree.text("/proc/swaps") ?? "").split(separator: "\n").dropFirst()
            .compactMap { $0.fields.first }
        logStorage = tree.settings("journald.conf")["Storage"] ?? "auto"
        hasLogFolder = tree.exists("/var/log/journal")
        let links = [JournalPartition.link, "/dev/disk/by-partlabel/\(JournalPartition.name)"]
        journalPartition = links.first(where: tree.exists).map(tree.resolved)
        hasNotedPartition = tree.target("\(folder)/\(JournalPartition.noteName)") != nil
        // The main area of an eMMC: its boot areas have names of their own.
        let names = tree.names("/sys/block").filter { $0.hasPrefix("mmcblk") }
        guard let name = names.first(where: { $0.dropFirst(6).allSatisfy(\.isNumber) }) else {
            return
        }
        self.name = name
        let device = "/sys/block/\(name)/device"
        kind = tree.line("\(device)/type")
        eraseBytes = tree.number("\(device)/preferred_erase_size")
        lifeTime = (tree.line("\(device)/life_time") ?? "").fields.compactMap(Self.hexadecimal)
        endOfLife = tree.line("\(device)/pre_eol_info").flatMap(Self.hexadecimal)
        partitions = tree.names("/sys/block/\(name)").filter { $0.hasPrefix(name) }
            .compactMap { part in
                // Always in units of 512 bytes, for every sector size.
                tree.number("/sys/block/\(name)/\(part)/start").map {
                    Partition(name: part, startBytes: $0 * 512)
                }
            }
    }

    /// - Source: fstab(5), whose form `/proc/mounts` has, too.
    private static func mounts(_ text: String) -> [DoctorMount] {
        text.split(separator: "\n").map(\.fields).filter { fields in
            fields.count > 3 && !fields[0].hasPrefix("#")
        }.map { fields in
            DoctorMount(
                device: fields[0],
                place: fields[1],
                kind: fields[2],
                options: fields[3].split(separator: ",").map(String.init)
            )
        }
    }

    private static func hexadecimal(_ text: String) -> Int? {
        Int(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
    }
}
