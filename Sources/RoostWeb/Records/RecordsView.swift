import Camera
import ControlProtocol
import Core
import StoreQueries

/// `/records`: motions, newest first, with their pictures, and how the camera is.
struct RecordsView: Codable, Sendable {
    enum Camera: String, Codable, Sendable, CaseIterable {
        /// `roost-eyes` runs.
        case on
        /// It does not, and has pictures.
        case stopped
        /// It was never switched on, or its owner switched it off.
        case off
    }

    struct Item: Codable, Sendable {
        /// The motion's event; nil for a picture without one.
        let event: String?
        let time: String?
        let isSure: Bool
        let instantSeconds: Double
        let source: String
        /// Duration of the motion; nil while it lasts, and where its end is not known.
        let seconds: Double?
        let hasPicture: Bool
        /// What only people see who may look.
        var number: UInt64?
        var name: String?
        var bytes: Int?
        /// Why there is no picture, and what failed.
        let lack: EyesReport.Lack.Reason?
        let lackWords: String?

        init(_ item: MotionRecords.Item, _ mayLook: Bool, _ lack: EyesReport.Lack?) {
            (event, time) = (item.event?.description, item.time?.iso8601)
            (isSure, source) = (item.isSure, item.source)
            instantSeconds = Self.tenths(Double(item.instant.nanoseconds) / 1e9)
            seconds = item.seconds.map(Self.tenths)
            hasPicture = item.picture != nil
            (self.lack, lackWords) = (lack?.reason, lack?.words)
            guard mayLook, let picture = item.picture else { return }
            (number, name, bytes) = (picture.number, picture.name, picture.byteCount)
        }

        private static func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
    }

    let camera: Camera
    let pictureCount: Int?
    let newest: UInt64?
    let room: Int?
    let ringBytes: Int?
    let retentionDays: Int?
    let leftOutCount: Int?
    let maskedCount: Int?
    let trouble: String?
    let stationTrouble: String?
    /// Whether the person who asks sees pictures, and may delete them.
    var mayLook = false
    var mayDelete = false
    let items: [Item]
    let next: String?

    /// - Parameters:
    ///   - report: Of `roost-eyes`; nil while it does not run.
    ///   - pictures: Of the ring; nil without one.
    ///   - trouble: Why the ring cannot be read.
    init(
        _ report: EyesReport?,
        _ pictures: [PictureRecord]?,
        _ trouble: String?,
        _ items: [Item],
        next: String?
    ) {
        let isOff = report == nil && pictures == nil && trouble == nil
        let isOn = report != nil && report?.isOff != true
        camera = isOn ? .on : isOff || report != nil ? .off : .stopped
        (pictureCount, newest) = (pictures?.count, pictures?.first?.number)
        (room, ringBytes) = (report?.room, report?.ringBytes)
        retentionDays = report?.retentionDays
        (leftOutCount, maskedCount) = (report?.leftOutCount, report?.maskedCount)
        self.trouble =
            trouble ?? report?.settingsTrouble ?? report?.ringTrouble ?? report?.lastTrouble
        stationTrouble = report?.stationTrouble
        (self.items, self.next) = (items, next)
    }
}
