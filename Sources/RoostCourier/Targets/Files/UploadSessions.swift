import Synchronization

/// Stores the addresses of unfinished uploads, so that a restart goes on with them.
///
/// A lost address only means that the upload begins again.
protocol UploadSessions: Sendable {
    /// Returns the address of a file's upload, by path and hash.
    func session(of file: String) -> MaskedText?
    /// Stores an address; nil forgets it.
    func keep(_ address: MaskedText?, of file: String)
}

/// Stores them while the process lives; at most one, since files are sent one at a time.
final class MemorySessions: UploadSessions {
    private let kept = Mutex<(file: String, address: MaskedText)?>(nil)

    init() {}

    func session(of file: String) -> MaskedText? {
        kept.withLock { $0?.file == file ? $0?.address : nil }
    }

    func keep(_ address: MaskedText?, of file: String) {
        kept.withLock { $0 = address.map { (file, $0) } }
    }
}
