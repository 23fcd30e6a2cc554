import Core

/// Reads the events of a history.
package struct HistoryEvents {
    private let reader: HistoryReader

    package init(_ reader: HistoryReader) { self.reader = reader }

    /// The newest events, oldest of them first.
    ///
    /// - Parameters:
    ///   - limit: At most so many.
    /// - Returns: Oldest first.
    /// - Throws: `StoreError.database`.
    package func newest(
        _ limit: Int,
        where isWanted: (BootEvent) -> Bool = { _ in true }
    ) throws(StoreError) -> [BootEvent] {
        var newestFirst: [BootEvent] = []
        try eachFromNewest { event in
            if newestFirst.count < limit, isWanted(event) { newestFirst.append(event) }
            return newestFirst.count < limit
        }
        return newestFirst.reversed()
    }

    /// Hands each event to the closure, newest first, one slot at a time.
    ///
    /// - Parameters:
    ///   - place: Events later than this may be left out, so that old ones are found soon.
    package func eachFromNewest(
        upTo place: GapMark.Place? = nil,
        body: (BootEvent) -> Bool
    ) throws(StoreError) {
        defer { reader.rest() }
        let boots = try bootsByOrdinal()
        let waiting = reader.tail.events
        guard let newest = try reader.chain(.events, .events, place: 0) else {
            for event in waiting.reversed() where !body(event) { return }
            return
        }
        var current: (slot: Int, header: SlotHeader)? = (newest.slot, newest.header)
        var isTailDone = false
        if let place, let ordinal = boots.first(where: { $0.value == place.boot })?.key,
            newest.header.last > HistoryPosition(boot: ordinal, tick: place.tick)
        {
            let next = Tick(tenths: place.tick.tenths.addingClamped(1))
            let wanted = HistoryPosition(boot: ordinal, tick: next)
            current = try newest.chain.find(wanted, from: (newest.slot, newest.header))
            isTailDone = true
        }
        while let (slot, header) = current {
            let events = try eventsInSlot(slot, boots)
            if !isTailDone, let last = events.last {
                isTailDone = true
                // Events of the tail that the history has are at its beginning, in the same order.
                let taken = waiting.lastIndex(of: last).map { $0 + 1 } ?? 0
                for event in waiting[taken...].reversed() where !body(event) { return }
            }
            for event in events.reversed() where !body(event) { return }
            current = nil
            if let previous = header.previous,
                let older = try newest.chain.live(previous, depth: header.depth &- 1)
            {
                current = (previous, older)
            }
        }
        guard !isTailDone else { return }
        for event in waiting.reversed() where !body(event) { return }
    }

    /// Hands each event from a position on to the closure, oldest first, one slot at a time.
    ///
    /// - Parameters:
    ///   - boot: The first boot, or nil for all that is kept.
    ///   - tick: From when on in that boot.
    ///   - includesLate: Whether events with an earlier instant that were written among later ones,
    ///     and those just before in the same slot, are handed out too.
    package func each(
        from boot: BootID? = nil,
        _ tick: Tick = Tick(tenths: 0),
        includesLate: Bool = false,
        body: (BootEvent) -> Bool
    ) throws(StoreError) {
        defer { reader.rest() }
        let boots = try bootsByOrdinal()
        let ordinal = boot.flatMap { id in boots.first { $0.value == id }?.key } ?? 0
        let start = HistoryPosition(boot: ordinal, tick: tick)
        let ordinals = Dictionary(uniqueKeysWithValues: boots.map { ($1, $0) })
        func isEarlier(_ event: BootEvent) -> Bool {
            if includesLate { return false }
            let position = ordinals[event.boot].map {
                HistoryPosition(boot: $0, tick: Tick(event.event.instant))
            }
            return position.map { $0 < start } ?? false
        }
        var waiting = reader.tail.events[...]
        if let newest = try reader.chain(.events, .events, place: 0) {
            var current: (slot: Int, header: SlotHeader)?
            current = try newest.chain.find(start, from: (newest.slot, newest.header))
            while let (slot, header) = current {
                for event in try eventsInSlot(slot, boots) {
                    // Events of the tail that the history has are at its beginning, in the same
                    // order.
                    if waiting.first == event { waiting.removeFirst() }
                    if !isEarlier(event), !body(event) { return }
                }
                reader.rest()
                current = try newest.chain.later(than: header)
                if let current, current.header.depth > header.depth + 1 { reader.recordDamage() }
            }
        }
        for event in waiting where !isEarlier(event) {
            if !body(event) { return }
        }
    }

    private func bootsByOrdinal() throws(StoreError) -> [UInt32: BootID] {
        var boots: [UInt32: BootID] = [:]
        for boot in try reader.boots() { boots[boot.ordinal] = boot.id }
        return boots
    }

    private func eventsInSlot(
        _ slot: Int,
        _ boots: [UInt32: BootID]
    ) throws(StoreError) -> [BootEvent] {
        let read = try reader.slots(.events).read(slot)
        if read.payload.isEmpty, read.header.count > 0 { reader.recordDamage() }
        var bytes = HistoryByteReader(read.payload[...])
        var events: [BootEvent] = []
        while let ordinal = bytes.integer(UInt32.self), let length = bytes.integer(UInt16.self),
            let record = bytes.read(Int(length))
        {
            guard let boot = boots[ordinal] else { continue }
            for case .event(let event) in JournalRecordCodec.contents(Array(record)).records {
                events.append(BootEvent(boot: boot, event: event))
            }
        }
        return events
    }
}
