import FileIO
import Glibc

/// A block device as the kernel describes it below `/sys`.
package struct BlockDevice: Hashable, Sendable {
    /// A partition as the kernel knows it, in sectors of 512 bytes.
    package struct Partition: Hashable, Sendable {
        package let name: String
        package let number: Int
        package let first: UInt64
        package let sectorCount: UInt64

        package var path: String { "/dev/\(name)" }
    }

    /// `mmcblk0`, `mmcblk0p2`.
    package let name: String
    /// Its folder, without links.
    private let folder: String

    package var path: String { "/dev/\(name)" }

    /// The device of a node; nil when the path is none.
    package init?(node: String) {
        var status = stat()
        guard stat(node, &status) == 0, status.st_mode & S_IFMT == S_IFBLK else { return nil }
        self.init(number: status.st_rdev)
    }

    private init?(number: dev_t) {
        self.init(folder: "/sys/dev/block/\(Self.text(number))")
    }

    /// `179:2`, as `major` and `minor` of <sys/sysmacros.h> take it apart.
    package static func text(_ number: dev_t) -> String {
        let number = UInt64(number)
        let major = number >> 8 & 0xFFF | number >> 32 & ~0xFFF
        let minor = number & 0xFF | number >> 12 & ~0xFF
        return "\(major):\(minor)"
    }

    private init?(folder: String) {
        guard let found = realpath(folder, nil) else { return nil }
        defer { free(found) }
        let place = String(cString: found)
        guard let name = place.split(separator: "/").last else { return nil }
        (self.folder, self.name) = (place, String(name))
    }

    /// The disk that a partition is part of; nil for what is none.
    package var disk: BlockDevice? {
        access("\(folder)/partition", F_OK) == 0 ? BlockDevice(folder: "\(folder)/..") : nil
    }

    /// Partitions of a disk.
    package var partitions: [Partition] {
        Self.names(folder).compactMap { name in
            guard let number = Int(line("\(name)/partition")),
                let first = UInt64(line("\(name)/start")), let count = UInt64(line("\(name)/size"))
            else { return nil }
            return Partition(name: name, number: number, first: first, sectorCount: count)
        }.sorted { $0.number < $1.number }
    }

    /// Every partition of every disk.
    package static var allPartitions: [Partition] {
        names("/sys/block").compactMap { BlockDevice(folder: "/sys/block/\($0)") }
            .flatMap(\.partitions)
    }

    private func line(_ name: String) -> String {
        Files.line("\(folder)/\(name)") ?? ""
    }

    private static func names(_ path: String) -> [String] { (try? Files.names(in: path)) ?? [] }
}
