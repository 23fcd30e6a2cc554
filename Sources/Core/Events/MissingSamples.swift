/// A stretch of time whose samples are missing for a reason that no sample records, as an event
/// holds it.
package struct MissingSamples: Hashable, Sendable {
    package let cause: GapCause
    /// The stream that lost samples; nil means all streams.
    package let stream: StreamID?
    package let from: Tick
    package let to: Tick
    /// Samples known to be lost in it.
    package var count = 0
    /// The device of the stream, where the history does not know it.
    package var device: String?
    /// The boot of `from`; nil: the event's.
    package var fromBoot: BootID?
    /// The boot of `to`; nil: the event's.
    package var toBoot: BootID?

    package init(_ cause: GapCause, of stream: StreamID?, from: Tick, to: Tick) {
        (self.cause, self.stream, self.from, self.to) = (cause, stream, from, to)
    }

    package var severity: EventSeverity {
        switch cause {
        case .muted, .notKept: .notice
        case .suspended, .driverStopped, .unplugged: .warning
        default: .error
        }
    }
}

// MARK: - As text

extension MissingSamples {
    var details: [EventDetail] {
        var details = [
            EventDetail("cause", cause.rawValue), EventDetail("from", "\(from.tenths)"),
            EventDetail("to", "\(to.tenths)"),
        ]
        if let stream { details.append(EventDetail("stream", "\(stream.rawValue)")) }
        if let device { details.append(EventDetail("device", device)) }
        if count > 0 { details.append(EventDetail("samples", "\(count)")) }
        if let fromBoot { details.append(EventDetail("fromBoot", "\(fromBoot)")) }
        if let toBoot { details.append(EventDetail("toBoot", "\(toBoot)")) }
        return details
    }

    /// Parses the details of an event, which earlier versions stored as text.
    init?(_ text: (String) -> String?) {
        guard let cause = text("cause").flatMap(GapCause.init(rawValue:)),
            let from = text("from").flatMap(Int64.init), let to = text("to").flatMap(Int64.init)
        else { return nil }
        let stream = text("stream").map { UInt16($0) }
        let boots = ["fromBoot", "toBoot"].map { key in text(key).map { BootID($0) } }
        // An optional field that is present must be readable.
        if case .some(.none) = stream { return nil }
        for case .some(.none) in boots { return nil }
        self.init(
            cause,
            of: stream?.map { StreamID($0) },
            from: Tick(tenths: from),
            to: Tick(tenths: to)
        )
        count = text("samples").flatMap(Int.init).map { max(0, $0) } ?? 0
        device = text("device")
        (fromBoot, toBoot) = (boots[0]?.flatMap(\.self), boots[1]?.flatMap(\.self))
    }
}
