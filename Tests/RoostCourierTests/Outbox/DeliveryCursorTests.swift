import Core
import Testing

@testable import RoostCourier

@Suite struct DeliveryCursorTests {
    private static let boot = BootID(bytes: Array(repeating: 7, count: 16))

    /// The bytes that stations have: another order or number would lose an owner's place.
    @Test func writesTheBytesOfBefore() throws {
        let place = OutboxPosition(boot: Self.boot, bootNumber: 3, tick: Tick(tenths: 9))
        let samples = OutboxCursor(marks: [StreamID(1): StreamCursor(after: place)])
        let written = try samples.encode()
        #expect(written == [1, 0, 0, 1] + Self.boot.bytes + [1, 1, 7, 0, 9, 0, 9, 0, 9, 0, 0])
        #expect(try OutboxCursor(written) { _ in 3 } == samples)

        let files = FileCursor(origin: 5, marks: [.daily: FilePeriodCursor(from: 7)])
        #expect(files.encode() == [2, 5, 1, 1, 2, 2, 0, 0, 0, 0, 0])
        #expect(try FileCursor(files.encode()) == files)

        var drives = DriveCursor()
        (drives.seen, drives.waiting) = (.init(place), 12)
        let bytes = [3, 0, 1] + Self.boot.bytes + [9, 12, 0, 0, 0, 0, 0]
        #expect(drives.encode() == bytes)
        #expect(try DriveCursor(bytes) == drives)

        var pushes = PushCursor()
        pushes.sentCount = 3
        #expect(pushes.encode() == [4, 3, 0, 0])
        #expect(try PushCursor([4, 3, 0, 0]) == pushes)
    }

    /// Notices had the number of drives; both are read by what asks for them.
    @Test func readsNoticesUnderBothNumbers() throws {
        let old = try NoticeCursor([3, 9, 2, 0, 0x80, 0x05, 1, 4])
        #expect(old.lastNumber == 9 && old.sentCount == 2 && old.told == [4])
        #expect(old.sentAge == .seconds(640))
        #expect(old.encode() == [5, 9, 2, 0, 0x80, 0x05, 1, 4])
        #expect(try NoticeCursor(old.encode()) == old)
        #expect(throws: CursorError.otherVersion(5)) { try DriveCursor(old.encode()) }
    }

    @Test func refusesWhatIsLeftOver() throws {
        for bytes in [[4, 3, 0, 0, 0], [5, 9, 2, 0, 0, 0, 7, 7], [2, 5, 0, 0], []] as [[UInt8]] {
            #expect(throws: CursorError.self) { try PushCursor(bytes) }
            #expect(throws: CursorError.self) { try NoticeCursor(bytes) }
            #expect(throws: CursorError.self) { try FileCursor(bytes) }
        }
    }
}
