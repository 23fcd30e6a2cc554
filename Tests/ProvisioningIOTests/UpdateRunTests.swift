import COpenSSL
import Core
import FileIO
import Glibc
import Provisioning
import TestSupport
import Testing

@testable import ProvisioningIO

@Suite struct UpdateRunTests {
    private let folder: TestFolder
    private let root = (0..<732 * 4_096).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 5) }

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in ["run", "boot", "boot/firmware", "dev"] { mkdir(folder.path(name), 0o755) }
        write([UInt8](repeating: 0xAA, count: 4 << 20), "dev/root3")
        write(BootSlots(good: .first, tried: "0").sector, "boot/firmware/slot.txt")
    }

    private func write(_ bytes: [UInt8], _ name: String) {
        try? WholeFile.write(bytes, to: folder.path(name), mode: 0o600)
    }

    private var boot: BootPartition {
        BootPartition(folder: folder.path("boot/firmware"), lockPath: folder.path("run/lock"))
    }

    private func update(_ payload: [UInt8]) -> [UInt8] { Self.update(root, payload: payload) }

    private static func update(_ root: [UInt8], payload: [UInt8]) -> [UInt8] {
        let secret = [UInt8](repeating: 7, count: 32)
        func content(_ bytes: [UInt8]) -> String {
            #"{"size":\#(bytes.count),"sha256":"\#(UpdateDigest.of(bytes))"}"#
        }
        let manifest = Array(
            (#"{"board":"rpi-arm64","layout":1,"version":"0.2.0","build":"x","storeSchema":4,"#
                + #""minimumFrom":"0.0.0","payload":\#(content(payload)),"#
                + #""root":\#(content(root))}"#)
                .utf8
        )
        let (point, signature) = sign(manifest, secret)
        let id = UpdateKey(point: point).id
        return Array("ROOST-UPDATE-1\ned25519 \(id) \(Base64.text(signature))\n".utf8) + manifest
            + [0x0A] + payload
    }

    private static func sign(
        _ bytes: [UInt8],
        _ secret: [UInt8]
    ) -> (point: [UInt8], signature: [UInt8]) {
        var point = [UInt8](repeating: 0, count: 32)
        var signature = [UInt8](repeating: 0, count: 64)
        copenssl_sign_ed25519(secret, bytes, bytes.count, &point, &signature)
        return (point, signature)
    }

    private static var key: UpdateKey {
        UpdateKey(point: sign([], [UInt8](repeating: 7, count: 32)).point)
    }

    private func install(
        _ bytes: [UInt8],
        by decompressor: [String] = ["/bin/cat"]
    ) throws(UpdateError) -> BootSlots {
        write(bytes, "new.update")
        let card = try LinuxUpdateCard(path: folder.path("dev/root3"), slot: .second, boot: boot)
        let run = UpdateRun(
            try UpdateSource(path: folder.path("new.update")),
            decompressor: decompressor
        )
        let offer = try run.offer(trusting: [Self.key])
        let slots = BootSlots(slotText: boot.text("slot.txt"), triedText: boot.text("tried.txt"))
        let fetched = try run.fetch(offer, in: folder.path)
        return try run.install(fetched, on: card, slots: slots, running: .first) { _ in }
    }

    private var slots: BootSlots {
        BootSlots(slotText: boot.text("slot.txt"), triedText: boot.text("tried.txt"))
    }

    @Test func writesAFileThroughAProgramToThePartition() throws {
        let next = try install(update(root))
        #expect(next.trial == .second && slots.trial == .second && slots.number == "1")
        let partition = try #require(Files.start(of: folder.path("dev/root3"), limit: 4 << 20))
        #expect(partition.count == 4 << 20)
        #expect(Array(partition.prefix(root.count)) == root)
        #expect(partition.suffix(100).allSatisfy { $0 == 0xAA })
        var status = stat()
        #expect(stat(folder.path("boot/firmware/slot.txt"), &status) == 0)
        #expect(status.st_size == 512)
    }

    /// The version before is there to go back to until the whole file is known to be right.
    private var isOtherRootUntouched: Bool {
        Files.start(of: folder.path("dev/root3"), limit: 4 << 20)?.allSatisfy { $0 == 0xAA } == true
    }

    @Test func keepsThePresentRootWhenTheFileEndsEarly() throws {
        let bytes = update(root)
        for count in [0, 10, 300, bytes.count - root.count, bytes.count / 2, bytes.count - 1] {
            #expect(throws: UpdateError.self) { try install(Array(bytes.prefix(count))) }
            #expect(slots.trial == nil && slots.good == .first, "after \(count) bytes")
            #expect(isOtherRootUntouched, "after \(count) bytes")
        }
    }

    @Test func keepsThePresentRootWhenTheFileGoesOn() throws {
        #expect(throws: UpdateError.self) { try install(update(root) + [0]) }
        #expect(slots.trial == nil && isOtherRootUntouched)
    }

    @Test(arguments: [
        ["/bin/false"], ["/bin/true"], ["/nowhere/zstd"], ["/usr/bin/head", "-c", "9"],
    ])
    func keepsThePresentRootWhenTheProgramFails(_ program: [String]) throws {
        #expect(throws: UpdateError.self) { try install(update(root), by: program) }
        #expect(slots.trial == nil && slots.good == .first)
    }

    @Test func refusesAPartitionThatIsTooSmall() throws {
        write([UInt8](repeating: 0, count: 1 << 20), "dev/root3")
        #expect(throws: UpdateError.self) { try install(update(root)) }
        #expect(slots.trial == nil)
    }

    @Test func writesNothingBeforeTheSignatureIsChecked() throws {
        var bytes = update(root)
        bytes[120] ^= 1
        #expect(throws: UpdateError.self) { try install(bytes) }
        let partition = try #require(Files.start(of: folder.path("dev/root3"), limit: 4 << 20))
        #expect(partition.allSatisfy { $0 == 0xAA })
    }

    @Test func takesWhatAnotherProgramBrings() throws {
        write(update(root), "new.update")
        let card = try LinuxUpdateCard(path: folder.path("dev/root3"), slot: .second, boot: boot)
        let path = folder.path("new.update")
        let run = UpdateRun(
            try UpdateSource(command: ["/bin/cat", path]),
            decompressor: ["/bin/cat"]
        )
        let offer = try run.offer(trusting: [Self.key])
        #expect(offer.manifest.version == "0.2.0")
        let fetched = try run.fetch(offer, in: folder.path)
        #expect(isOtherRootUntouched)
        #expect(try !Files.names(in: folder.path).contains("update.part"), "it has a name")
        let next = try run.install(fetched, on: card, slots: slots, running: .first) { _ in }
        #expect(next.trial == .second)
        let partition = try #require(Files.start(of: folder.path("dev/root3"), limit: 4 << 20))
        #expect(Array(partition.prefix(root.count)) == root)
        let ends = UpdateRun(try UpdateSource(command: ["/usr/bin/head", "-c", "900", path]))
        let early = try ends.offer(trusting: [Self.key])
        #expect(throws: UpdateError.self) { try ends.fetch(early, in: folder.path) }
        let gone = UpdateRun(try UpdateSource(command: ["/bin/cat", path + ".gone"]))
        #expect(throws: UpdateError.self) { try gone.offer(trusting: [Self.key]) }
    }
}
