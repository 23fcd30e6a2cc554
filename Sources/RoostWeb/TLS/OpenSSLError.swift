import COpenSSL

/// An error of OpenSSL, as its text.
struct OpenSSLError: Error, Hashable, CustomStringConvertible {
    let description: String

    /// Reads the last error of this thread.
    init() {
        var words = [CChar](repeating: 0, count: 256)
        copenssl_reason(&words, words.count)
        let text = OpenSSLText.string(words)
        description = text.isEmpty ? "OpenSSL gives no reason" : text
    }
}

/// Texts from C.
enum OpenSSLText {
    /// A buffer up to its zero.
    static func string(_ buffer: [CChar]) -> String {
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text that a function writes into a buffer of the largest size.
    ///
    /// - Throws: `OpenSSLError` when it returns a negative count.
    static func pem(
        _ write: (UnsafeMutablePointer<CChar>?, Int) -> Int
    ) throws(OpenSSLError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(COPENSSL_PEM_MAX))
        guard write(&buffer, buffer.count) >= 0 else { throw OpenSSLError() }
        return string(buffer)
    }
}
