import HardwareIO

/// Forms that a name may have; the schema has a pattern for each.
enum IdentifierForm {
    case identifier, channel, usbID, interface, glob, group, device
    case address, byte, content, kernelName, overlay

    /// Describes the form that is required when `text` does not have it; otherwise nil.
    func complaint(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        switch self {
        case .identifier:
            let isPlain = bytes.allSatisfy { Self.isLower($0) || Self.isDigit($0) || $0 == 0x2D }
            guard isPlain, bytes.first.map({ $0 != 0x2D }) == true, bytes.last != 0x2D else {
                return "lower-case letters, digits and hyphens between them"
            }
        case .channel:
            let isPlain = bytes.allSatisfy { Self.isLower($0) || Self.isDigit($0) || $0 == 0x5F }
            guard isPlain, bytes.first.map(Self.isLower) == true else {
                return "a lower-case letter, then lower-case letters, digits and underscores"
            }
        case .usbID: guard bytes.count == 4, isHexadecimal(bytes) else { return "four of 0…9, a…f" }
        case .interface:
            guard bytes.count == 2, isHexadecimal(bytes) else { return "two of 0…9, a…f" }
        case .glob:
            let others = Array("#+.:=@_*-".utf8)
            guard bytes.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || others.contains($0) })
            else { return "letters, digits, #+.:=@_- and * for any number of characters" }
        case .group:
            let isPlain = bytes.allSatisfy {
                Self.isLower($0) || Self.isDigit($0) || $0 == 0x2D || $0 == 0x5F
            }
            guard isPlain, bytes.first.map(Self.isLower) == true else { return "a group's name" }
        case .device:
            let tail = bytes.dropFirst(5)
            guard text.hasPrefix("/dev/"), !tail.isEmpty,
                tail.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || $0 == 0x2F })
            else { return "a path below /dev" }
        case .address:
            guard I2CFacts.address(text) != nil else { return "an address 0x08…0x77" }
        case .byte: guard I2CFacts.byte(text) != nil else { return "a byte such as 0xd0" }
        case .content:
            let isPlain = bytes.allSatisfy { isHexadecimal([$0]) || $0 == 0x2E }
            guard isPlain, [2, 4].contains(bytes.count) else {
                return "2 or 4 of 0…9, a…f and . for any of them"
            }
        case .kernelName:
            guard BusPart.isName(text) else { return "a name of the kernel's, such as bme280" }
        case .overlay:
            let others = Array(",=_-".utf8)
            let tail = bytes.dropFirst(11)
            guard text.hasPrefix("dtoverlay="), bytes.count > 10, Self.isLower(bytes[10]),
                tail.allSatisfy({
                    Self.isLower($0) || Self.isDigit($0) || others.contains($0)
                })
            else { return "a line such as dtoverlay=w1-gpio" }
        }
        return nil
    }

    /// The text as it was probably meant.
    func suggestion(_ text: String) -> String? {
        let tidy = String(text.lowercased().map { $0 == " " || $0 == "_" ? "-" : $0 })
        let candidate =
            switch self {
            case .identifier: tidy
            case .channel: String(tidy.map { $0 == "-" ? "_" : $0 }.filter { $0 != "." })
            case .usbID, .interface, .group:
                String(text.lowercased().trimmingPrefix("0x"))
            case .address, .byte, .content, .kernelName: text.lowercased()
            case .glob, .device, .overlay: ""
            }
        return !candidate.isEmpty && complaint(candidate) == nil ? candidate : nil
    }

    private func isHexadecimal(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { Self.isDigit($0) || (0x61...0x66).contains($0) }
    }

    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        isLower(byte) || (0x41...0x5A).contains(byte)
    }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension ObjectReader {
    /// A text of 1…`limit` characters, and of a form when one is wanted.
    mutating func text(_ key: String, limit: Int, _ form: IdentifierForm? = nil) -> String? {
        guard let value = value(key) else { return nil }
        return checked(value, path(key), limit: limit, form)
    }

    mutating func requiredText(
        _ key: String,
        limit: Int,
        _ form: IdentifierForm? = nil
    ) -> String? {
        if value(key) == nil { problem(key, "is missing") }
        return text(key, limit: limit, form)
    }

    mutating func required(_ key: String, in allowed: [String]) -> String? {
        if value(key) == nil { problem(key, "is missing") }
        return string(key, in: allowed)
    }

    /// At most `limit` different texts of 1…`length` characters.
    mutating func texts(
        _ key: String,
        limit: Int,
        length: Int,
        _ form: IdentifierForm? = nil
    ) -> [String] {
        var texts: [String] = []
        for (index, value) in array(key, limit: limit).enumerated() {
            let place = path("\(key)[\(index)]")
            guard let text = checked(value, place, limit: length, form) else { continue }
            if texts.contains(text) { problem("\(key)[\(index)]", "is there already") }
            texts.append(text)
        }
        return texts
    }

    mutating func requiredBool(_ key: String) -> Bool? {
        if value(key) == nil { problem(key, "is missing") }
        return bool(key)
    }

    mutating func requiredSeconds(_ key: String, in range: ClosedRange<Double>) -> Duration? {
        if value(key) == nil { problem(key, "is missing") }
        return seconds(key, in: range)
    }

    mutating func requiredWhole(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = value(key) else {
            problem(key, "is missing")
            return nil
        }
        guard case .number(let number) = value, let integer = Int(exactly: number),
            range.contains(integer)
        else {
            let (low, high) = (range.lowerBound, range.upperBound)
            problem(key, "expected a whole number \(low)…\(high), found \(value.shown)")
            return nil
        }
        return integer
    }

    private func checked(
        _ value: JSONValue,
        _ place: String,
        limit: Int,
        _ form: IdentifierForm?
    ) -> String? {
        let key = self.place.isEmpty ? place : String(place.dropFirst(self.place.count + 1))
        guard case .string(let text) = value else {
            problem(key, "expected a text, found \(value.shown)")
            return nil
        }
        if let complaint = form?.complaint(text) {
            problem(
                key,
                "expected \(complaint), found \(value.shown)",
                meant: form?.suggestion(text)
            )
            return nil
        }
        guard (1...limit).contains(text.unicodeScalars.count) else {
            problem(key, "expected 1 to \(limit) characters of text")
            return nil
        }
        return text
    }
}
