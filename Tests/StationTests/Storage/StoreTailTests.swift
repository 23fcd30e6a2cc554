import ControlProtocol
import Core
import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station
@testable import Store

@Suite struct StoreTailTests {
    private static func text(_ folder: TestFolder?, mode: String = "live") -> String {
        let store = folder.map {
            ", \"store\": {\"folder\": \"\($0.path)\", \"megabytes\": 4, \"journalBlocks\": 64}"
        }
        return """
            {"name": "test", "mode": "\(mode)",
             "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}]\(store ?? "")}
            """
    }

    /// Every page, and the longest line that carried one.
    private static func pages(
        _ test: TestStation
    ) async throws -> (pages: [TailReport], longestLine: Int) {
        let connection = test.platform.socket.connect()
        defer { connection.close() }
        var (pages, longest) = ([TailReport](), 0)
        var from: String?
        repeat {
            try connection.send(ControlCodec.line(AskedQuestion(GetTail(from: from))))
            let line = try #require(await connection.nextLine())
            longest = max(longest, line.utf8.count)
            let answer = try ControlCodec.message(ControlAnswer<TailReport>.self, from: line)
            let page = try #require(answer.body)
            pages.append(page)
            from = page.next
        } while from != nil
        return (pages, longest)
    }

    private static func tail(_ pages: [TailReport]) -> HistoryTail {
        var tail = HistoryTail()
        let parts = pages.flatMap(\.parts)
        for part in parts.filter({ $0.sequence != nil }) + parts.filter({ $0.sequence == nil }) {
            guard let boot = BootID(part.bootID) else { continue }
            if let sequence = part.sequence {
                tail.append(part.bytes, boot: boot, block: sequence)
            } else {
                tail.appendUnwritten(part.bytes, boot: boot, earliest: part.earliestSequence)
            }
        }
        return tail
    }

