/// A fixed run of blocks on a card: a preallocated file or a partition.
///
/// Synchronous: it may block for seconds and belongs on the disk thread. A write is durable after
/// the next `sync()` that returns; before it, any part of it may or may not be there.
package protocol BlockStorage: AnyObject {
    /// Bytes of a block, a multiple of 512.
    var blockSize: Int { get }
    var blockCount: Int { get }

    /// The bytes of one block.
    ///
    /// - Throws: `StorageError`.
    func read(_ index: Int) throws(StorageError) -> [UInt8]

    /// Replaces the beginning of one block: a multiple of 512 bytes, at most `blockSize`.
    ///
    /// What lies behind them stays, so that a short block costs the card no more than it holds.
    ///
    /// - Throws: `StorageError`.
    func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError)

    /// Makes everything written durable (`fdatasync`).
    ///
    /// - Throws: `StorageError`.
    func sync() throws(StorageError)
}

/// What can go wrong with a card.
package enum StorageError: Error, Hashable, Sendable {
    case full(path: String)
    case readOnly(path: String)
    /// EIO: the card does not read or write here.
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
