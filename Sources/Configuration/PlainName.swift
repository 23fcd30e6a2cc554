import HardwareIO
import Profiles

/// The names of stations and devices; they are used in file names, queries and commands.
package enum PlainName {
    /// The form of a name, as text.
    package static let form = "1 to 64 letters, digits, - _ or ., neither - nor . the first"

    /// Whether a text has `form`; without it, `..` would be another folder and `-x` an option.
    package static func fits(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && !text.hasPrefix(".") && !text.hasPrefix("-")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Names that parts of the station have already.
    package static let reserved = [
        "alerts", "control", "detection", "devices", "health", "hotplug", "lights", "mode", "store",
        "supervisor",
    ]
}

extension ObjectReader {
    /// A name that can be used in file names and queries.
    mutating func name(_ key: String) -> String? {
        guard let text = string(key) else { return nil }
        guard PlainName.fits(text) else {
            let form = PlainName.form
            problem(key, "expected \(form), found \"\(PlainText.shown(text))\"")
            return nil
        }
        return text
    }
}
