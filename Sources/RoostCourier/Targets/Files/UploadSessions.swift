import Synchronization

/// Keeps the addresses of uploads that were begun, so that a restart goes on with them.
///
/// An address that got lost costs a new beginning and nothing else.
package protocol UploadSessions: Sendable {
    /// The address of a file's upload, by path and hash.
    func session(of file: String) -> MaskedText?
    /// Notes an address; nil forgets it.
    func keep(_ address: MaskedText?, of file: String)
}

/// Keeps them as long as the process lives; at most one, as files go one at a time.
package final class MemorySessions: UploadSessions {
    private let kept = Mutex<(file: String, address: MaskedText)?>(nil)

    package init() {}

    package func session(of file: String) -> MaskedText? {
        kept.withLock { $0?.file == file ? $0?.address : nil }
    }

    package func keep(_ address: MaskedText?, of file: String) {
        kept.withLock { $0 = address.map { (file, $0) } }
    }
}
