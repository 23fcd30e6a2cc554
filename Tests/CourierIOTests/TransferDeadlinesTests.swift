import Core
import Testing

@testable import CourierIO
@testable import RoostCourier

/// Tests a server's time limits for each stage, on a test clock.
@Suite struct TransferDeadlinesTests {
    private typealias Progress = TransferDeadlines.Progress

    private static func at(_ seconds: Int64) -> MonotonicInstant {
        .boot.advanced(by: .seconds(seconds))
    }

    /// Returns the second in which a transfer ends and its failure, checking each second.
    private static func end(
        addressCount: Int = 1,
        wholeSeconds: Int = 60,
        _ progress: (_ second: Int64) -> Progress
    ) -> (second: Int64, failure: NetworkFailure)? {
        var deadlines = TransferDeadlines(
            place: "server.example",
            addressCount: addressCount,
            wholeSeconds: wholeSeconds
        )
        for second in Int64(0)...1_000 {
            do throws(NetworkFailure) {
                _ = try deadlines.next(progress(second), now: at(second))
            } catch {
                return (second, error)
            }
        }
        return nil
    }

    /// Connected and encrypted at once, the whole request sent at the first second.
    private static func sent() -> Progress {
        var progress = Progress(begunAt: at(0))
        (progress.connectedAt, progress.readyAt, progress.sentAt) = (at(0), at(0), at(1))
        return progress
    }

    @Test(arguments: [(1, 10), (2, 20)])
    func aServerThatDoesNotAcceptEndsIt(addressCount: Int, second: Int64) throws {
        let end = Self.end(addressCount: addressCount) { _ in Progress(begunAt: Self.at(0)) }
        let found = try #require(end)
        #expect(found.second == second && found.failure.stage == .connectTimedOut)
        #expect(!found.failure.wasSent)
    }

    @Test func aServerThatAcceptsAndAgreesOnNoEncryptionEndsItAfter15Seconds() throws {
        let end = Self.end { _ in
            var progress = Progress(begunAt: Self.at(0))
            progress.connectedAt = Self.at(2)
            return progress
        }
        let found = try #require(end)
        #expect(found.second == 17 && found.failure.stage == .encryption)
        #expect(!found.failure.wasSent)
    }

    @Test func aServerThatTakesTheRequestAndIsSilentEndsItAfter30Seconds() throws {
        let found = try #require(Self.end { _ in Self.sent() })
        #expect(found.second == 31 && found.failure.stage == .silent)
        #expect(found.failure.wasSent)
    }

    @Test func aServerThatStopsInItsAnswerEndsItAfter20Seconds() throws {
        let end = Self.end { second in
            var progress = Self.sent()
            if second >= 5 { progress.receivedAt = Self.at(min(second, 7)) }
            return progress
        }
        let found = try #require(end)
        #expect(found.second == 27 && found.failure.stage == .silent)
    }

    @Test func aByteEachTenSecondsDoesNotKeepItOpen() throws {
        let end = Self.end { second in
            var progress = Self.sent()
            if second >= 10 { progress.receivedAt = Self.at(second / 10 * 10) }
            return progress
        }
        let found = try #require(end)
        #expect(found.second == 60 && found.failure.stage == .silent)
        #expect(found.failure.words.contains("no whole answer within 60 s"))
    }

    @Test(arguments: [(200, 60), (300, 600)])
    func anUploadMovesABytesFloorInEachMinute(bytesInSecond: Int64, second: Int64) throws {
        let end = Self.end(wholeSeconds: 600) { now in
            var progress = Progress(begunAt: Self.at(0))
            (progress.connectedAt, progress.readyAt) = (Self.at(0), Self.at(0))
            progress.sentCount = Int(now * bytesInSecond)
            return progress
        }
        let found = try #require(end)
        #expect(found.second == second && found.failure.stage == .silent)
        #expect(!found.failure.wasSent)
    }
}
