/// A request of the page to the root service: which sensors have a wire of their own from the next
/// start on.
package struct WireRequest: Codable, Hashable, Sendable {
    /// Name of the file in `/run/roost-web` that the service waits for.
    package static let fileName = "wires-wanted"
    /// Bytes of the file at most.
    package static let byteCountMax = 4_096

    /// Overlays such as `w1-gpio-4`; all that shall be used.
    package let overlays: [String]
    /// Whether the machine restarts then; nil for no.
    package let restarts: Bool?

    package init(_ overlays: [String], restarts: Bool? = nil) {
        (self.overlays, self.restarts) = (overlays, restarts)
    }

    /// - Throws: `BoardOverlays.Refusal`.
    package func checked() throws(BoardOverlays.Refusal) -> BoardOverlays {
        try BoardOverlays(checking: overlays)
    }
}

/// What the root service says to the page, which may not read the boot partition.
package struct WireState: Codable, Hashable, Sendable {
    /// Path of the file, below the system's root.
    package static let path = "run/roost-wires.json"

    /// Overlays that the board started with.
    package let used: [String]
    /// Overlays of the next start.
    package let next: [String]
    /// Whether the card's boot script reads them: an update leaves an earlier image's script.
    package let isAble: Bool
    /// Why the last request was not kept; nil where it was.
    package var problem: String?

    package init(used: [String], next: [String], isAble: Bool = true, problem: String? = nil) {
        (self.used, self.next, self.isAble, self.problem) = (used, next, isAble, problem)
    }
}
