import Core
import Store
import StoreQueries

/// Contents of the history that the courier reads once, when it begins to follow the station.
struct StationRecollection: Sendable {
    let boots: [BootID: Int]
    let streams: [StreamDescription]
    /// Place of the newest sample of each stream.
    let newest: [StreamID: OutboxPosition]
    let anchors: [ClockAnchor]
    let clock: ClockAnchors
    /// Changes of alerts, oldest first, at most `AlertHub.limit`.
    let alerts: [AlertChange]
    private(set) var privates: PrivateStretches

    /// - Parameters:
    ///   - reader: The history with the station's tail.
    ///   - present: The boot that the station runs in.
    /// - Throws: Errors of the store.
    init(_ reader: HistoryReader, present: BootID) throws {
        var boots: [BootID: Int] = [:]
        for boot in try reader.boots() { boots[boot.id] = Int(boot.ordinal) }
        if boots[present] == nil { boots[present] = (boots.values.max() ?? 0) + 1 }
        self.boots = boots
        streams = try reader.streams().filter { !$0.id.isImported }
        var newest: [StreamID: OutboxPosition] = [:]
        for stream in streams {
            guard let place = try HistoryPlaces(reader).newest(of: stream.id) else { continue }
            newest[stream.id] = OutboxPosition(
                boot: place.boot,
                bootNumber: boots[place.boot] ?? 0,
                tick: place.tick
            )
        }
        self.newest = newest
        anchors = try reader.anchors()
        clock = try HistoryPlaces(reader).clock()
        var marks: [(place: OutboxPosition, event: Event?)] = []
        for run in try reader.runs() {
            guard let number = boots[run.boot] else { continue }
            let place = OutboxPosition(boot: run.boot, bootNumber: number, tick: run.started)
            marks.append((place, nil))
        }
        let clock = clock
        var alerts: [AlertChange] = []
        try HistoryEvents(reader).each(from: nil, Tick(tenths: 0), includesLate: true) { found in
            if let number = boots[found.boot], PrivateStretches.isMark(found.event) {
                let tick = Tick(found.event.instant)
                let place = OutboxPosition(boot: found.boot, bootNumber: number, tick: tick)
                marks.append((place, found.event))
            }
            if case .alert(let alert) = found.event.kind, let number = alert.number,
                !alert.isStanding
            {
                let time = clock.time(found.boot, Tick(found.event.instant))
                let wall = time.flatMap { $0.isSure ? $0.wall : nil }
                let instant = found.boot == present ? found.event.instant : nil
                alerts.append(
                    AlertChange(number: number, event: alert, time: wall, instant: instant)
                )
                if alerts.count > AlertHub.limit { alerts.removeFirst() }
            }
            return true
        }
        self.alerts = alerts
        var privates = PrivateStretches()
        for mark in marks.sorted(by: { $0.place < $1.place }) {
            if let event = mark.event {
                privates.apply(event, at: mark.place)
            } else {
                privates.end(at: mark.place)
            }
        }
        self.privates = privates
    }

    /// Records a new event.
    mutating func remember(_ event: Event, at place: OutboxPosition) {
        privates.apply(event, at: place)
    }
}