    @Test func historyAndTailTogetherAreEverythingSoFar() throws {
        let folder = try TestFolder(isInMemory: true)
        let (readings, events, found, longest, isSmall) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(570))
                let (pages, longest) = try await Self.pages(test)
                let reader = try HistoryReader(
                    path: "\(folder.path)/history.db",
                    tail: Self.tail(pages)
                )
                let stream = try #require(try reader.streams().first)
                let samples = try RawSamples(
                    reader,
                    stream.id,
                    StreamExtents(reader).spans(of: stream.id)
                )
                var found: [BootSample] = []
                while let sample = try samples.next() { found.append(sample) }
                let blocks = pages.flatMap(\.parts).compactMap(\.sequence)
                // The history took what waited when the ring was three quarters full.
                let isSmall = blocks.count < 48 && blocks.count > StoreTail.payloadsPerPage / 2
                var events: [String] = []
                try HistoryEvents(reader).each { event in
                    events.append(event.event.kind.name)
                    return true
                }
                let known = test.events.map(\.kind.name)
                return (test.readings(), (events, known), found, longest, isSmall)
            }
        }
        #expect(readings.count > 20_000)
        #expect(found.map { $0.outcomes[0] } == readings.map(\.outcome))
        #expect(events.0.count == events.1.count && events.0.contains("store open"))
        #expect(longest < 64 * 1_024)
        #expect(isSmall)
    }

    @Test func blocksThatRotWhileTheStationRunsAreNamedAtOnce() throws {
        let folder = try TestFolder(isInMemory: true)
        let (lost, marks) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(95))
                let before = try await Self.pages(test).pages
                let sequences = before.flatMap(\.parts).compactMap(\.sequence)
                // One in the middle, and the newest, after which only memory knows more.
                for sequence in [sequences[4], sequences[sequences.count - 1]] {
                    test.platform.card.storage?.corrupt(Int(sequence % 64)) { $0[300] ^= 1 }
                }
                let after = try await Self.pages(test).pages
                let reader = try HistoryReader(
                    path: "\(folder.path)/history.db",
                    tail: Self.tail(after)
                )
                let stream = try #require(try reader.streams().first)
                let samples = try RawSamples(
                    reader,
                    stream.id,
                    StreamExtents(reader).spans(of: stream.id)
                )
                var kept: Set<Tick> = []
                while let sample = try samples.next() { kept.insert(sample.tick) }
                let lost = test.readings().map { Tick($0.instant) }.filter { !kept.contains($0) }
                return (lost, try GapMarks.all(in: reader))
            }
        }
        #expect(lost.count > 1_000)
        #expect(marks.count == 2 && marks.allSatisfy { $0.cause == .damaged && $0.stream == nil })
        for tick in lost {
            #expect(marks.contains { $0.from.tick < tick && tick < $0.to.tick }, "\(tick)")
        }
        let length = marks.reduce(0) { $0 + $1.to.tick.tenths - $1.from.tick.tenths }
        // One interval more than the samples, each.
        #expect(abs(length - Int64(lost.count + 2) * 10) <= 2)
    }

    @Test func rowsOfOneTickInTheOpenBatchAndTheBlockBeforeItAreBothRead() throws {
        let folder = try TestFolder(isInMemory: true)
        let (taken, found) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.seconds(30))
                let channel = Channel(device: "fast", quantity: .pm25)
                let recorder = test.station.context.recorder
                var found: [[Int]] = []
                for number in 0..<40 {
                    if number % 10 == 0 {
                        // An urgent event closes the batch two seconds later, amid what follows.
                        recorder.recordSoon(
                            Event(
                                at: clock.now,
                                source: "test",
                                kind: .other("edge"),
                                severity: .warning
                            )
                        )
                        try await test.sleep(.milliseconds(1_955))
                    }
                    try await test.sleep(.milliseconds(10))
                    let value = Outcome.value(FixedPoint(7, decimals: 1))
                    recorder.accept([Reading(channel, at: clock.now, value)])
                    let reader = try HistoryReader(
                        path: "\(folder.path)/history.db",
                        tail: Self.tail(try await Self.pages(test).pages)
                    )
                    let stream = try #require(try reader.streams().first { $0.device == "fast" })
                    let samples = try RawSamples(
                        reader,
                        stream.id,
                        StreamExtents(reader).spans(of: stream.id)
                    )
                    var count = 0
                    while try samples.next() != nil { count += 1 }
                    found.append([number + 1, count])
                }
                return (40, found)
            }
        }
        #expect(found.count == taken)
        #expect(found.allSatisfy { $0[0] == $0[1] }, "\(found)")
    }

    @Test func aStationWithoutAStoreSaysSo() throws {
        let page = try simulate { clock in
            let test = try TestStation(clock, Self.text(nil))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                return try await test.ask(GetTail()).body
            }
        }
        #expect(page?.folder == nil && page?.parts == [] && page?.next == nil)
    }

    @Test func whatACardDoesNotTakeIsShownAllTheSame() throws {
        let folder = try TestFolder(isInMemory: true)
        let (readings, pages, found) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            return try await test.run { test in
                try await test.sleep(.minutes(5))
                test.platform.card.storage?.faults.isFull = true
                try await test.sleep(.hours(1))
                let pages = try await Self.pages(test).pages
                let reader = try HistoryReader(
                    path: "\(folder.path)/history.db",
                    tail: Self.tail(pages)
                )
                let stream = try #require(try reader.streams().first)
                let samples = try RawSamples(
                    reader,
                    stream.id,
                    StreamExtents(reader).spans(of: stream.id)
                )
                var count = 0
                while try samples.next() != nil { count += 1 }
                return (test.readings().count, pages.count, count)
            }
        }
        #expect(pages == 2)
        #expect(found == readings)
    }

    @Test func whatWaitsComesInPagesOfAnySize() throws {
        let (whole, pieces, later) = try simulate { clock in
            let queue = StoreQueue(
                StoreIntake(lossWindow: .seconds(600), capacity: 500, streams: []),
                mirror: nil,
                clock: clock,
                attention: Signal(),
                schedule: { _ in nil }
            )
            for number in 0..<40 {
                let event = Event(at: clock.now, source: "test", kind: .other("number \(number)"))
                queue.append(.event(event), isUrgent: false)
                if number % 10 == 9 { queue.seal() }
            }
            queue.append(.stopped(at: Tick(clock.now)), isUrgent: false)
            var (pieces, from): ([[UInt8]], Int?) = ([], 0)
            while let number = from {
                let page = queue.unwritten(from: number, limit: 1)
                pieces += page.payloads
                from = page.next
            }
            let whole = queue.unwritten(from: 0, limit: 100).payloads
            // A batch that is written between two pages shifts nothing.
            let first = queue.unwritten(from: 0, limit: 2)
            queue.acknowledge(1)
            let second = queue.unwritten(from: first.next ?? 0, limit: 100)
            return (whole, pieces, first.payloads + second.payloads)
        }
        #expect(whole.count > 4)
        #expect(pieces == whole)
        #expect(later == whole)
    }

    @Test(arguments: ["x", "q", "q-1", "j", "j1.5", "r", "r5", "r5-x", "r5-6", ""])
    func refusesAPlaceThatIsNone(place: String) throws {
        let failure = try simulate { clock in
            let test = try TestStation(clock, Self.text(nil))
            return try await test.run { test in
                try await test.ask(GetTail(from: place)).error
            }
        }
        #expect(failure?.code == .badRequest)
    }
}
