import Provisioning

/// The boot loader's choice of a root, as packaging/image/boot/boot.txt makes it step by step.
struct BootStart: Hashable, Sendable {
    /// The root to start; nil when neither has a kernel that can be read: the board tries again.
    let root: RootSlot?
    /// Content of `tried.txt` from then on.
    let tried: String

    /// - Parameters:
    ///   - slots: What the boot partition says.
    ///   - canWrite: Whether the boot loader can write `tried.txt`.
    ///   - canLoad: Whether kernel and memory disk of a root can be read.
    init(_ slots: BootSlots, canWrite: Bool = true, canLoad: (RootSlot) -> Bool) {
        var (part, tried) = (slots.good, slots.tried)
        if let trial = slots.trial, slots.isTrialWaiting, canWrite {
            (part, tried) = (trial, slots.number)
        }
        self.tried = tried
        root = [part, slots.good, .first, .second].first(where: canLoad)
    }
}
