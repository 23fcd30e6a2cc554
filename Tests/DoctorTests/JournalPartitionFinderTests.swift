import Glibc
import HardwareIO
import Testing

@testable import LinuxPlatform

@Suite struct JournalPartitionFinderTests {
    private let tree: MadeUpTree

    init() throws { tree = try MadeUpTree() }

    private func put(_ name: String, _ bytes: [UInt8]) {
        let raw = open("\(tree.root)/\(name)", O_CREAT | O_WRONLY | O_TRUNC, 0o600)
        defer { close(raw) }
        #expect(write(raw, bytes, bytes.count) == bytes.count)
    }

    private func finder(_ partitions: String...) -> JournalPartitionFinder {
        JournalPartitionFinder(
            links: ["\(tree.root)/link"],
            partitions: partitions.map { "\(tree.root)/\($0)" }
        )
    }

    private var marked: [UInt8] { JournalPartition(blockSize: 4_096, blockCount: 767).block }

    @Test func aPartitionIsFoundByWhatItBeginsWith() throws {
        put("ext4", [UInt8](repeating: 0, count: 4_096))
        put("short", [1, 2, 3])
        put("ours", marked)
        let found = finder("none", "ext4", "short", "ours").find()
        #expect(found == "\(tree.root)/ours")
        #expect(finder("ext4").find() == nil)
    }

    @Test func udevsLinkComesFirst() throws {
        put("ours", marked)
        put("other", marked)
        #expect(symlink("other", "\(tree.root)/link") == 0)
        #expect(finder("ours").find()?.hasSuffix("/other") == true)
    }

    @Test func aStoreThatHadOneIsNotGivenAFileInItsPlace() throws {
        let folder = tree.root
        #expect(try finder().partition(for: folder) == nil)
        put("ours", marked)
        let found = try finder("ours").partition(for: folder)
        #expect(found == "\(folder)/ours")
        #expect(try finder("ours").partition(for: folder) == found)
        unlink("\(folder)/ours")
        let error = #expect(throws: StorageError.self) { try finder().partition(for: folder) }
        #expect(error == .absent(path: JournalPartition.link))
        let words = try #require(error).description
        #expect(words.contains("remove the link journal.partition"))
        unlink("\(folder)/journal.partition")
        #expect(try finder().partition(for: folder) == nil)
    }
}
