import Camera
import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import SimulationKit

/// Lives of a camera without a real one: motions, a camera and a card with faults, masked times,
/// kills and power cuts, by a seed.
///
/// The machine and the ring are those of `roost-eyes`; threads, process and station are left out.
@Suite struct EyesLifeTests {
    private enum Camera: CaseIterable { case well, slow, failing, absent }

    /// State of the simulated world beside the machine and the ring.
    private struct World {
        var random: SplitMix64
        var card: SimulatedBlockStorage
        let shape: PictureShape
        var machine = MotionMachine()
        var camera = Camera.well
        var isMasked = false
        /// Motions whose picture is being taken, the oldest first.
        var waiting: [Int] = []
        var motionCount = 0
        /// Motions seen by this process.
        var seen = 0
        /// Motions whose picture was acknowledged, the newest last.
        var kept: [Int] = []
        /// Events that this process asked the station to record.
        var news: [MotionMachine.News] = []
        /// Motions of this process that have no picture, with a sure time.
        var lacking: [Int] = []

        init(seed: UInt64, shape: PictureShape) {
            (random, self.shape) = (SplitMix64(seed: seed), shape)
            card = SimulatedBlockStorage(blockSize: 4_096, blockCount: shape.blockCount)
        }

        mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }
    }

    private static func picture(_ number: Int) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(number))
        return (0..<(1_000 + number % 7_000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private static func motion(_ number: Int) -> SeenMotion {
        SeenMotion(
            source: "door",
            time: WallTime(nanoseconds: Int64(number) * 1_000_000_000),
            instant: MonotonicInstant(nanoseconds: Int64(number))
        )
    }

    @Test(arguments: 1...Exhaustive.cameraLives)
    func eachMotionIsAccountedFor(seed: UInt64) throws {
        let shape = try #require(PictureShape(megabytes: 1, count: 6))
        var world = World(seed: seed, shape: shape)
        for _ in 0..<400 {
            try step(&world)
            try check(world, seed)
        }
        // The camera works again, and the next motion has its picture.
        (world.camera, world.isMasked, world.card.faults) = (.well, false, .init())
        while !world.waiting.isEmpty { finish(&world) }
        move(&world)
        finish(&world)
        try check(world, seed)
        #expect(world.kept.last == world.motionCount && world.machine.trouble == nil)
    }

    private func step(_ world: inout World) throws {
        switch world.random.next() % 20 {
        case 0..<9: move(&world)
        case 9..<15: if world.camera != .slow { finish(&world) }
        case 15: world.camera = Camera.allCases[Int(world.random.next() % 4)]
        case 16: world.isMasked.toggle()
        case 17:
            world.card.faults = .init()
            world.card.faults.isReadOnly = world.chance(30)
            world.card.faults.isFull = world.chance(20)
        case 18:
            let news = world.machine.look(isThere: world.camera != .absent, absence: "away")
            if let news { world.news.append(news) }
        default:
            if world.chance(50) { cutPower(&world) }
            start(&world)
        }
    }

    private func move(_ world: inout World) {
        world.motionCount += 1
        world.seen += 1
        let number = world.motionCount
        switch world.machine.admit(Self.motion(number), isMasked: world.isMasked) {
        case .capture: world.waiting.append(number)
        case .masked: world.lacking.append(number)
        case .leftOut(let report):
            world.lacking.append(number)
            if let news = report.news { world.news.append(news) }
        }
    }

    /// Finishes the oldest picture, with success or failure.
    private func finish(_ world: inout World) {
        guard !world.waiting.isEmpty else { return }
        let number = world.waiting.removeFirst()
        guard !world.isMasked else {
            world.machine.mask(Self.motion(number))
            return world.lacking.append(number)
        }
        let isTaken = world.camera == .well || world.camera == .slow
        let hasRoom = isTaken && keep(number, &world)
        guard !hasRoom else {
            world.kept.append(number)
            if let news = world.machine.succeed() { world.news.append(news) }
            return
        }
        world.lacking.append(number)
        let report = world.machine.fail(Self.motion(number), isTaken ? "card" : "camera")
        if let news = report.news { world.news.append(news) }
    }

    private func keep(_ number: Int, _ world: inout World) -> Bool {
        do throws(StorageError) {
            let ring = try PictureRing(world.card, shape: world.shape)
            try ring.add(Self.picture(number), of: Self.motion(number))
            return true
        } catch { return false }
    }

    /// Cuts the power in the middle of a picture, if one waits.
    private func cutPower(_ world: inout World) {
        world.card.faults = .init()
        world.card.faults.powerEndsAt =
            world.card.operationCount + Int(world.random.next() % 8)
        if let number = world.waiting.first, keep(number, &world) { world.kept.append(number) }
        let survivals: [SimulatedBlockStorage.Survival] = [
            .nothing, .everything, .someWrites(seed: world.random.next()),
            .someSectors(seed: world.random.next()),
        ]
        world.card = world.card.afterPowerCut(survivals[Int(world.random.next() % 4)])
    }

    /// Starts a new process, which has no waiting motions.
    private func start(_ world: inout World) {
        world.machine = MotionMachine()
        (world.waiting, world.seen, world.news, world.lacking) = ([], 0, [], [])
    }

    private func check(_ world: World, _ seed: UInt64) throws {
        let machine = world.machine
        let sum = machine.taken + machine.leftOut + machine.masked + machine.waiting
        try #require(sum == world.seen, "seed \(seed)")
        try #require(machine.waiting == world.waiting.count)
        try #require(machine.waiting <= MotionMachine.waitingMax)
        // Trouble and its end alternate.
        for (one, next) in zip(world.news, world.news.dropFirst()) {
            switch (one, next) {
            case (.fails, .works), (.works, .fails): break
            default: Issue.record("seed \(seed): \(one), then \(next)")
            }
        }
        let lacks = machine.lacks.all.map { Int($0.time / 1_000_000_000) }
        try #require(lacks == Array(world.lacking.suffix(64)), "seed \(seed)")
        try checkRing(world, seed)
    }

    /// Checks that pictures are whole and of one motion, and the newest acknowledged ones there.
    private func checkRing(_ world: World, _ seed: UInt64) throws {
        guard !world.kept.isEmpty else { return }
        let ring = try PictureRing(asFound: world.card)
        let numbers = ring.records.map { Int($0.instant.nanoseconds) }
        try #require(Set(ring.records.map(\.number)).count == numbers.count, "seed \(seed)")
        for (record, number) in zip(ring.records, numbers) {
            try #require(ring.picture(record) == Self.picture(number), "seed \(seed)")
        }
        // An interrupted one may have replaced the oldest, or be there unacknowledged.
        let newest = Set(world.kept).union(numbers).sorted().suffix(world.shape.slotCount - 1)
        try #require(Set(newest).isSubset(of: numbers), "seed \(seed)")
    }
}
