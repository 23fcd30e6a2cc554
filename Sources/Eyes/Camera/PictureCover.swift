import CCamera
import Glibc

/// Makes parts of each picture black, before it is kept, shown or sent.
///
/// The JPEG's blocks that touch a part lose their content; all others stay as they are, bit by bit.
/// All else in the file goes, as cameras put a small picture of the whole into it. Without parts a
/// picture passes as it is.
package struct PictureCover: Hashable, Sendable {
    /// A rectangle in thousandths of the picture's width and height.
    package struct Area: Hashable, Sendable, CustomStringConvertible {
        /// The form of its text, for messages.
        static let form = "left, top, width and height in thousandths, as \"0 600 300 400\""

        package let left: Int
        package let top: Int
        package let width: Int
        package let height: Int

        /// Parses `0 600 300 400`; nil for what is no rectangle within the picture.
        package init?(_ text: String) {
            let words = text.split(separator: " ", omittingEmptySubsequences: true)
            let numbers = words.compactMap { UInt16($0).map(Int.init) }
            guard words.count == 4, numbers.count == 4, numbers[2] > 0, numbers[3] > 0,
                numbers[0] + numbers[2] <= 1_000, numbers[1] + numbers[3] <= 1_000
            else { return nil }
            (left, top) = (numbers[0], numbers[1])
            (width, height) = (numbers[2], numbers[3])
        }

        package var description: String { "\(left) \(top) \(width) \(height)" }
    }

    /// Parts at most.
    package static let limit = 16

    package let areas: [Area]

    package init(_ areas: [Area] = []) { self.areas = areas }

    /// Why no picture could be covered here; nil where it can, or nothing is to be covered.
    package var lack: CaptureError? {
        areas.isEmpty || ccamera_can_cover() != 0 ? nil : .uncovered(ENOSYS)
    }

    /// The picture with its parts black.
    ///
    /// - Parameter picture: A whole JPEG.
    /// - Throws: `CaptureError.uncovered`: then there is no picture.
    package func covering(_ picture: [UInt8]) throws(CaptureError) -> [UInt8] {
        guard !areas.isEmpty else { return picture }
        let parts = areas.map { area in
            ccamera_area(
                left: Int32(area.left),
                top: Int32(area.top),
                width: Int32(area.width),
                height: Int32(area.height)
            )
        }
        var (covered, size) = (UnsafeMutablePointer<UInt8>?.none, 0)
        let code = ccamera_cover(picture, picture.count, parts, parts.count, &covered, &size)
        guard code == 0, let covered else { throw .uncovered(code == 0 ? EINVAL : code) }
        defer { ccamera_cover_free(covered) }
        return Array(UnsafeBufferPointer(start: covered, count: size))
    }
}
