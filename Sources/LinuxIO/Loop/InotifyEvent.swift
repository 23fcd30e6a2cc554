import CLinux

/// One record of inotify; names are left out, since they are not used here.
struct InotifyEvent: Hashable {
    let mask: UInt32

    /// The records of one `read`.
    ///
    /// - Source: inotify(7), "Reading events": wd, mask, cookie, len (4 bytes each), then the name.
    static func all(in bytes: ArraySlice<UInt8>) -> [InotifyEvent] {
        let headSize = MemoryLayout<inotify_event>.size
        var events: [InotifyEvent] = []
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + headSize <= bytes.count {
                let head = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                events.append(InotifyEvent(mask: head.mask))
                offset += headSize + Int(head.len)
            }
        }
        return events
    }
}
