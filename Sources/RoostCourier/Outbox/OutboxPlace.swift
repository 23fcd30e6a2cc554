import Core

/// Where a sample stands in its stream.
package struct OutboxPlace: Hashable, Sendable {
    package let boot: BootID
    /// The boot's number in the store, which counts up; it orders places of two boots.
    package let bootNumber: Int
    package let tick: Tick

    package init(boot: BootID, bootNumber: Int, tick: Tick) {
        (self.boot, self.bootNumber, self.tick) = (boot, bootNumber, tick)
    }
}

extension OutboxPlace {
    /// A place before it, with nothing between them.
    package var earlier: OutboxPlace {
        OutboxPlace(boot: boot, bootNumber: bootNumber, tick: Tick(tenths: tick.tenths - 1))
    }
}

extension OutboxPlace: Comparable {
    package static func < (left: OutboxPlace, right: OutboxPlace) -> Bool {
        (left.bootNumber, left.tick) < (right.bootNumber, right.tick)
    }
}

/// Samples of one boot that are delivered although older ones wait.
package struct OutboxRange: Hashable, Sendable {
    package var from: OutboxPlace
    package var to: OutboxPlace
    package var count: Int

    package init(from: OutboxPlace, to: OutboxPlace, count: Int) {
        (self.from, self.to, self.count) = (from, to, count)
    }

    package func contains(_ place: OutboxPlace) -> Bool { from <= place && place <= to }
}
