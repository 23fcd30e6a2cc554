/// Makes a complete JPEG of a frame as cameras send it.
///
/// Cameras pad a frame behind its end, and many leave out the Huffman tables, which in
/// a stream (MJPEG) are always the same; browsers do not show such a picture.
package enum JPEGFrame {
    /// A whole JPEG with its tables.
    ///
    /// - Returns: Nil when the frame is cut off or no JPEG.
    package static func whole(_ frame: [UInt8]) -> [UInt8]? {
        guard frame.starts(with: [0xFF, 0xD8]), let last = end(of: frame), last > 3 else {
            return nil
        }
        var index = 2
        while index + 4 <= last, frame[index] == 0xFF {
            let marker = frame[index + 1]
            switch marker {
            case 0xC4: return Array(frame[...last])
            case 0xDA:
                var whole = Array(frame[..<index])
                whole += tables
                whole += frame[index...last]
                return whole
            case 0xFF: index += 1
            case 0x00, 0x01, 0xD0...0xD9: return nil
            default:
                let length = Int(frame[index + 2]) << 8 | Int(frame[index + 3])
                guard length >= 2 else { return nil }
                index += 2 + length
            }
        }
        return nil
    }

    /// Width and height that the picture says it has; nil where it says none.
    package static func size(of frame: [UInt8]) -> (width: Int, height: Int)? {
        var index = 2
        while index + 9 <= frame.count, frame[index] == 0xFF {
            let marker = frame[index + 1]
            let length = Int(frame[index + 2]) << 8 | Int(frame[index + 3])
            switch marker {
            case 0xFF: index += 1
            case 0xC0, 0xC1, 0xC2:
                let numbers = frame[(index + 5)..<(index + 9)].map { Int($0) }
                return (numbers[2] << 8 | numbers[3], numbers[0] << 8 | numbers[1])
            case 0x00, 0x01, 0xD0...0xDA: return nil
            default:
                guard length >= 2 else { return nil }
                index += 2 + length
            }
        }
        return nil
    }

    /// Returns the offset of the last end marker's second byte; bytes behind it are no picture.
    private static func end(of frame: [UInt8]) -> Int? {
        var index = frame.count - 1
        while index > 0 {
            if frame[index] == 0xD9, frame[index - 1] == 0xFF { return index }
            index -= 1
        }
        return nil
    }

    /// The segment with the four tables.
    private static let tables: [UInt8] = {
        var bytes: [UInt8] = []
        var rest = standard.utf8[...]
        while let first = rest.popFirst(), let second = rest.popFirst() {
            bytes.append(digit(first) << 4 | digit(second))
        }
        let length = bytes.count + 2
        return [0xFF, 0xC4, UInt8(length >> 8), UInt8(length & 0xFF)] + bytes
    }()

    private static func digit(_ letter: UInt8) -> UInt8 {
        letter < 0x3A ? letter - 0x30 : letter - 0x57
    }

    /// For each table its class and number, how many codes of 1…16 bits it has, and their values.
    ///
    /// - Source: ITU-T T.81, annex K.3, tables K.3 to K.6, as the segment DHT holds them.
    private static let standard = """
        0000010501010101010100000000000000000102030405060708090a0b10000201030302040305050404\
        0000017d01020300041105122131410613516107227114328191a1082342b1c11552d1f0243362728209\
        0a161718191a25262728292a3435363738393a434445464748494a535455565758595a63646566676869\
        6a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8\
        b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa0100\
        030101010101010101010000000000000102030405060708090a0b110002010204040304070504040001\
        0277000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434\
        e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a\
        737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8\
        b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa
        """
}
