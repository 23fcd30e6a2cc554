import Core
import Testing

@testable import Devices
@testable import Profiles
@testable import Station

@Suite struct ProbePlanTests {
    /// A part that obeys and sends nothing was asleep before the probe, and is after it.
    @Test(arguments: ["nova-sds011", "plantower-pms"])
    func whatIsWokenForNothingIsPutToRest(id: String) throws {
        let profile = try #require(ProfileCatalog.shipped.profile(id))
        let kind = try #require(profile.driver.flatMap(DeviceCatalog.kind))
        let dialect = try kind.dialect(profile)
        var plan = ProbePlan([RankedProfile(profile, rank: 1)], expecting: id, at: .boot)
        var (now, sent) = (MonotonicInstant.boot, [[UInt8]]())
        probe: while true {
            switch plan.next(at: now) {
            case .open: continue
            case .listen(let until): now = until
            case .send(let bytes): sent.append(bytes)
            case .end(let verdict):
                guard case .unknown = verdict else {
                    Issue.record("nothing was heard, and it is \(verdict)")
                    return
                }
                break probe
            }
        }
        let wake = try #require(dialect.commands(for: .wake).first).bytes
        let rest = dialect.commands(for: .rest).map(\.bytes)
        #expect(sent.contains(wake))
        #expect(Array(sent.suffix(rest.count)) == rest && !rest.isEmpty)
        #expect(MonotonicInstant.boot.duration(to: now) <= ProbePlan.limit)
    }
}
