import Camera
import ClientSupport
import ControlProtocol
import Core

/// The report of `roost records delete`.
struct DeletedPictures: Encodable, Hashable {
    let count: Int
}

/// One picture as `roost records` shows it.
struct PictureReport: Encodable, Hashable {
    let number: UInt64
    let name: String
    /// When the motion began, ISO 8601; nil while no clock was trusted.
    let time: String?
    /// When it began, since the machine's start.
    let instantSeconds: Double
    /// The motion sensor.
    let source: String
    let byteCount: Int

    init(_ record: PictureRecord) {
        (number, name, time) = (record.number, record.name, record.time?.iso8601)
        instantSeconds = Double(record.instant.nanoseconds) / 1_000_000_000
        (source, byteCount) = (record.source, record.byteCount)
    }

    var line: String { get throws { try ControlCodec.line(self) } }

    var text: String {
        "\(number)".column(8) + (time ?? "undated").column(22) + source.column(18)
            + "\((byteCount + 1_023) >> 10) KiB"
    }
}
