import HardwareIO

/// A file that arrives in pieces, on the card beside the store; its calls belong within `onDisk`.
///
/// What was cut off is removed with the next first piece, and when the station starts.
package protocol ArrivingFile: Sendable {
    /// Where it is, for what opens it by itself.
    var path: String { get }
    var byteCount: Int { get }

    /// Adds a piece; `isFirst` begins anew.
    ///
    /// - Throws: `StorageError.full` also where the card would have too little room for the rest.
    func add(_ bytes: [UInt8], isFirst: Bool) throws(StorageError)

    /// Its bytes from a place on, 0 to the end; fewer than `count` only there.
    func piece(at place: Int, count: Int) throws(StorageError) -> [UInt8]

    func remove()
}

/// A machine on which no file can arrive.
struct NoArrivingFile: ArrivingFile {
    let path: String
    var byteCount: Int { 0 }

    func add(_ bytes: [UInt8], isFirst: Bool) throws(StorageError) {
        throw .noPermission(path: path)
    }

    func piece(at place: Int, count: Int) throws(StorageError) -> [UInt8] { [] }
    func remove() {}
}
