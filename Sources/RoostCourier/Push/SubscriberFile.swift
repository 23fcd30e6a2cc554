import Core

/// The lines of `subscribers.data`, each with one encrypted subscriber.
///
/// A line has the hexadecimal digits of 12 bytes of nonce, the encrypted text and 16 bytes of tag
/// (AES-256-GCM).
///
/// - Source: harr1424/Indoor-Air-Quality, `tokens.data` and `key.key`.
package enum SubscriberFile {
    static let keySize = 32
    /// Bytes of a line: an endpoint, two keys and the rest as digits.
    static let lineLimit = 4_096
    /// Subscribers that are kept at most.
    package static let limit = 10_000
    /// Bytes of the file.
    static let byteLimit = limit * 1_200

    /// A line that is not used.
    package struct Fault: Hashable, Sendable, CustomStringConvertible {
        /// Number of the line, from 1.
        package let line: Int
        package let why: String

        package var description: String { "line \(line): \(why)" }
    }

    /// Encrypts a subscriber into a line.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes, never twice with one key; nil takes random ones.
    /// - Returns: Hexadecimal digits.
    static func line(
        of subscriber: Subscriber,
        key: [UInt8],
        nonce: [UInt8]? = nil
    ) throws(CryptoFailure) -> String {
        let nonce = if let nonce { nonce } else { try CourierCrypto.random(12) }
        let plain = Array(subscriber.plain.utf8)
        return Hexadecimal.text(nonce + (try CourierCrypto.seal(plain, key: key, nonce: nonce)))
    }

    /// Decrypts one line.
    ///
    /// - Throws: `Fault` without the line's content.
    static func subscriber(
        in line: some StringProtocol,
        key: [UInt8],
        number: Int
    ) throws(Fault) -> Subscriber {
        guard line.utf8.count <= lineLimit else {
            throw Fault(line: number, why: "it has more than \(lineLimit) digits")
        }
        guard let bytes = Hexadecimal.bytes(String(line)) else {
            throw Fault(line: number, why: "it is not hexadecimal digits")
        }
        guard bytes.count > 28 else { throw Fault(line: number, why: "it is too short") }
        let plain: [UInt8]
        do {
            plain = try CourierCrypto.unseal(
                Array(bytes.dropFirst(12)),
                key: key,
                nonce: Array(bytes.prefix(12))
            )
        } catch {
            throw Fault(line: number, why: "it was changed, or written with another key")
        }
        guard let text = String(validating: plain, as: UTF8.self) else {
            throw Fault(line: number, why: "it holds no text")
        }
        do throws(PushMistake) { return try Subscriber(plain: text) } catch {
            throw Fault(line: number, why: error.description)
        }
    }

    /// Reads all lines of a file.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    /// - Returns: Each subscriber with its line, the newest of equal ones, at most
    ///   `limit`; and the lines that are not used.
    package static func read(
        _ bytes: [UInt8],
        key: [UInt8]
    ) -> (found: [(subscriber: Subscriber, line: String)], faults: [Fault]) {
        var (places, found) = ([String: Int](), [(subscriber: Subscriber, line: String)]())
        var faults: [Fault] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            let text = String(decoding: raw, as: UTF8.self).trimming()
            guard !text.isEmpty else { continue }
            do throws(Fault) {
                let subscriber = try Self.subscriber(in: text, key: key, number: index + 1)
                if let place = places[subscriber.address] {
                    found[place] = (subscriber, text)
                } else if found.count < limit {
                    places[subscriber.address] = found.count
                    found.append((subscriber, text))
                } else {
                    let why = "there are \(limit) before it, which is the limit"
                    throw Fault(line: index + 1, why: why)
                }
            } catch { faults.append(error) }
        }
        return (found, faults)
    }

    /// Joins lines into the bytes of the file.
    package static func bytes(_ lines: [String]) -> [UInt8] {
        lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
    }
}

extension SubscriberFile.Fault: Error {}
