/// Imports the file that was sent, or says what it would bring; each question goes on for a second.
///
/// Ask again, with the same, as long as the answer has a `part`. What is imported then stays: a
/// file that is sent again after a break brings the rest, and nothing twice.
package struct ImportSentFile: Question, Hashable {
    package typealias Answer = ImportedFileReport
    package static let about = QuestionFacts(
        "importFile",
        for: .peopleAndDashboard,
        "Goes on for a second with the import of a file that was sent, or with its trial."
    )
    /// Bytes of the whole file: one that broke off is refused.
    package let byteCount: Int
    /// The number that its pieces came with; nil is 0.
    package var file: Int?
    /// `roost`, `periods`, `sensor-community` or `safecast`; nil is known by its content.
    package var kind: String?
    /// Who measured, a word of 1 to 64 bytes; `periods` need it, copies of stations may have it.
    package var source: String?
    /// Seconds east of Greenwich of the times in `periods`; nil is 0.
    package var utcOffsetSeconds: Int?
    /// True writes nothing, and keeps the file for the import itself.
    package var isTrial: Bool
    /// Also when it needs more than a quarter of the history's room.
    package var isBold: Bool?

    package init(byteCount: Int, isTrial: Bool) {
        (self.byteCount, self.isTrial) = (byteCount, isTrial)
    }

    package func check() throws(ControlFailure) {
        if let source, !Self.isWord(source) {
            throw .badRequest("source is a word of 1 to 64 letters, digits, - and _", at: "/source")
        }
        guard (-50_400...50_400).contains(utcOffsetSeconds ?? 0) else {
            throw .badRequest("a zone is at most 14 h from Greenwich", at: "/utcOffsetSeconds")
        }
    }
}

extension ImportSentFile {
    /// Whether a text can be part of a device's name everywhere, in files and addresses, too.
    private static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// What an import brought, or would bring.
package struct ImportedFileReport: Codable, Hashable, Sendable {
    /// Samples of a device that make room.
    package struct Overwritten: Codable, Hashable, Sendable {
        package let device: String
        package let samples: Int

        package init(device: String, samples: Int) {
            (self.device, self.samples) = (device, samples)
        }
    }

    package let isTrial: Bool
    /// How much of the work is done, 0…1, where the same has to be asked again; nil at the end.
    package var part: Double?
    /// `roost`, `periods`, `sensor-community` or `safecast`.
    package let kind: String
    /// Rows read, the header not.
    package var rows = 0
    /// Rows that were left out.
    package var badRows = 0
    /// Whether no row is one of this kind.
    package var isForeign = false
    /// The first bad rows, 10 at most, each with line and reason.
    package var problems: [String] = []
    /// Samples that are new.
    package var samples = 0
    /// Samples that the history had already.
    package var known = 0
    /// Devices of the samples, 32 at most.
    package var devices: [String] = []
    /// The oldest and the newest of the samples; nil without any.
    package var from: String?
    package var to: String?
    /// Part of the room that it needs, for the ring it fills most; 1 is all of it.
    package var share = 0.0
    package var overwritten: [Overwritten] = []
    /// Why nothing was imported: `tooLarge` or `needsConsent`; nil where it was, or would be.
    package var refusal: String?

    package init(isTrial: Bool, kind: String) { (self.isTrial, self.kind) = (isTrial, kind) }
}
