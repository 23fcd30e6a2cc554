/// A fixed run of blocks on a card: a preallocated file or a partition.
///
/// Synchronous: it may block for seconds and belongs on the disk thread. A write is durable after
/// the next `sync()` that returns; before it, any part of it may or may not be there.
package protocol BlockStorage: AnyObject {
    /// Bytes of a block, a multiple of 512.
    var blockSize: Int { get }
    var blockCount: Int { get }
    /// Whether it could only be opened for reading: the card, or its file system, is read-only.
    var isReadOnly: Bool { get }

    /// The bytes of one block.
    func read(_ index: Int) throws(StorageError) -> [UInt8]

    /// Replaces the beginning of one block: a multiple of 512 bytes, at most `blockSize`.
    ///
    /// The rest of the block stays, so that a short write costs the card no more than its bytes.
    func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError)

    /// Makes everything written durable (`fdatasync`).
    func sync() throws(StorageError)
}

extension BlockStorage {
    package var isReadOnly: Bool { false }
}

/// Why a file, folder or device on the card cannot be used.
package enum StorageError: Error, Hashable, Sendable {
    case full(path: String)
    case readOnly(path: String)
    /// A call failed with any other errno; EIO means that the card cannot read or write here.
    case failed(call: String, errno: Int32, path: String)
    case wrongSize(path: String, found: Int, wanted: Int)
    /// The folder is missing, or the device is.
    case absent(path: String)
    case noPermission(path: String)
    /// The device is mounted, or another program has it.
    case busy(path: String)
    /// Another process has locked it; named when the kernel reports its id.
    case held(path: String, holder: String?)
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full(let path): "\(path): no space left on the card"
        case .readOnly(let path):
            "\(path): the card is read-only; look at `dmesg` for why, then remount or replace it"
        case .failed(let call, let errno, let path):
            "\(path): \(call) failed with errno \(errno)"
        case .wrongSize(let path, let found, let wanted):
            "\(path): has \(found) bytes, not \(wanted); "
                + "give its size in the configuration, or move it aside"
        case .absent(JournalPartition.link):
            "the journal's partition, which the station used before, cannot be found; "
                + "`lsblk` lists what is there, `roost doctor` says more; if it is gone for good, "
                + "remove the link \(JournalPartition.noteName) in the store's folder"
        case .absent(let path): "\(path): not there; make the folder, or correct the path"
        case .noPermission(let path) where path.hasPrefix("/dev/"):
            "\(path): no permission; a udev rule gives the partition to the group roost "
                + "(SUBSYSTEM==\"block\", KERNEL==\"\(path.dropFirst(5))\", GROUP=\"roost\", "
                + "MODE=\"0660\"), and where the service may not use it, "
                + "`sudo systemctl edit roostd` adds [Service] DeviceAllow=\(path) rw"
        case .noPermission(let path):
            "\(path): no permission; give the folder to the user that Roost runs as"
        case .busy(let path): "\(path): in use or mounted; unmount it, or name another"
        case .held(let path, let holder):
            "\(path): \(holder ?? "another process") has it; stop that process, or name another"
        }
    }
}
