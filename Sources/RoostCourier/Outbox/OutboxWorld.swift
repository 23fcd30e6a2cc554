import Core

/// What the task of a target of samples works with.
package struct OutboxWorld: Sendable {
    package let source: any SampleSource
    package let keeper: any CursorKeeper
    package let network: any CourierNetwork
    package let clock: any NodeClock
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
        (self.clock, self.tell) = (clock, tell)
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

    /// A cursor of a target that gets what is recorded from now on.
    func newCursor() async throws -> OutboxCursor {
        var marks: [StreamID: StreamMark] = [:]
        for stream in try await source.streams() {
            let newest = try await source.count(of: stream, after: nil).newest
            marks[stream] = StreamMark(after: newest)
        }
        return OutboxCursor(marks: marks)
    }
}
