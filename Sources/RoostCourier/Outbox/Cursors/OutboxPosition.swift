import Core

/// Place of a sample in its stream.
package struct OutboxPosition: Hashable, Sendable {
    package let boot: BootID
    /// The boot's number in the store, which counts up; it orders places of two boots.
    package let bootNumber: Int
    package let tick: Tick

    package init(boot: BootID, bootNumber: Int, tick: Tick) {
        (self.boot, self.bootNumber, self.tick) = (boot, bootNumber, tick)
    }
}

extension OutboxPosition {
    /// A place just before it, with no other between them.
    package var earlier: OutboxPosition {
        OutboxPosition(boot: boot, bootNumber: bootNumber, tick: Tick(tenths: tick.tenths - 1))
    }
}

extension OutboxPosition: Comparable {
    package static func < (left: OutboxPosition, right: OutboxPosition) -> Bool {
        (left.bootNumber, left.tick) < (right.bootNumber, right.tick)
    }
}

/// Samples of one boot that are delivered although older ones wait.
struct OutboxRange: Hashable, Sendable {
    var from: OutboxPosition
    var to: OutboxPosition
    var count: Int

    init(from: OutboxPosition, to: OutboxPosition, count: Int) {
        (self.from, self.to, self.count) = (from, to, count)
    }

    func contains(_ place: OutboxPosition) -> Bool { from <= place && place <= to }
}
