/// State of a GPIO chip and its lines, as the kernel lists them.
package struct GPIOChipReport: Hashable, Sendable {
    package let path: String
    /// Such as `pinctrl-rp1`; nil when the chip cannot be opened.
    package let label: String?
    /// Lines in the order of their offsets.
    package let lines: [GPIOLineReport]
    /// Why there is no label.
    package let problem: GPIOError?

    package init(path: String, label: String?, lines: [GPIOLineReport], problem: GPIOError?) {
        (self.path, self.label, self.lines, self.problem) = (path, label, lines, problem)
    }
}

/// State of a GPIO line, as the kernel describes it.
package struct GPIOLineReport: Hashable, Sendable {
    package let offset: Int
    package let name: String?
    /// Name that the holder of the line gave; nil when the line is free or its holder unnamed.
    package let consumer: String?
    package let isUsed: Bool
    package let isOutput: Bool
    package let isActiveLow: Bool

    package init(
        offset: Int,
        name: String?,
        consumer: String?,
        isUsed: Bool,
        isOutput: Bool,
        isActiveLow: Bool
    ) {
        (self.offset, self.name, self.consumer) = (offset, name, consumer)
        (self.isUsed, self.isOutput, self.isActiveLow) = (isUsed, isOutput, isActiveLow)
    }
}
