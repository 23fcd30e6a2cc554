import Core
import SimulationKit
import Testing

@testable import RoostCourier
@testable import Store

@Suite struct DriveCursorTests {
    private static func place(_ random: inout SplitMix64) -> DriveCursor.Place {
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        let tick = Tick(tenths: Int64.random(in: 0...(1 << 52), using: &random))
        return DriveCursor.Place(
            OutboxPosition(boot: BootID(bytes: bytes), bootNumber: 1, tick: tick)
        )
    }

    @Test func comesBackAsItWas() throws {
        var random = SplitMix64(seed: 21)
        for round in 0..<300 {
            var mark = DriveCursor()
            if round % 2 == 0 { mark.settled = Self.place(&random) }
            if round % 3 == 0 { mark.seen = Self.place(&random) }
            mark.waiting = Int.random(in: 0...9_000_000, using: &random)
            mark.hasExpired = Bool.random(using: &random)
            mark.delivered = .init(files: 3, samples: Int.random(in: 0...9_000, using: &random))
            for reason in LeftOut.allCases where Bool.random(using: &random) {
                mark.leftOut[reason] = .init(files: 2, samples: 77)
            }
            #expect(try DriveCursor(mark.encode()) == mark)
        }
    }

    @Test func keepsAnUploadUnderWay() throws {
        let boot = BootID(bytes: Array(repeating: 7, count: 16))
        let place = OutboxPosition(boot: boot, bootNumber: 3, tick: Tick(tenths: 42))
        var machine = DriveMachine(pace: .seconds(1), seed: 1)
        let drive = PlannedDrive(name: "ride", at: place, samples: 12)
        _ = machine.see([drive], after: nil)
        let dates = DriveDates(from: TargetFixture.time, to: TargetFixture.time)
        #expect(machine.begin(drive, dates).isNew)
        let upload = DriveUpload(importID: 0, isDescribed: true)
        _ = machine.finish(.moved(upload), of: drive, lines: 12, at: .boot)
        let read = try DriveCursor(machine.mark.encode())
        #expect(read == machine.mark && read.uploads.map(\.upload) == [upload])
        var next = DriveMachine(read, pace: .seconds(1), seed: 1)
        let later = DriveDates(from: WallTime(tenths: 5), to: WallTime(tenths: 9))
        let again = next.begin(drive, later)
        #expect(again.current.upload == upload && again.current.dates == dates && !again.isNew)
    }

    @Test func fitsWithEveryNumberAtItsLargest() throws {
        let most = 1 << 53
        var mark = DriveCursor()
        let boot = BootID(bytes: Array(repeating: 255, count: 16))
        let place = OutboxPosition(boot: boot, bootNumber: 1, tick: Tick(tenths: Int64(most)))
        mark.settled = .init(place)
        mark.seen = .init(place)
        mark.waiting = most
        mark.delivered = .init(files: most, samples: most)
        for reason in LeftOut.allCases { mark.leftOut[reason] = .init(files: most, samples: most) }
        var machine = DriveMachine(mark, pace: .zero, seed: 1)
        let last = WallTime(tenths: 88_000_000_000)
        let dates = DriveDates(from: last, to: WallTime(tenths: 90_000_000_000))
        for number in 0..<9 {
            let tick = Tick(tenths: Int64(most - number))
            let place = OutboxPosition(boot: boot, bootNumber: 1, tick: tick)
            let drive = PlannedDrive(name: "ride", at: place, samples: most)
            _ = machine.begin(drive, dates)
            let upload = DriveUpload(importID: most - 1, isDescribed: true)
            _ = machine.finish(.moved(upload), of: drive, lines: 0, at: .boot)
        }
        let bytes = machine.mark.encode()
        #expect(bytes.count == 716)
        #expect(bytes.count <= OutboxCursor.byteLimit)
        #expect(try DriveCursor(bytes) == machine.mark)
    }

    @Test func refusesWhatIsNoCursorOfDrives() throws {
        #expect(throws: CursorError.otherVersion(2)) {
            try DriveCursor(FileCursor(origin: 5, marks: [:]).encode())
        }
        var mark = DriveCursor()
        mark.waiting = 9
        let bytes = mark.encode()
        for length in 0..<bytes.count {
            #expect(throws: CursorError.self) { try DriveCursor(Array(bytes.prefix(length))) }
        }
        #expect(throws: CursorError.malformed) { try DriveCursor(bytes + [0]) }
    }
}
