import Camera
import Core
import HardwareIO
import SimulationKit

/// The ring of pictures on the card, with what the world knows of each picture.
///
/// Unchecked: one simulation is one thread.
final class Album: @unchecked Sendable {
    /// Small, so that it comes round within days.
    static let shape: PictureShape = {
        guard let shape = PictureShape(megabytes: 1, count: 48) else {
            preconditionFailure("a megabyte has room for 48 pictures")
        }
        return shape
    }()

    private(set) var card = SimulatedBlockStorage(
        blockSize: PictureShape.blockSize,
        blockCount: shape.blockCount
    )
    /// Pictures that the camera gave; the number of the last one.
    private(set) var givenCount = 0
    /// Whether a masked time held when the last one was taken.
    var isLastMasked = false

    /// The next picture of the camera.
    func next() -> [UInt8] {
        givenCount += 1
        return Self.picture(givenCount)
    }

    /// The bytes of a picture of the camera, by its number.
    static func picture(_ number: Int) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(number))
        let count = 500 + random.index(shape.pictureMax - 500)
        let head = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return head + (8..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// Returns the number of the picture with these bytes; nil for no picture or part of one.
    static func number(of bytes: [UInt8]) -> Int? {
        let number = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard number > 0, number < 1 << 40, picture(number) == bytes else { return nil }
        return number
    }

    /// The card after the power was gone.
    func cutPower(seed: UInt64) {
        card = card.afterPowerCut(.someSectors(seed: seed))
    }
}
