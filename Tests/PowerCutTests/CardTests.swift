import Testing

@testable import PowerCut

@Suite struct CardTests {
    private static let old: Card.Files = ["a": [1, 1, 1, 1]]

    private func card(
        _ operations: PowerCutOperation...,
        names: NameDurability = .afterFolderSync
    ) -> Card {
        var card = Card(Self.old, nameDurability: names)
        for operation in operations { card.apply(operation) }
        return card
    }

    @Test func forgetsWhatWasNotSynced() {
        let card = card(.write("a", offset: 2, bytes: [2, 2, 2]))
        #expect(card.survivors(.nothing, at: 0) == Self.old)
        #expect(card.survivors(.namesOnly, at: 0) == Self.old)
        #expect(card.survivors(.everything, at: 0) == ["a": [1, 1, 2, 2, 2]])
        #expect(!card.isSettled)
    }

    @Test func keepsWhatWasSynced() {
        let card = card(
            .write("a", offset: 6, bytes: [2]),
            .truncate("a", byteCount: 7),
            .sync("a")
        )
        #expect(card.survivors(.nothing, at: 0) == ["a": [1, 1, 1, 1, 0, 0, 2]])
        #expect(card.isSettled)
    }

    @Test func syncsOneFileWithoutTheOthers() {
        let card = card(
            .create("b"),
            .syncFolder,
            .write("a", offset: 0, bytes: [2]),
            .write("b", offset: 0, bytes: [3]),
            .sync("b")
        )
        #expect(card.survivors(.nothing, at: 0) == ["a": [1, 1, 1, 1], "b": [3]])
    }

    @Test func needsASyncOfTheFolderForNames() {
        let card = card(.create("b"), .write("b", offset: 0, bytes: [3]), .sync("b"), .delete("a"))
        #expect(card.survivors(.nothing, at: 0) == Self.old)
        #expect(card.survivors(.namesOnly, at: 0) == ["b": [3]])
    }

    @Test func takesAnySyncForNamesWhereTheFileSystemDoes() {
        let card = card(
            .create("b"),
            .delete("a"),
            .sync("b"),
            .create("c"),
            names: .afterAnySync
        )
        #expect(card.survivors(.nothing, at: 0) == ["b": []])
        #expect(card.survivors(.everything, at: 0) == ["b": [], "c": []])
    }

    @Test func keepsTheContentOfARenamedFile() {
        let card = card(
            .create("a.new"),
            .write("a.new", offset: 0, bytes: [2]),
            .sync("a.new"),
            .rename("a.new", to: "a")
        )
        #expect(card.survivors(.nothing, at: 0) == Self.old)
        #expect(card.survivors(.everything, at: 0) == ["a": [2]])
    }

    @Test func bringsBackTheOldFileWhenItsDeletionIsLost() {
        let card = card(.delete("a"), .create("a"), .write("a", offset: 0, bytes: [2]))
        #expect(card.survivors(.nothing, at: 0) == Self.old)
        #expect(card.survivors(.namesOnly, at: 0) == ["a": []])
        #expect(card.survivors(.everything, at: 0) == ["a": [2]])
    }

    @Test func tearsOnlyBetweenSectors() {
        let zeros = [UInt8](repeating: 0, count: 2_048)
        var card = Card(["a": FileImage(zeros)], nameDurability: .afterFolderSync)
        card.apply(.write("a", offset: 300, bytes: [UInt8](repeating: 7, count: 1_000)))
        var states: Set<[[UInt8]]> = []
        for seed in 0..<200 as Range<UInt64> {
            let bytes = card.survivors(.torn(seed: seed), at: 0)["a"]?.bytes ?? []
            let pieces = [300..<512, 512..<1_024, 1_024..<1_300].map { Set(bytes[$0]) }
            #expect(pieces.allSatisfy { $0.count == 1 })
            #expect(bytes.count == 2_048)
            states.insert(pieces.map { $0.sorted() })
        }
        #expect(states.count == 8)
    }

    @Test func losesAnySubsetOfWritesAtRandom() {
        var card = Card(["a": []], nameDurability: .afterFolderSync)
        for byte in 1...3 as ClosedRange<UInt8> {
            card.apply(.write("a", offset: Int(byte) - 1, bytes: [byte]))
        }
        let states = Set((0..<200).map { card.survivors(.random(seed: $0), at: 0)["a"] ?? [] })
        // Eight subsets, and those without the last byte also filled with zeros to the full size.
        #expect(states.count == 12)
        #expect(states.contains([]))
        #expect(states.contains([0, 0, 0]))
        #expect(states.contains([1, 2, 3]))
    }
}
