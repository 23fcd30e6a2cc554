/// One message on the socket of the live picture: a frame, or the state of the picture.
///
/// On the wire: a byte, `F` or `S`, the length of what follows in four bytes, little-endian, and
/// the JPEG or a `LivePictureReport` as JSON. A client sends nothing; being connected is its
/// request.
package enum LivePictureMessage: Hashable, Sendable {
    case frame([UInt8])
    case state(LivePictureReport)

    /// Where `roost-eyes` listens.
    package static let standardSocket = "/run/roost-eyes/live.sock"
    /// Bytes of a frame, at most.
    package static let frameMax = 2 << 20
    package static let headSize = 5

    /// Reads a header: whether a frame follows, and its length in bytes; nil if it is not one.
    package static func head(_ bytes: some Collection<UInt8>) -> (isFrame: Bool, count: Int)? {
        guard bytes.count == headSize, let kind = bytes.first,
            kind == UInt8(ascii: "F") || kind == UInt8(ascii: "S")
        else { return nil }
        let count = bytes.dropFirst().reversed().reduce(0) { $0 << 8 | Int($1) }
        return count <= frameMax ? (kind == UInt8(ascii: "F"), count) : nil
    }

    /// Reads the bytes behind a header; nil for a state that cannot be read.
    package init?(isFrame: Bool, _ bytes: [UInt8]) {
        guard !isFrame else {
            self = .frame(bytes)
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let report = try? ControlCodec.message(LivePictureReport.self, from: text) else {
            return nil
        }
        self = .state(report)
    }

    package func encoded() throws -> [UInt8] {
        let (kind, body): (UInt8, [UInt8]) =
            switch self {
            case .frame(let bytes): (UInt8(ascii: "F"), bytes)
            case .state(let report): (UInt8(ascii: "S"), Array(try ControlCodec.line(report).utf8))
            }
        let count = UInt32(body.count).littleEndian
        return [kind] + withUnsafeBytes(of: count) { Array($0) } + body
    }
}
