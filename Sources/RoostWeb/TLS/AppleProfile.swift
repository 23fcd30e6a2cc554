/// A configuration profile that offers the station's authority to iOS, iPadOS and macOS.
///
/// - Source: Apple, *Configuration Profile Reference*, Certificate Root Payload.
struct AppleProfile {
    let station: String
    let pem: String
    let fingerprint: String

    var text: String {
        let name = Self.escaped(station)
        let mark = fingerprint.filter { $0 != ":" }.lowercased()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>PayloadType</key><string>Configuration</string>
            <key>PayloadVersion</key><integer>1</integer>
            <key>PayloadIdentifier</key><string>roost.authority.\(mark.prefix(16))</string>
            <key>PayloadUUID</key><string>\(Self.uuid(mark.prefix(32)))</string>
            <key>PayloadDisplayName</key><string>\(name) (Roost)</string>
            <key>PayloadDescription</key><string>Lets this device trust the encrypted page of \
            \(name), and nothing else.</string>
            <key>PayloadContent</key><array><dict>
            <key>PayloadType</key><string>com.apple.security.root</string>
            <key>PayloadVersion</key><integer>1</integer>
            <key>PayloadIdentifier</key><string>roost.authority.\(mark.prefix(16)).root</string>
            <key>PayloadUUID</key><string>\(Self.uuid(mark.suffix(32)))</string>
            <key>PayloadDisplayName</key><string>\(name) (Roost)</string>
            <key>PayloadContent</key><data>\(PEM.body(pem))</data>
            </dict></array>
            </dict></plist>

            """
    }

    /// 32 hexadecimal digits in the groups of a UUID.
    private static func uuid(_ digits: Substring) -> String {
        var (text, rest) = ("", digits)
        for count in [8, 4, 4, 4, 12] {
            text += (text.isEmpty ? "" : "-") + rest.prefix(count)
            rest = rest.dropFirst(count)
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(character)
            }
        }.joined()
    }
}
