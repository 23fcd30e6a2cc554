import Glibc

/// The chips of `Tests/Support/gpio-standin.c`, when that is preloaded into the test process.
///
/// Chip 0 is `pinctrl-bcm2711` with GPIO2…GPIO27, chip 1 `raspberrypi-exp-gpio`.
struct GPIOStandIn {
    private typealias Call = @convention(c) () -> Void
    private typealias Count = @convention(c) () -> UInt32
    private typealias OfLine = @convention(c) (Int32, Int32) -> Int32
    private typealias Flags = @convention(c) (Int32, Int32) -> UInt64
    private typealias Drive = @convention(c) (Int32, Int32, Int32, UInt64) -> Void
    private typealias Occupy = @convention(c) (Int32, Int32, UnsafePointer<CChar>) -> Void
    private typealias Deny = @convention(c) (Int32, Int32) -> Void
    private typealias OfChip = @convention(c) (Int32) -> Void

    static let isPresent = symbol("gpio_standin_reset") != nil

    /// Starts afresh: nothing requested, all low.
    init() { Self.call("reset", as: Call.self)() }

    /// Calls that set values, and calls of any kind, since the start.
    var setCalls: Int { Int(Self.call("set_calls", as: Count.self)()) }
    var allCalls: Int { Int(Self.call("all_calls", as: Count.self)()) }
    /// Edges that found the kernel's queue full.
    var droppedEdges: Int { Int(Self.call("dropped", as: Count.self)()) }

    func level(_ line: Int32, chip: Int32 = 0) -> Bool {
        Self.call("level", as: OfLine.self)(chip, line) != 0
    }

    func isUsed(_ line: Int32, chip: Int32 = 0) -> Bool {
        Self.call("is_used", as: OfLine.self)(chip, line) != 0
    }

    /// `GPIO_V2_LINE_FLAG_…` of the request, whichever interface made it.
    func flags(_ line: Int32) -> UInt64 { Self.call("flags", as: Flags.self)(0, line) }

    func debounceMicroseconds(_ line: Int32) -> Int {
        Int(Self.call("debounce", as: OfLine.self)(0, line))
    }

    /// Puts a voltage on an input at an instant of `CLOCK_MONOTONIC` in nanoseconds.
    func drive(_ line: Int32, _ level: Bool, at nanoseconds: UInt64) {
        Self.call("drive", as: Drive.self)(0, line, level ? 1 : 0, nanoseconds)
    }

    func occupy(_ line: Int32, by consumer: String) {
        Self.call("occupy", as: Occupy.self)(0, line, consumer)
    }

    func deny(chip: Int32, errno: Int32) { Self.call("deny", as: Deny.self)(chip, errno) }

    func unplug(chip: Int32) { Self.call("unplug", as: OfChip.self)(chip) }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        // The program itself: preloaded libraries are found through it.
        dlsym(dlopen(nil, RTLD_NOW), name)
    }

    private static func call<Function>(_ name: String, as type: Function.Type) -> Function {
        guard let address = symbol("gpio_standin_\(name)") else {
            preconditionFailure("the stand-in has no \(name)")
        }
        return unsafeBitCast(address, to: type)
    }
}
