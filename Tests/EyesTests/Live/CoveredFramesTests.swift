import CCamera
import ControlProtocol
import Testing

@testable import Eyes

@Suite struct CoveredFramesTests {
    /// The marks of a JPEG, and no picture.
    private static let bad: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0x55, 0xFF, 0xD9]

    private static func picture() throws -> [UInt8] {
        let pixels = [UInt8](repeating: 128, count: 32 * 32 * 2)
        var (made, size) = (UnsafeMutablePointer<UInt8>?.none, 0)
        try #require(ccamera_jpeg(pixels, 32, 32, 64, 80, &made, &size) == 0)
        defer { ccamera_free(made) }
        return Array(UnsafeBufferPointer(start: made, count: size))
    }

    private static func frames() throws -> CoveredFrames {
        CoveredFrames(PictureCover([try #require(PictureCover.Area("0 0 500 500"))]))
    }

    private static func isFrame(_ outcome: CoveredFrames.Outcome) -> Bool {
        if case .frame = outcome { true } else { false }
    }

    @Test func aBadFrameIsDroppedAndTheNextIsShown() throws {
        var frames = try Self.frames()
        let good = try Self.picture()
        for _ in 0..<(2 * CoveredFrames.failureMax) {
            let dropped = frames.next(Self.bad)
            #expect(dropped == .dropped)
            let shown = frames.next(good)
            #expect(Self.isFrame(shown) && shown != .frame(good), "covered")
        }
    }

    @Test func badFramesInARowEndTheLivePicture() throws {
        var frames = try Self.frames()
        for _ in 1..<CoveredFrames.failureMax {
            let dropped = frames.next(Self.bad)
            #expect(dropped == .dropped)
        }
        let last = frames.next(Self.bad)
        guard case .ended(let why) = last else {
            Issue.record("\(last)")
            return
        }
        #expect(why.contains("cannot be changed"))
        frames.restart()
        let next = frames.next(Self.bad)
        #expect(next == .dropped, "the next program begins anew")
    }

    @Test func framesThatAreTooLargeToCoverEndItAtOnce() throws {
        var frames = try Self.frames()
        var large = try Self.picture()
        let marker = large.indices.dropLast().first { large[$0] == 0xFF && large[$0 + 1] == 0xC0 }
        let place = try #require(marker)
        large.replaceSubrange((place + 5)..<(place + 9), with: [0x40, 0, 0x40, 0])
        let last = frames.next(large)
        guard case .ended(let why) = last else {
            Issue.record("\(last)")
            return
        }
        #expect(why.contains("too large"))
    }

    @Test func aFrameAboveTheLimitOfAMessageIsDropped() {
        var frames = CoveredFrames(PictureCover())
        let large = [UInt8](repeating: 0, count: LivePictureMessage.frameMax + 1)
        let (dropped, shown) = (frames.next(large), frames.next(Self.bad))
        #expect(dropped == .dropped)
        #expect(shown == .frame(Self.bad), "without parts all pass")
    }
}
