import Core
import SimulationKit
import StoreFixtures
import Testing

@testable import RoostCourier
@testable import Store
@testable import StoreQueries

/// Files of a real history.
@Suite struct StoreFileSourceTests {
    /// Opens the history anew at each question, as the courier's thread would.
    private struct Access: HistoryAccess {
        let path: String

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (HistoryReader, StoreTimes) throws -> Value
        ) async throws -> Value {
            let reader = try HistoryReader(path: path)
            return try body(reader, try StoreTimes(reader))
        }
    }

    /// 2022-11-06T07:49:00Z.
    private static let start = 1_667_720_940

    private func source(
        _ path: String,
        _ clock: SimulatedClock,
        _ naming: FileNaming = .seed
    ) -> StoreFileSource {
        StoreFileSource(
            Access(path: path),
            naming: naming,
            zone: .utc,
            clock: clock
        )
    }

    @Test func makesFilesOfCompleteWindowsAlone() throws {
        let fixture = try QueryFixture([.init(started: "2022-11-06T07:49:00Z", minutes: 200)])
        defer { withExtendedLifetime(fixture) {} }
        let path = fixture.path + "/history.db"
        try simulate { clock in
            let source = source(path, clock)
            let extent = try #require(try await source.extent())
            let origin = extent.lowerBound
            #expect(origin == Self.start)
            var files: [PlannedFile] = []
            var from = origin
            while let file = try await source.next(.hourly, from: from, origin: origin) {
                files.append(file)
                from = file.range.upperBound
            }
            #expect(files.map(\.name).first == "Sun Nov  6 07:49:00 2022.csv")
            #expect(files.count == 3)
            #expect(try await source.next(.daily, from: origin, origin: origin) == nil)
            #expect(try await source.count(origin..<from) == 180)
            #expect(try await source.count(origin..<extent.upperBound + 1) == 200)
            let second = files[1]
            let file = try await OutboxFile(path: "x") { number in
                try await source.piece(number, of: second, origin: origin)
            }
            var bytes: [UInt8] = []
            let stream = FileStream(file, count: file.size)
            while let piece = try await stream.next() { bytes += piece }
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            #expect(lines.count == 120)
            #expect(lines.first?.hasSuffix(",Sun Nov  6 08:49:00 2022") == true)
            #expect(lines.first?.hasPrefix("PM2.5,") == true)
            #expect(CourierCrypto.md5(bytes) == file.md5)
            let iso = try await self.source(path, clock, .iso)
                .next(.hourly, from: origin, origin: origin)
            #expect(iso?.name == "20221106T074900Z.csv")
        }
    }

    @Test func waitsForASilentSensorBeforeItsFileIsOver() throws {
        let fixture = try QueryFixture([.init(started: "2022-11-06T07:49:00Z", minutes: 50)])
        defer { withExtendedLifetime(fixture) {} }
        let path = fixture.path + "/history.db"
        try simulate { clock in
            let source = source(path, clock)
            for (seconds, isThere) in [(3_600, false), (4_499, false), (4_500, true)] {
                let wall = WallTime(nanoseconds: Int64(Self.start + seconds) * 1_000_000_000)
                clock.setWallTime(wall)
                let file = try await source.next(.hourly, from: Self.start, origin: Self.start)
                #expect((file != nil) == isThere, "\(seconds)")
            }
        }
    }
}
