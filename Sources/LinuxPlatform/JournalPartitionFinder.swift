import FileIO
import Glibc
import HardwareIO
import LinuxIO

/// Finds the partition that `roost store partition` marked.
///
/// First by the links that udev makes, then by what the partition begins with: without our udev
/// rule, or before it ran, a station with the right to read finds it all the same.
package struct JournalPartitionFinder {
    private let links: [String]
    private let partitions: () -> [String]

    package init() {
        links = [JournalPartition.link, "/dev/disk/by-partlabel/\(JournalPartition.name)"]
        partitions = {
            BlockDevice.allPartitions
                .filter { JournalPartition.sectorCounts.contains($0.sectorCount) }.map(\.path)
        }
    }

    /// A finder that looks elsewhere; for tests.
    init(links: [String], partitions: [String]) {
        (self.links, self.partitions) = (links, { partitions })
    }

    /// The device, without links; nil when none can be found.
    package func find() -> String? {
        for path in links {
            guard let found = realpath(path, nil) else { continue }
            defer { free(found) }
            return String(cString: found)
        }
        return partitions().first(where: Self.isMarked)
    }

    /// The device of a store, which is noted in its folder.
    ///
    /// - Throws: `StorageError.absent` when the store had one, and none can be found.
    package func partition(for folder: String) throws(StorageError) -> String? {
        let note = "\(folder)/\(JournalPartition.noteName)"
        guard let found = find() else {
            var status = stat()
            guard lstat(note, &status) == 0 else { return nil }
            throw .absent(path: JournalPartition.link)
        }
        if Files.target(of: note) != found {
            unlink(note)
            symlink(found, note)
        }
        return found
    }

    /// Whether a partition begins with the mark of a journal's.
    package static func isMarked(_ path: String) -> Bool {
        let file = try? Files.open(path, allowing: [.links, .devices])
        return (try? file?.bytes(at: 0, count: 512)).flatMap { JournalPartition($0) } != nil
    }
}
