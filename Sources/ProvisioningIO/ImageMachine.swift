import ControlProtocol
import FileIO
import Glibc
import HardwareIO
import LinuxIO
import Profiles
import Provisioning

/// A machine that runs from Roost's image, as its memory disk describes it.
///
/// - Source: packaging/image/memory-disk/init.
package struct ImageMachine: Sendable {
    /// Path of the system's root; empty for this machine, a folder in tests and for images.
    package let root: String
    package let board: String
    package let layout: Int
    package let version: String
    package let build: String
    /// The root that runs; nil while none does, as in the folder that an image is made of.
    package let running: RootSlot?
    /// `mmcblk0`.
    package let card: String?
    /// `card` or `memory`.
    package let dataOn: String?

    /// - Returns: Nil for a machine that was not made from an image.
    package init?(root: String = "") {
        self.root = root
        guard let bytes = Files.start(of: "\(root)/usr/lib/roost/image.json", limit: 4_096),
            case .object(let fields)? = try? JSONParser.parse(bytes),
            case .string(let board)? = fields["board"],
            case .number(let layout)? = fields["layout"],
            case .string(let version)? = fields["version"]
        else { return nil }
        (self.board, self.layout, self.version) = (board, Int(clamping: layout), version)
        if case .string(let build)? = fields["build"] { self.build = build } else { build = "" }
        running = Files.text("\(root)/run/roost-slot").flatMap { RootSlot(text: $0) }
        card = Files.line("\(root)/run/roost-card")
        dataOn = Files.line("\(root)/run/roost-data-on")
    }

    package var boot: BootPartition {
        BootPartition(folder: "\(root)/boot/firmware", lockPath: "\(root)/run/roost-boot.lock")
    }

    /// Path of the last update's record.
    var recordPath: String { "\(root)/data/system/update.json" }
    /// Where an update that comes from elsewhere waits until it is whole.
    package var updateFolder: String { "\(root)/data/system" }
    /// How far the present one is.
    var progressPath: String { "\(root)/run/roost-update.json" }

    package var slots: BootSlots {
        BootSlots(slotText: boot.text("slot.txt"), triedText: boot.text("tried.txt"))
    }

    /// The device of a partition by its number; in tests a file.
    func partition(_ number: Int) throws(UpdateError) -> String {
        guard root.isEmpty else { return "\(root)/dev/root\(number)" }
        guard let card, let disk = BlockDevice(node: "/dev/\(card)"),
            let part = disk.partitions.first(where: { $0.number == number })
        else { throw .failed("partition \(number) of the card is not there") }
        return part.path
    }

    /// The root that does not run, opened for writing.
    package func card(for slot: RootSlot) throws(UpdateError) -> LinuxUpdateCard {
        guard !root.isEmpty || boot.isMounted else {
            throw .failed(
                "the boot partition is not mounted at \(boot.folder): roost-said.txt or `dmesg` "
                    + "says why"
            )
        }
        return try LinuxUpdateCard(path: try partition(slot.rawValue), slot: slot, boot: boot)
    }

    /// Keys of the image, and those that the owner added.
    ///
    /// - Returns: The keys, and the files and folders that give none, with the reason.
    package func keys() -> (keys: [UpdateKey], leftOut: [(path: String, why: String)]) {
        var (keys, leftOut) = ([UpdateKey](), [(path: String, why: String)]())
        for folder in ["/usr/share/roost/update-keys.d", "/etc/roost/update-keys.d"] {
            var names: [String] = []
            do { names = try Files.names(in: root + folder, limit: 256) } catch {
                if !error.isAbsent { leftOut.append((folder, error.text)) }
            }
            for name in names where name.hasSuffix(".pem") {
                let text = Files.text("\(root)\(folder)/\(name)")
                guard let key = text.flatMap({ UpdateKey(pem: $0) }),
                    keys.count < UpdateKey.countMax
                else {
                    let why = "no public ed25519 key in PEM, or one too many"
                    leftOut.append(("\(folder)/\(name)", why))
                    continue
                }
                if !keys.contains(key) { keys.append(key) }
            }
        }
        return (keys, leftOut)
    }
}

extension ImageMachine {
    /// The last update; nil where there was none.
    package var record: UpdateRecord? {
        Files.text(recordPath, limit: 1 << 16).flatMap {
            try? ControlCodec.message(UpdateRecord.self, from: $0)
        }
    }

    /// Keeps what became of an update.
    ///
    /// A station whose data partition fails goes on without.
    package func keep(_ record: UpdateRecord) {
        guard let line = try? ControlCodec.line(record) else { return }
        try? WholeFile.write(Array((line + "\n").utf8), to: recordPath, mode: 0o644)
        unlink(progressPath)
    }

    /// Shows how far an update is, in memory.
    package func show(_ record: UpdateRecord) {
        guard let line = try? ControlCodec.line(record) else { return }
        try? WholeFile.write(Array((line + "\n").utf8), to: progressPath, mode: 0o644)
    }

    /// Now as ISO 8601 in UTC; nil while the clock was not set.
    package static var now: String? {
        var (seconds, parts) = (time(nil), tm())
        gmtime_r(&seconds, &parts)
        guard parts.tm_year + 1_900 >= 2_025 else { return nil }
        let fields = [
            parts.tm_year + 1_900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
            parts.tm_sec,
        ].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return fields[0..<3].joined(separator: "-") + "T"
            + fields[3...].joined(separator: ":") + "Z"
    }
}

extension Int {
    /// A whole number of JSON; what no `Int` holds is the nearest one.
    fileprivate init(clamping number: Double) {
        self = Int(Swift.max(-1e15, Swift.min(1e15, number.rounded())))
    }
}
