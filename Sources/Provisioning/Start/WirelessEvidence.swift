/// Evidence of wpa_supplicant and `iw` about one network.
///
/// Both write a byte of a name that is no plain character as `\x1b`, so a name ends no line, and
/// what is said about another network is not taken for this one.
///
/// - Source: wpa_supplicant 2.10, `printf_encode` and `wpa_ctrl.h`; iw 6.9, `print_ssid_escaped`.
package struct WirelessEvidence: Hashable, Sendable {
    /// Networks in range that are kept; those beyond are left out.
    private static let nameCountMax = 512

    /// The station is in the network now.
    private(set) var isJoined = false
    /// Whether the network refused the password since the station was in it last.
    private(set) var deniesPassword = false
    /// Names in range, as bytes.
    private(set) var namesInRange: Set<[UInt8]> = []

    /// - Parameters:
    ///   - text: Lines of wpa_supplicant's log, oldest first, of `wpa_cli status` and of
    ///     `iw dev wlan0 scan dump`.
    ///   - name: The network's, as bytes.
    init(_ text: String, of name: [UInt8]) {
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            receive(line, name)
        }
    }

    private mutating func receive(_ line: Substring.UTF8View, _ name: [UInt8]) {
        if line.elementsEqual("wpa_state=COMPLETED".utf8) { isJoined = true }
        if let rest = line.after("\tSSID: ") {
            guard namesInRange.count < Self.nameCountMax else { return }
            namesInRange.insert(Self.unescaped(rest).name)
            return
        }
        // As `wlan0: CTRL-EVENT-…`.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let event = line[colon...].after(": ")
        else { return }
        if event.after("CTRL-EVENT-CONNECTED ") != nil {
            deniesPassword = false
        } else if let rest = event.after("CTRL-EVENT-SSID-TEMP-DISABLED id=") {
            if Self.deniesPassword(rest, name) { deniesPassword = true }
        } else if let rest = event.after("CTRL-EVENT-AUTH-REJECT ") {
            // WPA3: the second message of SAE shows that the other side has another password.
            let words = Set(rest.split(separator: UInt8(ascii: " ")).map { String($0) ?? "" })
            if words.isSuperset(of: ["auth_type=3", "auth_transaction=2"]) {
                deniesPassword = true
            }
        }
    }

    /// Whether `0 ssid="home" auth_failures=1 duration=10 reason=WRONG_KEY` is about the network.
    private static func deniesPassword(_ rest: Substring.UTF8View, _ name: [UInt8]) -> Bool {
        guard let space = rest.firstIndex(of: UInt8(ascii: " ")),
            let quoted = rest[space...].after(" ssid=\"")
        else { return false }
        let (found, end) = unescaped(quoted, upTo: UInt8(ascii: "\""))
        guard found == name else { return false }
        return quoted[end...].split(separator: UInt8(ascii: " "))
            .contains { $0.elementsEqual("reason=WRONG_KEY".utf8) }
    }

    /// The bytes of a name that a program wrote with escapes.
    package static func name(escaped text: Substring) -> [UInt8] { unescaped(text.utf8).name }

    /// Decodes an escaped name, and returns where its escaped text ends.
    ///
    /// What is no such escape stays as it is.
    static func unescaped(
        _ text: Substring.UTF8View,
        upTo end: UInt8? = nil
    ) -> (name: [UInt8], end: Substring.UTF8View.Index) {
        var (name, index) = ([UInt8](), text.startIndex)
        while index < text.endIndex, text[index] != end {
            let rest = text[text.index(after: index)...]
            guard text[index] == UInt8(ascii: "\\"), let letter = rest.first else {
                name.append(text[index])
                index = rest.startIndex
                continue
            }
            let pair = rest.dropFirst().prefix(2)
            let digits = String(decoding: pair, as: UTF8.self)
            if letter == UInt8(ascii: "x"), pair.count == 2, digits.allSatisfy(\.isHexDigit),
                let byte = UInt8(digits, radix: 16)
            {
                name.append(byte)
                index = pair.endIndex
            } else if let byte = letters[letter] {
                name.append(byte)
                index = rest.index(after: rest.startIndex)
            } else {
                name.append(text[index])
                index = rest.startIndex
            }
        }
        return (name, index)
    }

    private static let letters: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "e"): 0x1B,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]
}

extension Substring.UTF8View {
    /// Returns the bytes behind `start`; nil where the text does not begin with it.
    fileprivate func after(_ start: String) -> Self? {
        starts(with: start.utf8) ? dropFirst(start.utf8.count) : nil
    }
}
