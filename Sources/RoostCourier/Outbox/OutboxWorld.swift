import Core

/// What the task of a target of samples works with.
package struct OutboxWorld: Sendable {
    package let source: any SampleSource
    package let keeper: any CursorKeeper
    package let network: any CourierNetwork
    package let clock: any NodeClock
    let dates: LeastDate
    /// Receives what people should learn of.
    package let tell: @Sendable (_ target: String, OutboxNotice) -> Void

    package init(
        source: any SampleSource,
        keeper: any CursorKeeper,
        network: any CourierNetwork,
        clock: any NodeClock,
        tell: @escaping @Sendable (_ target: String, OutboxNotice) -> Void
    ) {
        (self.source, self.keeper, self.network) = (source, keeper, network)
        (self.clock, self.tell, dates) = (clock, tell, LeastDate(clock))
    }
}

extension OutboxWorld {
    /// Where an earlier process got; nil without that, or why it cannot be read.
    func cursor(
        of target: String,
        _ repetition: SampleTargetTraits.Repetition
    ) async throws -> (OutboxCursor?, LostCursor?) {
        guard let bytes = try await keeper.cursor(of: target), !bytes.isEmpty else {
            return (nil, nil)
        }
        let numbers = try await source.boots()
        do throws(OutboxCursorError) {
            return (try OutboxCursor(bytes) { numbers[$0] }, nil)
        } catch {
            return (nil, LostCursor(error, repetition))
        }
    }

    /// A cursor of a target that is new.
    ///
    /// - Parameters:
    ///   - isFromNow: Whether it gets what is recorded from now on.
    ///   - ageLimit: What is older by the present date is not for it.
    /// - Returns: nil: it gets all.
    /// - Throws: What reading the store throws.
    func newCursor(_ isFromNow: Bool, _ ageLimit: Duration?) async throws -> OutboxCursor? {
        if !isFromNow {
            guard let ageLimit, let wall = clock.wallTime else { return nil }
            let edge = wall.advanced(by: .zero - ageLimit)
            guard let place = try await source.place(notAfter: edge) else { return nil }
            let streams = try await source.streams()
            return OutboxCursor(
                marks: Dictionary(
                    uniqueKeysWithValues: streams.map { ($0, StreamMark(after: place)) }
                )
            )
        }
        var marks: [StreamID: StreamMark] = [:]
        for stream in try await source.streams() {
            let newest = try await source.count(of: stream, after: nil).newest
            marks[stream] = StreamMark(after: newest)
        }
        return OutboxCursor(marks: marks)
    }
}
