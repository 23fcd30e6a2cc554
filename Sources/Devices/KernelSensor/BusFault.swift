import HardwareIO

/// Errors of a bus as text, and of what is read from it.
enum BusFault {
    /// The error number of a file that is not there.
    static let noSuchFile: Int32 = 2

    /// What went wrong, as the end of a sentence that begins with what was read.
    static func text(_ result: BusAnswer.Result) -> String {
        switch result {
        case .bytes: "was read"
        case .skipped: "was not read, as a step before it failed"
        case .failed(let code): names[code] ?? "fails with errno \(code)"
        }
    }

    /// By Linux' error numbers.
    private static let names: [Int32: String] = [
        noSuchFile: "is not there",
        5: "fails: the part sends damaged data or does not answer",
        6: "fails: nothing answers at the address",
        11: "is not ready",
        13: "may not be read: no permission",
        16: "is busy: it is not ready yet, or another has it",
        19: "fails: the part is gone",
        22: "fails: its driver refuses; forget it and use it again (`roost bus`), or restart",
        71: "fails: the part takes or sends fewer bytes than asked for",
        110: "does not answer in time",
        121: "fails: the part does not acknowledge",
    ]

    /// Without spaces and ends of lines around it.
    static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        var rest = bytes[...]
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest.drop(while: isBlank)
    }

    static func shown(_ text: ArraySlice<UInt8>) -> String {
        "\"\(PlainText.shown(String(decoding: text, as: UTF8.self), limit: 40))\""
    }
}
