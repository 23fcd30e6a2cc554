/// The udev rules that go with a profile: who may open its port, and who keeps away from it.
///
/// A rule matches adapters, so it sets properties of the port alone: many sensors share one
/// adapter's id, and only a probe can find out which of them is there. A rule never runs a program.
///
/// - Source: udev(7); systemd's `60-serial.rules`, which gives `ID_PATH` and `.ID_PORT`;
///   ModemManager, *Common udev tags*; brltty 6.5, `usb-template.rules`.
package enum UdevRule {
    /// Where the links are, below `/dev`; the port's `ID_PATH` follows.
    static let linkPrefix = "roost/port-"
    /// The file that undoes what brltty's rules do; those are numbered 85 to 90.
    package static let braillePath = "99-roost-brltty.rules"

    /// `70-nova-sds011.rules`: behind `60-serial.rules`, of which it needs the properties.
    package static func fileName(_ profile: Profile) -> String { "70-\(profile.id).rules" }

    /// All files of a catalog by name, in order.
    package static func files(_ profiles: [Profile]) -> [(name: String, text: String)] {
        let ruled = profiles.filter { $0.rule != nil && !$0.matches.isEmpty }
        let files = ruled.compactMap { profile in
            text(profile).map { (name: fileName(profile), text: $0) }
        }
        guard !ruled.isEmpty else { return [] }
        return files + [(name: braillePath, text: braille(ruled))]
    }

    /// The rules of one profile; nil when it has none.
    package static func text(_ profile: Profile) -> String? {
        guard let rule = profile.rule, !profile.matches.isEmpty else { return nil }
        let label = "roost_" + String(profile.id.map { $0 == "-" ? "_" : $0 })
        var lines = [
            "# \(profile.name)",
            "# Made by `roost profiles rules` from the profile \(profile.id); do not edit.",
            "",
            "ACTION==\"remove\", GOTO=\"\(label)_end\"",
            "SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", GOTO=\"\(label)_usb\"",
            "SUBSYSTEM!=\"tty\", GOTO=\"\(label)_end\"",
            "KERNEL!=\"ttyUSB[0-9]*|ttyACM[0-9]*\", GOTO=\"\(label)_end\"",
            "",
            "# The link names the socket; an adapter's second port says which it is.",
            "ENV{.ROOST_PORT}=\"\"",
            "ENV{.ID_PORT}==\"?*\", ENV{.ID_PORT}!=\"0\", "
                + "ENV{.ROOST_PORT}=\"-port$env{.ID_PORT}\"",
        ]
        for (vendorID, productID) in ids([profile]) {
            lines.append(
                [
                    #"ENV{ID_VENDOR_ID}=="\#(vendorID)""#, #"ENV{ID_MODEL_ID}=="\#(productID)""#,
                    #"ENV{ID_PATH}=="?*""#, #"GROUP="\#(rule.group)""#, #"MODE="0660""#,
                    #"ENV{ID_MM_PORT_IGNORE}="1""#,
                    #"SYMLINK+="\#(linkPrefix)$env{ID_PATH}$env{.ROOST_PORT}""#,
                    #"TAG+="systemd""#,
                ].joined(separator: ", ")
            )
        }
        lines += ["GOTO=\"\(label)_end\"", "", "LABEL=\"\(label)_usb\""]
        for (vendorID, productID) in ids([profile]) {
            lines.append(
                #"ATTR{idVendor}=="\#(vendorID)", ATTR{idProduct}=="\#(productID)", "#
                    + #"ENV{ID_MM_DEVICE_IGNORE}="1""#
            )
        }
        lines += ["", "LABEL=\"\(label)_end\"", ""]
        return lines.joined(separator: "\n")
    }

    /// Keeps brltty from claiming the adapters.
    ///
    /// Its rules, up to version 6.5, hold these ids for braille displays, assign the driver and ask
    /// systemd for a service, so only a later rule can undo that.
    private static func braille(_ profiles: [Profile]) -> String {
        var lines = [
            "# Keeps brltty away from adapters that sensors use: it would claim their ports.",
            "# Made by `roost profiles rules`; do not edit. Remove it to use a braille display.",
            "",
            #"SUBSYSTEM!="usb", GOTO="roost_brltty_end""#,
            #"ENV{DEVTYPE}!="usb_device", GOTO="roost_brltty_end""#,
            #"ENV{BRLTTY_BRAILLE_DRIVER}!="?*", GOTO="roost_brltty_end""#,
            "",
        ]
        lines += ids(profiles).map { vendorID, productID in
            #"ATTR{idVendor}=="\#(vendorID)", ATTR{idProduct}=="\#(productID)", "#
                + #"ENV{BRLTTY_BRAILLE_DRIVER}="", ENV{BRLTTY_BRAILLE_DEVICE}="", "#
                + #"ENV{SYSTEMD_WANTS}="""#
        }
        lines += ["", #"LABEL="roost_brltty_end""#, ""]
        return lines.joined(separator: "\n")
    }

    /// Each pair of ids once, in order of first mention.
    private static func ids(_ profiles: [Profile]) -> [(String, String)] {
        var seen: Set<String> = []
        return profiles.flatMap(\.matches)
            .filter { seen.insert("\($0.vendorID):\($0.productID)").inserted }
            .map { ($0.vendorID, $0.productID) }
    }
}
