import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct ProofMissingTests {
    private typealias Boot = QueryFixture.Boot

    /// Two channels of one device: silent for two hours of ten, off for two more.
    @Test func sumsUpWhatIsMissingByCause() throws {
        let fixture = try QueryFixture([
            Boot(started: "2026-04-14T00:00:00Z", minutes: 600, silent: [300..<420]),
            Boot(started: "2026-04-14T12:00:00Z", minutes: 600),
        ])
        let lines = try StoreLedger.reports(fixture.reader, fixture.times).flatMap(\.lines)
        let (unknown, causes) = ProofMissing.all(of: lines)
        let elapsed = Double(lines[0].elapsedTenths)
        #expect(abs(unknown - 72_000 / elapsed) < 0.002)
        let first = try #require(causes.first { $0.cause == .unexplained })
        #expect(abs(first.share - unknown) < 1e-5 && first.count == 1)
        #expect(abs(first.seconds - 7_200) <= 60 && first.devices.isEmpty)
        let off = try #require(causes.first { $0.cause == .powerLost })
        #expect(abs(off.seconds - 7_200) <= 60)
        #expect(causes.map(\.share) == causes.map(\.share).sorted(by: >))
    }

    @Test func nothingMeasuredIsNothingMissing() {
        let (unknown, causes) = ProofMissing.all(of: [])
        #expect(unknown == 0 && causes.isEmpty)
    }
}
