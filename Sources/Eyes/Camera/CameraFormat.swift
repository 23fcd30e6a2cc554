/// How the pixels of a picture arrive, by the four letters that V4L2 knows them by.
package enum CameraFormat: UInt32, Sendable, CaseIterable {
    case motionJPEG = 0x4750_4A4D
    case jpeg = 0x4745_504A
    case yuyv = 0x5659_5559

    /// The one that costs least, of all that a camera offers; nil when none is known.
    package static func best(_ offered: [UInt32]) -> CameraFormat? {
        allCases.first { offered.contains($0.rawValue) }
    }
}
