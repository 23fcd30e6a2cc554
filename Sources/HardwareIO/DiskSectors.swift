/// The sectors of a whole disk, 512 bytes each.
package protocol DiskSectors {
    var sectorCount: UInt64 { get }

    /// Bytes from `first` on; `count` sectors that lie within the disk.
    func read(_ first: UInt64, count: Int) throws(StorageError) -> [UInt8]
}
