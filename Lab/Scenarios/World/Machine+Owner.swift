import ControlProtocol
import Core
import HardwareIO
import PowerCut
import Store

// Acts of the owner while the station lives.
extension Machine {
    func beginOwner(_ fault: PlannedFault) {
        switch fault.kind {
        case .rename:
            if let part = world.part(fault.part) { ask(.rename(part)) }
        case .addDevice:
            ask(.addDevice)
            world.plan(at: now.advanced(by: fault.length)) { $0.ask(.removeDevice) }
        case .recordOff:
            guard let part = world.part(fault.part) else { return }
            ask(.record(part, isOn: false))
            world.plan(at: now.advanced(by: fault.length)) { $0.ask(.record(part, isOn: true)) }
        case .importFiles where !isStopping:
            // An import wants the store for itself.
            world.isImportDue = true
            stop(.restarted)
        default: break
        }
    }

    /// Adds the HTTP device that is on the network and not configured.
    func addDevice() async throws {
        let annex = WorldNetwork.annex
        var question = ConfigureDevice(
            annex.name,
            address: annex.host,
            seconds: annex.interval.inSeconds
        )
        question.profile = annex.profile
        guard !isDead, !isStopping, try await ask(question) != nil else { return }
        world.fire(.addDevice)
    }

    func removeDevice() async throws {
        guard !isDead, !isStopping else { return }
        _ = try await ask(RemoveDevice(WorldNetwork.annex.name))
    }

    /// Switches the record of a part's device.
    func record(_ part: Part, _ isOn: Bool) async throws {
        guard !isDead, !isStopping, let device = world.records.deviceOfPart[part.name] else {
            return
        }
        world.records.recording.append(device, .unsure, at: now)
        guard try await ask(RecordDevice(device, isOn: isOn)) != nil else { return }
        world.records.recording.append(device, isOn ? .on : .off, at: now)
        if !isOn { world.fire(.recordOff) }
    }

    /// Gives the device of a part another name, or one that it had before.
    ///
    /// Renames a part, unless it uses another's id or no store keeps the name.
    func rename(_ part: Part) async throws {
        guard !isDead, !isStopping, part.isPlugged,
            let open = world.records.segments.last?.storeOpenAt,
            open.duration(to: now) > .minutes(5),
            !world.hasCardTrouble(at: now), !world.hasLied(part, by: now),
            let devices = try await ask(GetDevices())
        else { return }
        let found = devices.found.first { found in
            found.state == "adopted" && found.node.map { partsByNode[$0] === part } == true
        }
        // Settings kept for a device go with its name; the checker knows one name of each.
        guard let old = found?.name, !isDead, part.isPlugged, !world.records.recording.names(old)
        else { return }
        var chance = world.dice(at: now)
        let own = world.records.givenNames.map(\.name).filter { $0.hasPrefix("\(part.name)-") }
        let fresh = "\(part.name)-\(own.count + 1)"
        let name = !own.isEmpty && chance.index(4) == 0 ? own[chance.index(own.count)] : fresh
        guard name != old, try await ask(RenameDevice(old, to: name)) != nil else { return }
        world.fire(.rename)
        let segment = world.records.segments.count - 1
        world.records.givenNames.append(
            LifeRecords.GivenName(name: name, was: old, at: now, segment: segment)
        )
        world.records.deviceOfPart[part.name] = name
    }
}

extension World {
    /// Whether the card is not as it should be, or was not a moment ago.
    func hasCardTrouble(at now: MonotonicInstant) -> Bool {
        records.windows.contains {
            Checker.cardTrouble.contains($0.kind) && $0.end.advanced(by: .minutes(6)) > now
        }
    }

    /// Whether a part says another's id, or did so a moment ago.
    func hasLied(_ part: Part, by now: MonotonicInstant) -> Bool {
        records.windows.contains { window in
            window.kind == .wrongID && window.part == part.name
                && window.end.duration(to: now) < Machine.nameGrace
        }
    }

    /// Whether a name that the owner gave may be gone: a card lied or rotted since, or the process
    /// ended before it could be written.
    func hasLostName(_ name: String, at now: MonotonicInstant) -> Bool {
        guard let given = records.givenNames.last(where: { $0.name == name }) else { return false }
        let end = records.segments[given.segment].end
        if given.segment < records.segments.count - 1, given.at.duration(to: end) < .minutes(1) {
            return true
        }
        return records.windows.contains {
            Checker.faithless.contains($0.kind) && $0.start < now
                && $0.end > given.at.advanced(by: .hours(-26))
        }
    }

