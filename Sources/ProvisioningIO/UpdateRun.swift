import Provisioning

/// One update from a source to the card.
package struct UpdateRun {
    /// How far an update is.
    package enum Progress: Hashable, Sendable {
        /// Bytes of the file that were read and summed, of how many.
        case reads(Int, of: Int)
        /// Bytes of the file that were taken, of how many.
        case writes(Int, of: Int)
        /// Bytes of the root that were compared, of how many.
        case compares(Int, of: Int)

        /// 0…99: the end is said otherwise.
        package var percent: Int {
            switch self {
            case .reads(let done, let all): min(20, 20 * done / max(all, 1))
            case .writes(let done, let all): min(80, 20 + 60 * done / max(all, 1))
            case .compares(let done, let all): min(99, 80 + 19 * done / max(all, 1))
            }
        }
    }

    /// A signed header that is for this station.
    package struct Offer {
        package let manifest: UpdateManifest
        package let key: String
        /// Bytes of the payload that came with it.
        let rest: [UInt8]
    }

    /// The manifest of an offer that was read whole; its content is read again from the start.
    package struct Fetched {
        package let manifest: UpdateManifest
    }

    private let source: UpdateSource
    private let decompressor: [String]

    /// - Parameters:
    ///   - source: Where the file comes from.
    ///   - decompressor: What makes the root of the payload; scripts/image packs with a window of
    ///     4 MiB, and a payload may ask for 128.
    package init(
        _ source: UpdateSource,
        decompressor: [String] = ["/usr/bin/zstd", "-dcq", "--memory=32MB"]
    ) {
        (self.source, self.decompressor) = (source, decompressor)
    }

    /// Reads the header, and checks who signed it.
    package func offer(trusting keys: [UpdateKey]) throws(UpdateError) -> Offer {
        var bytes: [UInt8] = []
        while true {
            if let header = try UpdateHeader(bytes) {
                let (manifest, key) = try header.manifest(trusting: keys)
                return Offer(
                    manifest: manifest,
                    key: key,
                    rest: Array(bytes[header.byteCount...])
                )
            }
            let more = try source.next()
            guard !more.isEmpty else {
                throw .notAnUpdate(
                    bytes.isEmpty ? "it is empty" : "it ends after \(bytes.count) bytes"
                )
            }
            bytes += more
        }
    }

    /// Reads all that an offer carries, before anything is written: the root that it would take the
    /// place of is the version to go back to.
    ///
    /// - Parameters:
    ///   - offer: The signed manifest, with the bytes that were read behind it.
    ///   - folder: Folder for a copy of an offer that is no file of this machine.
    ///   - progress: Receives the steps that are done.
    /// - Returns: The offer, ready to install.
    /// - Throws: `UpdateError`; nothing was written.
    package func fetch(
        _ offer: Offer,
        in folder: String,
        progress: (Progress) -> Void = { _ in }
    ) throws(UpdateError) -> Fetched {
        let content = offer.manifest.payload
        var payload = UpdatePayload(content)
        try source.keep(
            from: offer.rest,
            byteCount: content.size,
            in: folder
        ) { (piece) throws(UpdateError) in
            try payload.add(piece)
            progress(.reads(payload.byteCount, of: content.size))
        }
        try payload.finish()
        return Fetched(manifest: offer.manifest)
    }

    /// Writes the root, and has it tried at the next start.
    ///
    /// - Parameters:
    ///   - slots: The roots by the boot partition's files.
    ///   - progress: Receives the steps that are done.
    /// - Returns: The roots by the boot partition's files, as they are afterwards.
    /// - Throws: `UpdateError`; the station starts as before.
    package func install(
        _ fetched: Fetched,
        on card: any UpdateCard,
        slots: BootSlots,
        running: RootSlot,
        progress: (Progress) -> Void
    ) throws(UpdateError) -> BootSlots {
        let manifest = fetched.manifest
        var payload = UpdatePayload(manifest.payload)
        var install = UpdateInstall(manifest.root, on: card, slots: slots, running: running)
        try install.begin()
        let filter = try ChildFilter(decompressor)
        while true {
            let piece = try source.next()
            if piece.isEmpty { break }
            try payload.add(piece)
            try filter.add(piece) { (bytes) throws(UpdateError) in try install.add(bytes) }
            progress(.writes(payload.byteCount, of: manifest.payload.size))
        }
        try payload.finish()
        try filter.finish { (bytes) throws(UpdateError) in try install.add(bytes) }
        let size = manifest.root.size
        return try install.finish { progress(.compares($0, of: size)) }
    }
}
