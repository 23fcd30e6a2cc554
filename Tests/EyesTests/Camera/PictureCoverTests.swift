import CCamera
import Glibc
import TestSupport
import Testing

@testable import Eyes

/// Parts of real pictures are black, as an independent decoder sees them.
@Suite struct PictureCoverTests {
    /// Pixels of a decoded picture, one byte of brightness and colour each.
    private struct Pixels {
        let width: Int
        let height: Int
        /// Red, green and blue, in rows.
        let bytes: [UInt8]

        /// Brightest component of a pixel.
        func light(_ column: Int, _ row: Int) -> UInt8 {
            let at = (row * width + column) * 3
            return bytes[at..<(at + 3)].max() ?? 0
        }
    }

    /// The system's libturbojpeg, as its header declares it.
    private struct Decoder {
        typealias Begin = @convention(c) () -> OpaquePointer?
        typealias Decompress =
            @convention(c) (
                OpaquePointer, UnsafePointer<UInt8>, UInt, UnsafeMutablePointer<UInt8>, Int32,
                Int32, Int32, Int32, Int32
            ) -> Int32
        typealias End = @convention(c) (OpaquePointer) -> Int32

        private let begin: Begin
        private let decompress: Decompress
        private let end: End

        init() throws {
            let library = try #require(dlopen("libturbojpeg.so.0", RTLD_NOW))
            begin = unsafeBitCast(try #require(dlsym(library, "tjInitDecompress")), to: Begin.self)
            end = unsafeBitCast(try #require(dlsym(library, "tjDestroy")), to: End.self)
            decompress = unsafeBitCast(
                try #require(dlsym(library, "tjDecompress2")),
                to: Decompress.self
            )
        }

        /// Decodes a picture of this size to red, green and blue.
        func pixels(_ picture: [UInt8]) throws -> Pixels {
            let (width, height) = try #require(JPEGFrame.size(of: picture))
            var bytes = [UInt8](repeating: 0, count: width * height * 3)
            let one = try #require(begin())
            defer { _ = end(one) }
            let (count, row) = (UInt(picture.count), Int32(width * 3))
            let code = decompress(
                one,
                picture,
                count,
                &bytes,
                Int32(width),
                row,
                Int32(height),
                0,
                0
            )
            #expect(code == 0)
            return Pixels(width: width, height: height, bytes: bytes)
        }
    }

    /// A coloured pattern without a dark place.
    private static func picture(
        width: Int = 320,
        height: Int = 240,
        quality: Int32 = 90
    ) throws -> [UInt8] {
        var pixels: [UInt8] = []
        for row in 0..<height {
            for column in 0..<(width / 2) {
                let light = UInt8(150 + (row * 3 + column * 7) % 100)
                pixels += [light, UInt8(90 + column % 70), light - 9, UInt8(100 + row % 60)]
            }
        }
        var (made, size) = (UnsafeMutablePointer<UInt8>?.none, 0)
        let (wide, high) = (UInt32(width), UInt32(height))
        try #require(ccamera_jpeg(pixels, wide, high, wide * 2, quality, &made, &size) == 0)
        defer { ccamera_free(made) }
        return Array(UnsafeBufferPointer(start: made, count: size))
    }

    private static func cover(_ texts: String...) throws -> PictureCover {
        PictureCover(try texts.map { try #require(PictureCover.Area($0)) })
    }

    @Test(arguments: [(320, 240, 90), (330, 250, 30), (1_280, 720, 80), (16, 16, 100)])
    func whatIsCoveredIsBlackAndTheRestIsAsItWas(
        _ width: Int,
        _ height: Int,
        _ quality: Int
    ) throws {
        let decoder = try Decoder()
        let picture = try Self.picture(width: width, height: height, quality: Int32(quality))
        let before = try decoder.pixels(picture)
        let cover = try Self.cover("0 600 300 400", "501 0 499 333")
        let after = try decoder.pixels(try cover.covering(picture))
        #expect((after.width, after.height) == (width, height))
        var (bright, changed, kept) = (0, 0, 0)
        for row in 0..<height {
            for column in 0..<width {
                let isWithin = cover.areas.contains { $0.has(column, row, width, height) }
                if isWithin, after.light(column, row) > 24 { bright += 1 }
                // A block has 16 × 8 pixels, and its colour shines a pixel further.
                let isNear = cover.areas.contains { area in
                    area.has(column, row, width, height, beyond: (17, 9))
                }
                guard !isNear else { continue }
                kept += 1
                if after.light(column, row) != before.light(column, row) { changed += 1 }
            }
        }
        #expect(bright == 0, "of \(width * height)")
        #expect(changed == 0 && (kept > 0 || width == 16))
    }

    @Test func theWholePictureCanBeCovered() throws {
        let pixels = try Decoder().pixels(
            try Self.cover("0 0 1000 1000").covering(try Self.picture())
        )
        #expect(pixels.bytes.allSatisfy { $0 < 16 })
    }

    /// Cameras put a small picture of the whole into theirs.
    @Test func nothingElseOfTheFileIsLeft() throws {
        var picture = try Self.picture()
        let small = Array("EXIF-SMALL-PICTURE".utf8)
        let segment = [0xFF, 0xE1, 0, UInt8(small.count + 2)] + small
        picture.insert(
            contentsOf: segment + [0xFF, 0xFE, 0, UInt8(small.count + 2)] + small,
            at: 2
        )
        picture += try Self.picture()
        let covered = try Self.cover("0 0 100 100").covering(picture)
        let text = String(decoding: covered, as: UTF8.self)
        #expect(!text.contains("EXIF-SMALL"))
        #expect(covered.count < picture.count / 3 * 2 && CaptureProgram.isJPEG(covered))
    }

    @Test func withoutPartsAPicturePassesAsItIs() throws {
        #expect(try PictureCover().covering([1, 2, 3]) == [1, 2, 3])
    }

    @Test func whatCannotBeCoveredIsNoPicture() throws {
        let cover = try Self.cover("0 0 10 10")
        let good = try Self.picture()
        // The stand-in of other tests: the marks of a JPEG, and no picture.
        var bad: [[UInt8]] = [[], [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0x55, 0xFF, 0xD9]]
        bad.append(Array(good.prefix(200)))
        for bytes in bad {
            #expect(throws: CaptureError.uncovered(EINVAL)) { try cover.covering(bytes) }
        }
        var large = good
        let marker = large.indices.first { large[$0] == 0xFF && large[$0 + 1] == 0xC0 }
        let frame = try #require(marker)
        large.replaceSubrange((frame + 5)..<(frame + 9), with: [0x40, 0, 0x40, 0])
        #expect(throws: CaptureError.uncovered(EFBIG)) { try cover.covering(large) }
    }

    @Test func noBytesTrapIt() throws {
        let (cover, good) = (try Self.cover("100 100 500 500"), try Self.picture(width: 64))
        var state: UInt64 = 7
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0..<(1 + random(8)) { bytes[random(bytes.count)] = UInt8(random(256)) }
            let covered = try? cover.covering(Array(bytes.prefix(random(bytes.count + 1))))
            #expect(covered.map(CaptureProgram.isJPEG) != false)
        }
    }

    @Test func aProgramsPictureIsCoveredBeforeAnythingSeesIt() throws {
        let folder = try TestFolder()
        let path = folder.path("one.jpg")
        let file = try #require(fopen(path, "w"))
        let picture = try Self.picture()
        #expect(fwrite(picture, 1, picture.count, file) == picture.count && fclose(file) == 0)
        let program = CaptureProgram(
            ["cat", path],
            limit: .seconds(20),
            byteMax: 1 << 20,
            cover: try Self.cover("0 0 1000 500")
        )
        let pixels = try Decoder().pixels(try program.run())
        #expect(pixels.light(160, 60) < 16 && pixels.light(160, 200) > 100)
    }

    @Test func aRectangleLiesWithinThePicture() {
        let all = ["0 0 1000 1000", " 0  600 300 400", "999 999 1 1"]
        #expect(all.allSatisfy { PictureCover.Area($0) != nil })
        let none = [
            "", "1 2 3", "1 2 3 4 5", "0 0 0 10", "0 0 10 0", "1 0 1000 10", "0 601 10 400",
            "-1 0 10 10", "a b c d", "0.5 0 10 10", "70000 0 1 1",
        ]
        #expect(none.allSatisfy { PictureCover.Area($0) == nil })
        #expect(PictureCover.Area(" 0  600 300 400")?.description == "0 600 300 400")
    }
}

extension PictureCover.Area {
    /// Whether a pixel of a picture is within it, or some pixels beyond.
    fileprivate func has(
        _ column: Int,
        _ row: Int,
        _ width: Int,
        _ height: Int,
        beyond: (Int, Int) = (0, 0)
    ) -> Bool {
        let (first, last) = (left * width / 1_000, ((left + self.width) * width + 999) / 1_000)
        let (upper, lower) = (top * height / 1_000, ((top + self.height) * height + 999) / 1_000)
        return column >= first - beyond.0 && column < last + beyond.0
            && row >= upper - beyond.1 && row < lower + beyond.1
    }
}
