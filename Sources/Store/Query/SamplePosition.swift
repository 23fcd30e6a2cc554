import Core

/// Where a sample is: its stream, boot and tick; rows of one stream with equal ticks share a place.
package struct SamplePosition: Hashable, Sendable {
    package let stream: StreamID
    package let boot: BootID
    package let tick: Tick

    package init(stream: StreamID, boot: BootID, tick: Tick) {
        (self.stream, self.boot, self.tick) = (stream, boot, tick)
    }
}
