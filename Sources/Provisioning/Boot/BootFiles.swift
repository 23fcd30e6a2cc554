/// Files of the boot partition that a board starts by.
///
/// - Source: packaging/image/build/card.bash, which puts them there.
package enum BootFiles {
    package static let names = [
        "bootcode.bin", "start.elf", "start4.elf", "config.txt", "u-boot.bin", "boot.scr",
        "words.txt",
    ]

    /// Returns the names of files that are absent or empty.
    ///
    /// - Parameter byteCount: Returns the size of a file in bytes; nil without one.
    package static func missing(_ byteCount: (String) -> Int?) -> [String] {
        names.filter { (byteCount($0) ?? 0) == 0 }
    }
}
