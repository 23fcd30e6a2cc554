import Core
import Glibc
import LinuxIO
import PowerCut
import SQLite
import Store

/// The data directory of a station in any number of random states, each the same for its seed.
///
/// Good states come from a script: closed, crashed, of a version to come, half made. One to three
/// damages are done to a copy. Then the store has to open with two seconds of processor at most
/// and without waiting, report lost data, keep undamaged data, and accept more; files that it
/// cannot use must be set aside.
package final class StoreStates {
    package struct Options: Sendable {
        package var seed: UInt64 = 0
        /// Holds the folder that is damaged.
        package var root = "/dev/shm"
        /// Whether `root` is a small file system that may be filled up.
        package var mayFill = false

        package init() {}
    }

    /// Real seconds: less than what SQLite waits for a lock, 10, and more than a busy machine needs
    /// for the two of processor.
    private static let patience = 8.0

    private typealias Wrong = StoreWorkload.Wrong

    private struct Good {
        let files: [String: [UInt8]]
        let isNewer: Bool
        /// Payloads that are in there, in order.
        let payloads: Int
    }

    private let options: Options
    private let script: StoreScript
    private let hours = 12
    private var goods: [Good] = []
    private let folder: String
    /// Damages that stopped the store from writing at all, and were named.
    package private(set) var refusals: [String: Int] = [:]
    /// Number of states by the damage done to them.
    package private(set) var damages: [String: Int] = [:]
    package private(set) var slowest = 0.0
    /// States whose damage showed only when the history was written to.
    package private(set) var lateCount = 0
    /// Files that lie aside in all of the states.
    package private(set) var asideCount = 0

    package init(_ options: Options) throws {
        self.options = options
        script = StoreScript(hours: hours, seed: options.seed)
        folder = "\(options.root)/roost-states-\(getpid())"
        try makeGoods()
    }

    deinit { ScratchFile.remove(folder) }

    private func makeGoods() throws {
        let place = "\(options.root)/roost-good-\(getpid())"
        mkdir(place, 0o755)
        defer { ScratchFile.remove(place) }
        var store: StationStore?
        var (isNewer, count) = (false, 0)
        func keep() {
            var files: [String: [UInt8]] = [:]
            for name in ScratchFile.names(place) where !name.hasSuffix("-shm") {
                files[name] = ScratchFile.bytes("\(place)/\(name)")
            }
            goods.append(Good(files: files, isNewer: isNewer, payloads: count))
        }
        // The upgrade stands last, so that all but the last states are of this version.
        store = try open(place, isUpgraded: false)
        for (number, payload) in script.payloads.enumerated() {
            _ = try store?.append(payload.bytes, boot: payload.boot)
            count = number + 1
            if count % 17 == 0 { try store?.checkpoint() }
            // As a process leaves it that is killed: with the log beside it.
            if count % 7 == 3 { keep() }
        }
        try store?.checkpoint()
        try store?.close()
        keep()
        store = try open(place, isUpgraded: true)
        (store, isNewer) = (nil, true)
        keep()
    }

    // MARK: - One state

    /// Returns the damages that are done to a state.
    package func damages(of number: UInt64) -> [StoreDamage] { draw(number).damages }

    /// The dice go on from there.
    private func draw(
        _ number: UInt64
    ) -> (good: Good, damages: [StoreDamage], dice: SplitMix64) {
        var seeds = SplitMix64(seed: options.seed)
        var dice = SplitMix64(seed: seeds.next() &+ number)
        let good = goods[Int(dice.next() % UInt64(goods.count))]
        var choice = StoreDamage.allCases
        if getuid() == 0 {
            // Root may do everything: these show nothing.
            choice.removeAll { [.unreadable, .unwritable, .readOnlyFolder].contains($0) }
        }
        if !options.mayFill { choice.removeAll { $0 == .full } }
        let count = [0, 1, 1, 1, 1, 1, 2, 2, 3][Int(dice.next() % 9)]
        let damages = (0..<count).map { _ in choice[Int(dice.next() % UInt64(choice.count))] }
        return (good, damages, dice)
    }

    /// Plays one state; what it throws says what is wrong, with the damages in front.
    package func play(_ number: UInt64) throws {
        let (good, damages, rest) = draw(number)
        var dice = rest
        ScratchFile.remove(folder)
        mkdir(folder, 0o755)
        defer { ScratchFile.remove(folder) }
        for (name, bytes) in good.files { ScratchFile.put(bytes, "\(folder)/\(name)") }
        for damage in damages {
            if damage == .staleLog {
                let other = goods[Int(dice.next() % UInt64(goods.count))]
                let log = other.files["history.db-wal"] ?? []
                ScratchFile.put(log, "\(folder)/history.db-wal")
            } else {
                damage.apply(to: folder, &dice)
            }
            self.damages[damage.rawValue, default: 0] += 1
        }
        if damages.isEmpty { self.damages["none", default: 0] += 1 }
        let filler = damages.contains(.full) ? fill() : nil
        defer { filler.map { _ = unlink($0) } }
        do { try check(good, damages) } catch {
            let text = damages.map(\.rawValue).joined(separator: ", ")
            let kind = good.isNewer ? "newer, " : ""
            throw Wrong(description: "\(kind)\(text), \(good.payloads) payloads: \(error)")
        }
    }

    /// Fills the file system; returns the file that does.
    private func fill() -> String {
        let path = "\(options.root)/roost-filler-\(getpid())"
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let bytes = [UInt8](repeating: 1, count: 4_096)
        while write(file, bytes, bytes.count) > 0 {}
        close(file)
        return path
    }

    private func check(_ good: Good, _ damages: [StoreDamage]) throws {
        let before = ScratchFile.names(folder)
        mkdir(folder, 0o755)  // As a node does.
        let (began, work) = (Self.seconds, StoreWorkload.processorSeconds)
        var opened: StationStore
        do { opened = try open(folder, isUpgraded: false, damages) } catch {
            let took = Self.seconds - began
            slowest = max(slowest, took)
            guard damages.contains(where: \.stopsAllWriting), took < Self.patience else {
                throw error
            }
            refusals["\(error)".replacing(folder, with: "…"), default: 0] += 1
            return
        }
        let took = Self.seconds - began
        slowest = max(slowest, took)
        let worked = StoreWorkload.processorSeconds - work
        guard worked < StoreWorkload.openingLimit, took < Self.patience else {
            throw Wrong(description: "opened in \(took) s, \(worked) s of them at work")
        }
        try checkWords(opened, good, damages)
        let recovery = script.recovery(after: good.payloads)
        do {
            _ = try opened.append(recovery.bytes, boot: recovery.boot)
            do throws(StoreError) { try opened.checkpoint() } catch {
                guard case .database(let found) = error, found.isCorrupt else { throw error }
                // Damage in the middle of a ring shows when it is written; a node opens again.
                lateCount += 1
                try? opened.close()
                opened = try open(folder, isUpgraded: false, damages)
                try opened.checkpoint()
            }
        } catch {
            guard damages.contains(where: \.stopsAllWriting) else { throw error }
            refusals["\(error)".replacing(folder, with: "…"), default: 0] += 1
            return
        }
        try checkKept(opened, good, damages, recovery)
        try? opened.close()
        let after = Set(ScratchFile.names(folder))
        let lost = before.filter {
            !after.contains($0) && !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal")
                && !$0.hasSuffix("-journal") && !$0.hasSuffix(".new")
        }
        guard lost.isEmpty else { throw Wrong(description: "deleted \(lost)") }
        asideCount += after.count { $0.contains(".damaged-") && !$0.contains("-wal") }
    }

    /// Checks that every loss is reported, and that an undamaged store reports none.
    private func checkWords(
        _ store: StationStore,
        _ good: Good,
        _ damages: [StoreDamage]
    ) throws {
        let opening = store.opening
        if damages.isEmpty, !good.isNewer, !opening.losses.isEmpty {
            throw Wrong(description: "nothing was wrong, but \(opening.losses)")
        }
        let isAside = ScratchFile.names(folder).contains { $0.contains(".damaged-") }
        guard !isAside || !opening.losses.isEmpty else {
            throw Wrong(description: "set aside without a word")
        }
        if case .newer = opening.history {
            guard good.isNewer else { throw Wrong(description: "treats it as a newer one") }
        } else if good.isNewer, damages.isEmpty {
            throw Wrong(description: "does not see a newer version: \(opening.history)")
        }
    }

    private func checkKept(
        _ store: StationStore,
        _ good: Good,
        _ damages: [StoreDamage],
        _ recovery: StoreScript.Payload
    ) throws {
        if case .newer = store.opening.history {
            // The journal gets more than it has room for.
            for _ in 0..<StoreWorkload.blockCount + 5 {
                _ = try store.append(recovery.bytes, boot: recovery.boot)
            }
            try store.checkpoint()
            return
        }
        let reader = try HistoryReader(path: folder + "/history.db")
        let newest = try HistoryEvents(reader).newest(1)
        guard newest == [recovery.event] else {
            throw Wrong(description: "what is new is not in the history")
        }
        guard damages.isEmpty, !good.isNewer else { return }
        let events = try HistoryEvents(reader).newest(.max).dropLast()
        let wanted = script.payloads.prefix(good.payloads).map(\.event)
        guard Array(events) == Array(wanted.suffix(events.count)),
            events.count >= 50
                || events.count == wanted.count
        else { throw Wrong(description: "\(events.count) events of \(wanted.count)") }
    }

    private func open(
        _ folder: String,
        isUpgraded: Bool,
        _ damages: [StoreDamage] = []
    ) throws -> StationStore {
        var place = StoreLocation(
            journal: folder + "/journal.ring",
            history: folder + "/history.db",
            plan: StorePlan(.megabytes(StorePlan.megabytesRange.lowerBound)),
            version: "1.0"
        )
        if isUpgraded { place.testHooks.laterSteps = [StoreWorkload.laterStep] }
        let blockSize = damages.contains(.otherBlockSize) ? 8_192 : StoreWorkload.blockSize
        let count = damages.contains(.otherBlockCount) ? 31 : StoreWorkload.blockCount
        place.plan.journal.blockSize = blockSize
        return try StationStore(place, mirrorSequence: 0) {
            try FileBlockStorage(
                path: place.journalPath,
                blockSize: blockSize,
                blockCount: count,
                caching: .buffered
            )
        }
    }

    private static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
