import Core
import Glibc
import HardwareIO
import PowerCut
import Testing

@testable import SimulationKit
@testable import Store

/// A card with no room for the history's log, and a ring that needs none.
@Suite struct JournalAloneTests {
    private let folder = HistoryFolder()
    private let ring = SimulatedBlockStorage(blockSize: 4_096, blockCount: 64)

    private func open() throws -> StationStore {
        try StationStore(
            journal: ring,
            historyPath: folder.database,
            plan: StorePlan(.megabytes(4)),
            version: "1.0",
            mirrorSequence: 0,
            testHooks: HistoryTestHooks(vfs: PowerCutRecording.vfs)
        )
    }

    @Test(arguments: [PowerCutFault.full, .readOnly])
    func theJournalWorksAloneUntilTheHistoryCanBeOpened(_ fault: PowerCutFault) throws {
        let recording = PowerCutRecording(folder: folder.path)
        var dust = DustSeries(every: 10)
        func live(_ store: StationStore) throws {
            let payload = dust.block(dust.samples(600)).payload
            _ = try store.append(payload, boot: dust.boot)
        }
        let first = try open()
        _ = try first.append(dust.start().payload, boot: dust.boot)
        for _ in 0..<70 {
            try live(first)
            if first.fill > 0.5 { try first.checkpoint() }
        }
        try first.set("place", to: "balcony")
        try first.checkpoint()
        try first.close()
        recording.fail(fault, from: 0)
        for _ in 0..<3 {
            let store = try open()
            guard case .waiting = store.opening.history else {
                Issue.record("\(store.opening.history)")
                return
            }
            #expect(store.lacksHistory)
            #expect(store.opening.streams == [DustSeries.stream])
            #expect(try store.setting("place") == "balcony")
            for _ in 0..<5 { try live(store) }
            #expect(throws: StoreError.self) { try store.checkpoint() }
            try store.close()
        }
        recording.fail(fault, from: 0, count: 0)
        let again = try open()
        #expect(!again.lacksHistory)
        #expect(try HistoryReader(path: folder.database).all().count == 85 * 600)
    }

    @Test func theFirstHistoryMayComeLater() throws {
        let recording = PowerCutRecording(folder: folder.path)
        var dust = DustSeries(every: 10)
        recording.fail(.full, from: 0)
        let store = try open()
        #expect(store.lacksHistory)
        _ = try store.append(dust.start().payload, boot: dust.boot)
        for _ in 0..<5 {
            _ = try store.append(dust.block(dust.samples(600)).payload, boot: dust.boot)
        }
        try store.close()
        let other = try open()
        #expect(other.lacksHistory)
        #expect(other.opening.streams == [DustSeries.stream])
        try other.close()
        recording.fail(.full, from: 0, count: 0)
        let again = try open()
        #expect(!again.lacksHistory)
        #expect(try HistoryReader(path: folder.database).all().count == 5 * 600)
    }
}