    /// A bit of the history's log turns over, or a page of it is gone, while no process runs.
    func rotLog(at now: MonotonicInstant) {
        let size = card.byteCounts["history.db-wal"] ?? 0
        guard size > 4_096, meets(.logRot, at: now) else { return }
        var chance = dice(at: now)
        let isPage = chance.index(3) == 0
        let place = chance.index(size - (isPage ? 4_096 : 1))
        let bit = UInt8(1) << UInt8(chance.index(8))
        let isDone = try? card.rot("history.db-wal", at: place, count: isPage ? 4_096 : 1) {
            isPage ? 0 : $0 ^ bit
        }
        if isDone == true { fire(.logRot) }
    }

    /// Imports what the owner has stopped the station for.
    ///
    /// - Returns: Whether anything was tried.
    func importFiles(after segment: LifeRecords.Segment) -> Bool {
        guard isImportDue else { return false }
        isImportDue = false
        guard segment.ending == .restarted, card.byteCounts["history.db"] != nil else {
            return false
        }
        do {
            if let made = try OwnerImport(self, at: segment.end).run() {
                fire(.importFiles)
                records.imports.append(made)
                log.line("import \(made.device) \(made.sampleCount)", at: segment.end)
            }
        } catch {
            log.line("import refused", at: segment.end)
        }
        return true
    }
}

/// Files of another program that an owner brings: all values differ, so they take much room.
struct OwnerImport {
    /// Time that an import takes the owner.
    static let time: Duration = .minutes(1)
    private static let channelCount = 12
    private static let sourceCount = 3
    private static let batchCount = 1_000
    /// Percent of the ring of samples that an import fills.
    private static let share = 10...30

    private let world: World
    private let at: MonotonicInstant

    init(_ world: World, at instant: MonotonicInstant) { (self.world, at) = (world, instant) }

    /// Imports as much as fills a part of the ring.
    ///
    /// - Returns: What was imported; nil when the history is a newer version's.
    /// - Throws: `ImportError`, `StoreError`: nothing was imported.
    func run() throws -> LifeRecords.Import? {
        var chance = world.dice(at: at)
        let device = "periods:shed-\(chance.index(Self.sourceCount) + 1)"
        let wanted = Double(Self.share.lowerBound + chance.index(Self.share.count)) / 100
        let (history, _) = try HistoryFile.open(
            path: "\(world.card.folder)/history.db",
            plan: StorePlan(.megabytes(world.scenario.megabytes)),
            testHooks: world.historyTestHooks
        )
        let before = world.records.imports.filter { $0.device == device }
        var next = before.map(\.sampleCount).reduce(0, +)
        let report = try HistoryImport.run(into: history) { target in
            var report = try target.report()
            while report.samplesShare < wanted {
                try target.add(samples(from: next, of: device, &chance))
                next += Self.batchCount
                report = try target.report()
            }
            return (report, .keep)
        }
        try history.close()
        return LifeRecords.Import(
            device: device,
            at: at,
            sampleCount: report.samples,
            hasOverwritten: !report.overwritten.isEmpty
        )
    }

    private func samples(
        from first: Int,
        of device: String,
        _ chance: inout SplitMix64
    ) -> [ImportedSample] {
        // A year before the station was there, a second apart.
        let start = World.birth.nanoseconds - 365 * 86_400_000_000_000
        return (first..<first + Self.batchCount).map { number in
            let values = (1...Self.channelCount).map { channel in
                let mantissa = Int64(chance.index(60_000))
                return ImportedSample.Value(
                    Quantity(name: "p\(channel)", unit: "µg/m³", decimals: 1),
                    FixedPoint(mantissa, decimals: 1)
                )
            }
            let wall = WallTime(nanoseconds: start + Int64(number) * 1_000_000_000)
            return ImportedSample(source: device, wall: wall, values: values)
        }
    }
}

/// A journal's ring with slots that refuse what is written while its card is worn there.
///
/// Unchecked by the compiler: one simulation is one thread.
final class WornStorage: BlockStorage {
    private let storage: any BlockStorage
    private unowned let machine: Machine

    init(_ storage: any BlockStorage, of machine: Machine) {
        (self.storage, self.machine) = (storage, machine)
    }

    var blockSize: Int { storage.blockSize }
    var blockCount: Int { storage.blockCount }
    var isReadOnly: Bool { machine.world.isOpen(.cardReadOnly, at: machine.now) }

    func read(_ index: Int) throws(StorageError) -> [UInt8] { try storage.read(index) }

    func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        if let bad = machine.world.badSlots, !machine.isDead,
            bad.first..<bad.first + bad.count ~= index % Self.cycle
        {
            machine.world.fire(.badSlots)
            throw .failed(call: "pwrite", errno: 5, path: "journal.ring")
        }
        try storage.write(index, bytes)
    }

    func sync() throws(StorageError) { try storage.sync() }

    /// Worn places repeat, so that a long ring meets one within half a day.
    private static let cycle = 128
}
