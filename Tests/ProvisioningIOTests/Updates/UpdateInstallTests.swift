import Core
import Provisioning
import Testing

@testable import ProvisioningIO

@Suite struct UpdateInstallTests {
    private static let size = 45_056
    private static let old = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    private static let new = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 17 >> 2 &+ 5) }
    /// Content of the other root before the update.
    private static let before = Array(old.reversed())
    private static let room = [UInt8](repeating: 0xEE, count: 8_192)
    private static let content = UpdateManifest.Content(size: size, sha256: UpdateDigest.of(new))

    /// Card states in which an update may begin.
    private static let beginnings: [(BootSlots, RootSlot)] = [
        (BootSlots(good: .first, tried: "0"), .first),
        (BootSlots(good: .second, tried: "4"), .second),
        // The other root waits for its trial: it is about to be overwritten.
        (BootSlots(good: .first, trial: .second, number: "5", tried: "4"), .first),
        // It was tried, and did not become good.
        (BootSlots(good: .first, trial: .second, number: "5", tried: "5"), .first),
        // The good root could not be started, and the other one stands in.
        (BootSlots(good: .second, tried: "9"), .first),
        // The boot loader's file is gone.
        (BootSlots(good: .first, trial: .second, number: "5"), .first),
    ]

    private static func card(
        _ slots: BootSlots,
        _ running: RootSlot,
        seed: UInt64 = 1
    ) -> SimulatedUpdateCard {
        SimulatedUpdateCard(
            roots: [running: old + room, running.other: before + room],
            slots: slots,
            seed: seed
        )
    }

    private static func install(
        on card: SimulatedUpdateCard,
        running: RootSlot,
        _ bytes: [UInt8] = new
    ) throws(UpdateError) -> BootSlots {
        var install = UpdateInstall(
            content,
            on: card,
            slots: card.slots,
            running: running,
            pieceByteCount: 4_096
        )
        try install.begin()
        for start in stride(from: 0, to: bytes.count, by: 5_000) {
            try install.add(Array(bytes[start..<min(start + 5_000, bytes.count)]))
        }
        return try install.finish()
    }

    private static func isWhole(_ card: SimulatedUpdateCard, _ slot: RootSlot) -> Bool {
        let root = Array((card.roots[slot] ?? []).prefix(size))
        return root == old || root == new || root == before
    }

    @Test(arguments: beginnings.indices)
    func writesTheOtherRootAndHasItTried(_ index: Int) throws {
        let (slots, running) = Self.beginnings[index]
        let card = Self.card(slots, running)
        let next = try Self.install(on: card, running: running)
        #expect(card.slots == next)
        #expect(next.good == running && next.trial == running.other && next.isTrialWaiting)
        #expect(Array(card.roots[running.other] ?? []) == Self.new + Self.room)
        #expect(Array(card.roots[running] ?? []) == Self.old + Self.room)
        #expect(card.start() == running.other)
        #expect(TrialState(card.slots, running: running.other) == .onTrial(running.other))
        // It never says that it is good.
        #expect(card.start() == running)
        #expect(TrialState(card.slots, running: running) == .fellBack(from: running.other))
    }

    @Test(arguments: beginnings.indices)
    func startsAWholeRootAfterAPowerCutAtAnyWrite(_ index: Int) throws {
        let (slots, running) = Self.beginnings[index]
        let whole = Self.card(slots, running)
        _ = try Self.install(on: whole, running: running)
        try #require(whole.writeCount > 10)
        for cut in 1...whole.writeCount {
            for seed in 0..<8 {
                let card = Self.card(slots, running, seed: UInt64(seed))
                card.cutAt = cut
                #expect(throws: UpdateError.self) { try Self.install(on: card, running: running) }
                for _ in 0..<3 {
                    let root = try #require(card.start())
                    #expect(Self.isWhole(card, root), "cut \(cut), seed \(seed): root \(root)")
                }
            }
        }
    }

    @Test func startsAWholeRootAfterAPowerCutAtAnyWriteOfTheWordThatItIsGood() throws {
        for seed in 0..<16 {
            let card = Self.card(Self.beginnings[0].0, .first, seed: UInt64(seed))
            _ = try Self.install(on: card, running: .first)
            #expect(card.start() == .second)
            card.cutAt = card.writeCount + 1
            #expect(throws: UpdateError.self) {
                try card.writeSlots(card.slots.settled(on: .second).sector)
            }
            let isGood = card.slots.good == .second
            for _ in 0..<3 { #expect(card.start() == (isGood ? .second : .first)) }
        }
    }

    @Test(arguments: [0, 1, 4_095, 4_096, 20_000, size - 1])
    func refusesARootThatEndsEarly(_ count: Int) throws {
        let card = Self.card(Self.beginnings[2].0, .first)
        let error = #expect(throws: UpdateError.self) {
            try Self.install(on: card, running: .first, Array(Self.new.prefix(count)))
        }
        #expect(try #require(error).code == "damaged")
        #expect(card.start() == .first && card.slots.trial == nil)
    }

    @Test func refusesOtherBytesAndMoreBytes() throws {
        var changed = Self.new
        changed[30_000] ^= 1
        for bytes in [changed, Self.new + [0]] {
            let card = Self.card(Self.beginnings[0].0, .first)
            let error = #expect(throws: UpdateError.self) {
                try Self.install(on: card, running: .first, bytes)
            }
            #expect(try #require(error).code == "damaged")
            #expect(card.slots.trial == nil)
            // Without its first piece it is no file system, also where its rest is there.
            #expect((card.roots[.second] ?? []).prefix(4_096).allSatisfy { $0 == 0 })
        }
    }

    @Test func refusesACardThatGivesBackOtherBytes() throws {
        let card = Self.card(Self.beginnings[0].0, .first)
        card.lies = true
        let error = #expect(throws: UpdateError.self) {
            try Self.install(on: card, running: .first)
        }
        #expect(try #require(error).code == "failed")
        #expect(card.slots.trial == nil)
        #expect((card.roots[.second] ?? []).prefix(4_096).allSatisfy { $0 == 0 })
    }
}
