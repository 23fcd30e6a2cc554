/// A fixed run of memory that outlives its process, though not the power.
///
/// Never blocks. A process that is killed leaves every write that it made, in order; the last may
/// be there in part.
package protocol SharedMemory: AnyObject {
    var byteCount: Int { get }

    /// Copies what lies in `range`, which is within `0 ..< byteCount`.
    func read(_ range: Range<Int>) -> [UInt8]

    /// Replaces bytes from `offset` on; they have to fit.
    ///
    /// Everything written before is in place before the first of these is.
    func write(_ bytes: [UInt8], at offset: Int)
}
