import ControlProtocol

/// The station's present values by quantity; stale ones are left out.
struct FreshValues {
    private let channels: [ChannelReport]

    init(_ status: StatusReport) { self.init(status.channels) }

    init(_ all: [ChannelReport]) {
        channels = all.filter { !$0.isStale && $0.latest?.value != nil }
    }

    /// The reading of the first channel that measures a quantity.
    func reading(_ quantity: String) -> ReadingReport? {
        channels.first { $0.channel.split(separator: "/").last.map(String.init) == quantity }?
            .latest
    }

    /// The value as it was measured, with its decimals.
    func text(_ quantity: String) -> String? { reading(quantity)?.measured?.description }
}
