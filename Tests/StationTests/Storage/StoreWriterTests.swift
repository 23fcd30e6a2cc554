import ControlProtocol
import Core
import Glibc
import HardwareIO
import Logging
import TestSupport
import Testing

@testable import Devices
@testable import Runtime
@testable import SimulationKit
@testable import Station
@testable import Store

@Suite struct StoreWriterTests {
    private static func text(_ folder: TestFolder, mode: String = "normal") -> String {
        """
        {"name": "test", "mode": "\(mode)",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    /// Everything the history holds of the first stream.
    private static func stored(_ folder: TestFolder) throws -> [BootSample] {
        let reader = try HistoryReader(path: "\(folder.path)/history.db")
        guard let stream = try reader.streams().first else { return [] }
        let samples = try RawSamples(reader, stream.id, StreamExtents(reader).spans(of: stream.id))
        var found: [BootSample] = []
        while let sample = try samples.next() { found.append(sample) }
        return found
    }

    @Test func everyReadingOfADayIsInTheHistoryAfterAnOrderlyStop() throws {
        let folder = try TestFolder(isInMemory: true)
        let (readings, writes) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            try await test.run { try await $0.sleep(.days(1)) }
            return (test.readings(), test.platform.card.storage?.writeCount ?? 0)
        }
        let stored = try Self.stored(folder)
        #expect(readings.count > 280)
        #expect(stored.map { $0.outcomes[0] } == readings.map(\.outcome))
        #expect(stored.map(\.tick) == readings.map { Tick($0.instant) })
        // One write for each loss window with a sample in it, and a few for what is urgent.
        #expect(writes < 200)
    }

    @Test func aSecondLifeGoesOnWhereTheFirstEnded() throws {
        let folder = try TestFolder(isInMemory: true)
        let lives = try simulate { clock in
            let first = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            try await first.run { try await $0.sleep(.hours(2)) }
            let card = first.platform.card
            let second = try TestStation(
                clock,
                Self.text(folder),
                air: .drifting(seed: 6),
                card: card
            )
            try await second.run { try await $0.sleep(.hours(2)) }
            return [first.readings().count, second.readings().count]
        }
        let stored = try Self.stored(folder)
        #expect(stored.count == lives.reduce(0, +))
        #expect(zip(stored, stored.dropFirst()).allSatisfy { $0.tick <= $1.tick })
    }

    @Test func tellsWhatTheLastHourAndTheLastDayCost() throws {
        let folder = try TestFolder(isInMemory: true)
        let budget = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test in
                try await test.sleep(.hours(30))
                return test.station.status.budget
            }
        }
        let (hour, day) = (try #require(budget.hour), try #require(budget.day))
        #expect((3_000...4_600).contains(hour.seconds) && (82_000...90_000).contains(day.seconds))
        #expect(hour.wakeUps > 0 && hour.wakeUps * 10 < day.wakeUps)
        // A block each loss window with a sample in it.
        #expect((4...10).contains(hour.cardSyncs) && (80...200).contains(day.cardSyncs))
        #expect(try #require(day.cardBytes) >= day.cardSyncs * 512)
        #expect(day.wakeUps < budget.wakeUps)
    }

    @Test func theHoursOfTheLaserGoOnInTheNextLife() throws {
        let folder = try TestFolder(isInMemory: true)
        let reports = try simulate { clock in
            var reports: [LaserReport] = []
            let card = SimulatedCard()
            for _ in 0..<2 {
                let test = try TestStation(clock, Self.text(folder), card: card)
                // A power cut after this would cost six minutes of laser at most.
                let stop: LaserReport? = try await test.run { test in
                    try await test.sleep(.hours(10))
                    return test.station.status.lasers.first
                }
                reports += [stop].compactMap(\.self)
            }
            return reports
        }
        #expect(reports.map(\.part) == ["nova-sds011 A160", "nova-sds011 A160"])
        #expect(reports.map(\.hours) == [0.83, 1.67])
        // 7 999 h at one in twelve are 3 999 days.
        #expect(reports.allSatisfy { (3_990...4_000).contains($0.daysLeft ?? 0) })
        let reader = try HistoryReader(path: "\(folder.path)/history.db")
        let text = try #require(reader.settings()[LaserHours.key]?.split(separator: "=").last)
        let saved = try #require(Double(text))
        #expect((6_000...6_010).contains(saved))
    }

    @Test func hoursOfTheLaserThatFindNoRoomAreAFaultUntilTheyDo() throws {
        let folder = try TestFolder(isInMemory: true)
        let (full, later, told) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            let (full, later) = try await test.run { test in
                try await test.sleep(.minutes(10))
                let store = test.station.state.store
                for number in await (try store.settings()).count..<64 {
                    try await store.set("setting \(number)", to: "1")
                }
                try await test.sleep(.hours(3))
                let full = test.station.status.faults
                try await store.set("setting 63", to: nil)
                try await test.sleep(.hours(2))
                return (full, test.station.status.faults)
            }
            let told = test.events.filter { $0["fault"] == "laser-hours-unsaved" }.map(\.kind.name)
            return (full, later, told)
        }
        #expect(full.map(\.id) == ["laser-hours-unsaved"])
        #expect(later.isEmpty)
        #expect(told == ["fault began", "fault over"])
        let reader = try HistoryReader(path: "\(folder.path)/history.db")
        let text = try #require(reader.settings()[LaserHours.key]?.split(separator: "=").last)
        // Nothing of five hours at one in ten is missing.
        #expect((1_500...1_600).contains(try #require(Double(text))))
    }

    @Test func theStateOfTheStoreIsTheWorstThatHolds() {
        typealias State = StoreReport.State
        let open: [(Set<Fault.Kind>, Bool, State)] = [
            ([], false, .ok), ([.storeNotWriting], false, .failing),
            ([.historyNotTaking], false, .historyFailing), ([.historyNotTaking], true, .full),
            ([.historyFull], false, .full),
            ([.historyNotTaking, .storeNotWriting], true, .failing),
            ([.deviceAway, .journalWorn, .mirrorMissing], false, .ok),
        ]
        for (faults, isFull, state) in open {
            #expect(State(faults, isOpen: true, isHistoryFull: isFull) == state)
        }
        #expect(State([], isOpen: false, isHistoryFull: false) == .opening)
        #expect(State([.storeNotWriting], isOpen: false, isHistoryFull: false) == .missing)
    }

    @Test func aStatusSaysWhatWaitsForTheCard() throws {
        let folder = try TestFolder(isInMemory: true)
        let (waiting, after) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test in
                try await test.sleep(.minutes(5))
                let waiting = test.station.status.store
                try await test.sleep(.minutes(10))
                return (waiting, test.station.status.store)
            }
        }
        #expect(waiting?.state == .ok && after?.state == .ok)
        let window = try #require(waiting?.lossWindowSeconds)
        #expect(waiting?.waitingSeconds.map { (0...window + 2).contains($0) } == true)
        #expect(after?.lastCommitAgeSeconds.map { (0...window + 2).contains($0) } == true)
    }

    @Test func aCardThatCannotBeOpenedStopsNothingAndLosesNothing() throws {
        let folder = try TestFolder(isInMemory: true)
        let (told, readings, faults) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            test.platform.refuseJournal(with: .readOnly(path: "journal.ring"))
            let faults = try await test.run { test in
                try await test.sleep(.hours(2))
                let faults = test.station.status.faults
                test.platform.refuseJournal(with: nil)
                try await test.sleep(.hours(1))
                return faults
            }
            let told = test.events.filter { $0.source == "store" }.map(\.kind.name)
            return (told, test.readings(), faults)
        }
        #expect(told == ["card does not write", "card writes again", "store open"])
        #expect(faults.map(\.id) == ["store-not-writing"])
        let stored = try Self.stored(folder)
        #expect(stored.map { $0.outcomes[0] } == readings.map(\.outcome))
        // It ran from its start on, not from the store's.
        let runs = try HistoryReader(path: "\(folder.path)/history.db").runs()
        #expect(runs.map(\.started.tenths) == [0])
    }

    /// Overwrites the history as it lies there, but for its first page.
    private static func damage(_ folder: TestFolder) {
        let descriptor = Glibc.open("\(folder.path)/history.db", O_WRONLY)
        defer { close(descriptor) }
        let noise = [UInt8](repeating: 0xA5, count: 1 << 20)
        for place in 0..<4 { pwrite(descriptor, noise, noise.count, off_t(4_096 + place << 20)) }
    }

    @Test func aHistoryDamagedMeanwhileIsReplacedWhileReadingsGoOn() throws {
        let folder = try TestFolder(isInMemory: true)
        let (told, readings) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            try await test.run { test in
                try await test.sleep(.hours(7))
                Self.damage(folder)
                try await test.sleep(.hours(12))
            }
            let told = test.events.filter { $0.source == "store" }.map(\.kind.name)
            return (told, test.readings())
        }
        #expect(told == ["store open", "history set aside"])
        // The ring had not gone round: nothing is lost.
        let stored = try Self.stored(folder)
        #expect(stored.map { $0.outcomes[0] } == readings.map(\.outcome))
        unlink("\(folder.path)/history.db.damaged-1")
        unlink("\(folder.path)/history.db.damaged-1-wal")
    }

    @Test func aCardThatWentReadOnlyIsHeldByNothingUntilItIsRepaired() throws {
        let folder = try TestFolder(isInMemory: true)
        let (told, readings, isFree) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            let isFree = try await test.run { test in
                try await test.sleep(.hours(1))
                test.platform.card.storage?.faults.isReadOnly = true
                try await test.sleep(.hours(2))
                // The card can be unmounted only when no file of the store is held open.
                let isFree = !test.platform.isStoreClaimed(folder.path)
                test.platform.card.storage?.faults.isReadOnly = false
                try await test.sleep(.hours(1))
                return isFree
            }
            let told = test.events.filter { $0.source == "store" }.map(\.kind.name)
            return (told, test.readings(), isFree)
        }
        #expect(isFree)
        // Once by the write, once by the opening; the simulated card has a path of its own.
        let failed = Array(repeating: "card does not write", count: 2)
        #expect(told == ["store open"] + failed + ["store open", "card writes again"])
        let stored = try Self.stored(folder)
        #expect(stored.map { $0.outcomes[0] } == readings.map(\.outcome))
    }

    @Test func aCardThatFailsForLongIsOpenedAnewAndNothingIsLostOrTwice() throws {
        let folder = try TestFolder(isInMemory: true)
        let (told, readings) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            try await test.run { test in
                try await test.sleep(.hours(1))
                let card = test.platform.card.storage
                let number = card?.syncCount ?? 0
                card?.faults.failingSyncs = Set(number..<number + 5)
                try await test.sleep(.hours(2))
            }
            let told = test.events.filter { $0.source == "store" }.map(\.kind.name)
            return (told, test.readings())
        }
        #expect(
            told == ["store open", "card does not write", "store open", "card writes again"]
        )
        let stored = try Self.stored(folder)
        #expect(stored.map { $0.outcomes[0] } == readings.map(\.outcome))
        #expect(stored.map(\.tick) == readings.map { Tick($0.instant) })
    }
}
