import ControlProtocol
import Profiles

/// `eyes.json` with what the owner set written into it: a file for another card, without passwords.
///
/// A program whose words hold an address with a name or a password stays here as a whole: a part of
/// its words would be another program.
struct ExportedCamera {
    let file: ExportedFile

    /// - Parameters:
    ///   - merged: The members of the file, with the owner's behind them.
    ///   - choosesCamera: Whether they name a camera or a program.
    /// - Throws: `ConfigurationError` for a file that could not be read again.
    init(
        _ merged: [String: JSONValue],
        choosesCamera: Bool
    ) throws(ConfigurationError) {
        var (values, leftOut) = (merged, [String]())
        // A camera without a device is any in a file, and none of the owner's.
        if !choosesCamera, values["camera"] != nil {
            values["camera"] = nil
            leftOut.append("camera: no camera is chosen")
        }
        let reason = "a word of it holds a name or password; write it there anew"
        if Self.holdsCredentials(values["command"]) {
            values["command"] = nil
            leftOut.append("command: \(reason)")
        }
        if case .object(var live)? = values["live"], Self.holdsCredentials(live["command"]) {
            live["command"] = nil
            // Without its program it would be another picture, or none that can be read.
            live["isOn"] = .bool(false)
            values["live"] = .object(live)
            leftOut.append("live.command: \(reason), and live.isOn is false until then")
        }
        let (text, name) = (JSONValue.object(values).lines + "\n", "the exported eyes.json")
        _ = try EyesConfiguration.parse(Array(text.utf8), file: name)
        _ = try EyesOverlay().configuration(behind: values, named: name)
        file = ExportedFile(name: "eyes.json", content: text, leftOut: leftOut)
    }

    /// Whether a word of a command holds an address as `rtsp://admin:hunter2@192.168.1.30/1`.
    private static func holdsCredentials(_ command: JSONValue?) -> Bool {
        guard case .array(let words)? = command else { return false }
        return words.contains { word in
            if case .string(let text) = word { holdsCredentials(text) } else { false }
        }
    }

    /// Whether an `@` is in the authority behind any `://`: up to a slash, a quote or a space.
    private static func holdsCredentials(_ text: String) -> Bool {
        let ends = Set("/\"'".utf8)
        var rest = Array(text.utf8)[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[(colon + 1)...]
            guard rest.starts(with: "//".utf8) else { continue }
            let authority = rest.dropFirst(2).prefix { $0 > 0x20 && !ends.contains($0) }
            if authority.contains(UInt8(ascii: "@")) { return true }
        }
        return false
    }
}
