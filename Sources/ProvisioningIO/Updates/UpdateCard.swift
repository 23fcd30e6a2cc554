import Provisioning

/// The card that an update writes: the root not running, and one sector of the boot partition.
package protocol UpdateCard {
    /// Writes to the partition of a root, and returns before it is on the card.
    func write(_ bytes: [UInt8], at offset: Int, of slot: RootSlot) throws(UpdateError)
    /// Returns when all that was written to the root is on the card.
    func flush(_ slot: RootSlot) throws(UpdateError)
    /// Reads from the card itself, not from what the kernel keeps of it in memory.
    ///
    /// - Parameters:
    ///   - offset: A multiple of 4096, as is `count`.
    ///   - count: Bytes; the partition has them.
    /// - Returns: The bytes.
    func read(_ offset: Int, count: Int, of slot: RootSlot) throws(UpdateError) -> [UInt8]
    /// Replaces the one sector of `slot.txt`, and returns when it is on the card.
    func writeSlots(_ sector: [UInt8]) throws(UpdateError)
}
