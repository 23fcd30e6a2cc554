import Provisioning

@testable import Doctor

extension Ailments {
    /// Ailments of a station that runs from an image.
    static let image = [
        Ailment(
            check: "image-root",
            verdict: .warning,
            words: "root 2, version 0.2.0, can be written",
            next: "sudo reboot"
        ) { $0.runFromImage() },
        Ailment(
            check: "image-data",
            verdict: .failure,
            words: "lost with the power",
            next: "replace the card",
            others: ["image-root"]
        ) {
            $0.runFromImage()
            $0.files["/run/roost-data-on"] = "memory\n"
        },
        Ailment(
            check: "image-start",
            verdict: .warning,
            words: "wrong with the card",
            next: "replace the card",
            others: ["image-root"]
        ) {
            $0.runFromImage()
            $0.files["/run/roost-start.said"] = "The data partition was damaged and is repaired.\n"
        },
        Ailment(
            check: "image-files",
            verdict: .note,
            words: "said something",
            next: "correct the files",
            others: ["image-root"]
        ) {
            $0.runFromImage()
            $0.files["/run/roost-said.txt"] = "What.\r\n\r\nstation.txt, line 2: wrong.\r\n"
        },
        Ailment(
            check: "image-boot",
            verdict: .failure,
            words: "the boot partition lacks u-boot.bin and boot.scr",
            next: "copy them",
            others: ["image-root"]
        ) {
            $0.runFromImage()
            $0.files["/boot/firmware/u-boot.bin"] = nil
            $0.files["/boot/firmware/boot.scr"] = ""
        },
    ]
}

extension MadeUpMachine {
    fileprivate mutating func runFromImage() {
        files["/usr/lib/roost/image.json"] = #"{"version":"0.2.0"}"#
        files["/run/roost-slot"] = "2\n"
        files["/run/roost-data-on"] = "card\n"
        files["/boot/firmware/slot.txt"] = "slot=2\n"
        for name in BootFiles.names where name != "config.txt" {
            files["/boot/firmware/\(name)"] = "content"
        }
    }
}
