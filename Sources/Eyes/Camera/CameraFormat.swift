/// The pixel format of a picture, by the four letters of V4L2.
enum CameraFormat: UInt32, Sendable, CaseIterable {
    case motionJPEG = 0x4750_4A4D
    case jpeg = 0x4745_504A
    case yuyv = 0x5659_5559

    /// Returns the cheapest of a camera's formats; nil when none is known.
    static func best(_ offered: [UInt32]) -> CameraFormat? {
        allCases.first { offered.contains($0.rawValue) }
    }
}
