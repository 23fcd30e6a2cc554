import Core
import HardwareIO
import Testing

@testable import SimulationKit
@testable import Store

private let boot = BootID(bytes: Array(1...16))
private let store = StoreID(of: [1, 2, 3])

@Suite struct TailMirrorTests {
    @Test func givesBackWhatWasAppended() {
        let memory = SimulatedSharedMemory(byteCount: 1_024)
        let mirror = TailMirror(memory, boot: boot, store: store)
        let records: [[UInt8]] = [[1], [2, 2], [3, 3, 3, 3, 3]]
        for record in records { #expect(mirror.append(record)) }
        let again = TailMirror(memory, boot: boot, store: store)
        #expect(again.read() == (0, records))
        #expect(again.append([4]))
        #expect(TailMirror(memory, boot: boot, store: store).read().records == records + [[4]])
    }

    @Test func keepsWhatCameWhileTheBlockWasWritten() {
        let memory = SimulatedSharedMemory(byteCount: 1_024)
        let mirror = TailMirror(memory, boot: boot, store: store)
        for number in 1...5 { mirror.append([UInt8(number)]) }
        mirror.reset(after: 12, dropping: 3)
        mirror.append([6])
        #expect(mirror.count == 3)
        #expect(TailMirror(memory, boot: boot, store: store).read() == (12, [[4], [5], [6]]))
        mirror.reset(after: 13, dropping: 99)
        #expect(TailMirror(memory, boot: boot, store: store).read() == (13, []))
    }

    @Test func refusesTheNewestAtTheBoundUntilAReset() {
        let mirror = TailMirror(SimulatedSharedMemory(byteCount: 256), boot: boot, store: store)
        var kept = 0
        while mirror.append([7, 7, 7]) { kept += 1 }
        #expect(kept == 6 && mirror.count == 6 && mirror.refusedCount == 1)
        #expect(mirror.read().records.count == 6)
        mirror.reset(after: 1, dropping: 1)
        #expect(mirror.append([8]))
        #expect(mirror.read().records.last == [8])
    }

    @Test func neverWritesIntoItsOtherHalf() {
        // Halves of 128 bytes, 56 of them header, and 8 for each record: 64 bytes fit, 65 do not.
        for count in 61...72 {
            let mirror = TailMirror(SimulatedSharedMemory(byteCount: 256), boot: boot, store: store)
            #expect(mirror.append(Array(repeating: 7, count: count)) == (count <= 64))
        }
    }

    @Test func doesNotReadWhatAnotherBootLeft() {
        let memory = SimulatedSharedMemory(byteCount: 1_024)
        TailMirror(memory, boot: boot, store: store).append([1])
        let other = TailMirror(memory, boot: BootID(bytes: Array(2...17)), store: store)
        #expect(other.read() == (0, []))
    }

    @Test func doesNotReadWhatBelongsToAnotherStore() {
        let memory = SimulatedSharedMemory(byteCount: 1_024)
        TailMirror(memory, boot: boot, store: store).append([1])
        let other = TailMirror(memory, boot: boot, store: StoreID(of: [1, 2, 4]))
        #expect(other.read() == (0, []))
    }

    /// A kill leaves each write in part, byte by byte.
    @Test func survivesAKillAtAnyByte() {
        let memory = SimulatedSharedMemory(byteCount: 256)
        let mirror = TailMirror(memory, boot: boot, store: store)
        var states: [(writes: Int, state: State)] = [(memory.writes.count, State(mirror))]
        var dice = SplitMix64(seed: 5)
        for step in 0..<60 {
            if step % 7 == 6 {
                mirror.reset(after: UInt64(step), dropping: Int.random(in: 0...6, using: &dice))
            } else {
                let count = Int.random(in: 1...9, using: &dice)
                mirror.append((0..<count).map { UInt8(step &+ $0) })
            }
            states.append((memory.writes.count, State(mirror)))
        }
        check(memory.writes, states)
    }

    private struct State: Equatable {
        let sequence: UInt64
        let records: [[UInt8]]

        init(_ mirror: TailMirror) { (sequence, records) = mirror.read() }
    }

    /// Replays the writes up to each byte: either the state before or the state after is found.
    private func check(
        _ writes: [(bytes: [UInt8], offset: Int)],
        _ states: [(writes: Int, state: State)]
    ) {
        var image = [UInt8](repeating: 0, count: 256)
        var before = 0
        for (number, write) in writes.enumerated() {
            while before + 1 < states.count, states[before + 1].writes <= number { before += 1 }
            for count in 0...write.bytes.count where number >= states[0].writes {
                var torn = image
                torn.replaceSubrange(
                    write.offset..<write.offset + count,
                    with: write.bytes[..<count]
                )
                let found = State(TailMirror(SimulatedSharedMemory(torn), boot: boot, store: store))
                let allowed = states[before...min(before + 1, states.count - 1)].map(\.state)
                #expect(allowed.contains(found), "write \(number), \(count) bytes of it")
            }
            image.replaceSubrange(
                write.offset..<write.offset + write.bytes.count,
                with: write.bytes
            )
        }
        #expect(
            State(TailMirror(SimulatedSharedMemory(image), boot: boot, store: store))
                == states.last?.state
        )
    }

    @Test func startsEmptyOnGarbage() {
        var dice = SplitMix64(seed: 9)
        for _ in 0..<200 {
            let garbage = (0..<512).map { _ in UInt8.random(in: 0...255, using: &dice) }
            let mirror = TailMirror(SimulatedSharedMemory(garbage), boot: boot, store: store)
            #expect(mirror.read() == (0, []))
            mirror.append([1])
            #expect(mirror.read().records == [[1]])
        }
    }
}
