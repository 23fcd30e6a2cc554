import Core

/// A picture that goes with a notice.
package struct NoticePicture: Hashable, Sendable {
    /// Bytes at most; a larger one stays on the station.
    package static let byteMax = 4 << 20

    /// Name of the file, such as `2026-11-25T08-49-03Z-12.jpg`.
    package let name: String
    /// The bytes of a JPEG.
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

    /// Reason why a notice has no picture although its receiver wants one.
    package enum Lack: Hashable, Sendable {
        /// The station keeps no pictures.
        case noCamera
        /// The station has no picture of this motion.
        case notTaken
        /// The pictures cannot be read.
        case unreadable(String)
        case tooLarge(byteCount: Int)
        /// The receiver refuses the picture.
        case refused(String)

        /// Returns the sentence in the notice, in `en`, `de` or `it`.
        package func text(_ language: String) -> String {
            let none = ["de": "Kein Bild", "it": "Nessuna foto"][language] ?? "No picture"
            let row: [String: String]
            switch self {
            case .noCamera:
                row = [
                    "en": "no camera is switched on", "de": "keine Kamera ist eingeschaltet",
                    "it": "nessuna telecamera è attivata",
                ]
            case .notTaken:
                row = [
                    "en": "the camera took none of this motion",
                    "de": "die Kamera hat diese Bewegung nicht aufgenommen",
                    "it": "la telecamera non ha fotografato questo movimento",
                ]
            case .unreadable(let why):
                row = [
                    "en": "the pictures cannot be read (\(why))",
                    "de": "die Bilder sind nicht lesbar (\(why))",
                    "it": "le foto non sono leggibili (\(why))",
                ]
            case .tooLarge(let count):
                row = [
                    "en": "it has \(count >> 10) KiB, too many to send",
                    "de": "es hat \(count >> 10) KiB, zu viel zum Senden",
                    "it": "ha \(count >> 10) KiB, troppi da inviare",
                ]
            case .refused(let why):
                row = [
                    "en": "the receiver did not take it (\(why))",
                    "de": "der Empfänger nahm es nicht an (\(why))",
                    "it": "il destinatario non l’ha accettata (\(why))",
                ]
            }
            return "\(none): \(row[language] ?? row["en"] ?? "")."
        }
    }
}

/// Source of the pictures of motions.
package protocol PictureSource: Sendable {
    /// Finds the newest picture of a motion sensor.
    ///
    /// - Parameters:
    ///   - instant: The motion began no earlier, in this boot of the machine.
    /// - Returns: The picture, or why there is none.
    /// - Throws: `CancellationError`.
    func picture(
        of sensor: String,
        after instant: MonotonicInstant
    ) async throws -> Result<NoticePicture, NoticePictureError>
}

/// The reason why there is no picture, as an error.
package struct NoticePictureError: Error, Hashable, Sendable {
    package let lack: NoticePicture.Lack

    package init(_ lack: NoticePicture.Lack) { self.lack = lack }
}
