import Core
import Devices
import HardwareIO
import Testing

/// Every dialect of the catalog against streams that nobody has thought of.
@Suite struct DialectFuzzTests {
    @Test(arguments: DeviceCatalog.kinds.map(\.driver))
    func survivesFuzzedStreams(driver: String) throws {
        let kind = try #require(DeviceCatalog.kind(driver))
        let profile = SensorBench.profile(of: kind)
        let dialect = try kind.dialect(profile)
        var part = try kind.simulator(profile, 1)
        var samples: [[UInt8]] = []
        // What it says by itself, and to everything that can be said to it.
        let commands = (SensorAct.allCases + [.wake, .measure]).flatMap(dialect.commands)
        for (index, command) in (dialect.questions + commands).enumerated() {
            let now = MonotonicInstant.boot.advanced(by: .seconds(index * 10))
            samples.append(part.advance(to: now))
            samples.append(part.receive(command.bytes, at: now))
        }
        samples.append(part.advance(to: .boot.advanced(by: .minutes(10))).suffix(400))
        let said = samples.filter { !$0.isEmpty }.map { Array($0.prefix(400)) }
        try #require(!said.isEmpty, "a part that says nothing at all")
        let oracle = FrameOracle(driver: driver)
        let expected = said.contains { sample in
            var fresh = dialect
            let measured = fresh.decode(sample).count { $0.hasValue }
            return measured > 0 && measured == oracle.good(in: sample).count
        }
        #expect(expected, "the oracle and the dialect read what the part says alike")
        let fuzzer = DialectFuzzer(dialect: dialect, oracle: oracle, samples: said)
        fuzzer.run()
    }
}

extension SensorUtterance {
    fileprivate var hasValue: Bool {
        guard case .measurement(let outcomes, _) = self else { return false }
        return outcomes.contains { $0.value != nil }
    }
}
