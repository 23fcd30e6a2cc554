/// Counts and sums what an update carries, as it comes.
struct UpdatePayload: ~Copyable {
    private let content: UpdateManifest.Content
    private var digest = UpdateDigest()
    private(set) var byteCount = 0

    init(_ content: UpdateManifest.Content) { self.content = content }

    /// - Throws: `UpdateError.damaged` for more bytes than the manifest says.
    mutating func add(_ bytes: some Collection<UInt8>) throws(UpdateError) {
        byteCount += bytes.count
        guard byteCount <= content.size else {
            throw .damaged("the file is longer than its manifest says: fetch it again")
        }
        digest.add(bytes)
    }

    /// - Throws: `UpdateError.damaged` for fewer bytes, or other ones.
    consuming func finish() throws(UpdateError) {
        guard byteCount == content.size else {
            throw .damaged(
                "the file ends early: \(byteCount) of \(content.size) bytes are there; fetch it "
                    + "again"
            )
        }
        guard digest.finish() == content.sha256 else {
            throw .damaged("the file has other bytes than its manifest says: fetch it again")
        }
    }
}
