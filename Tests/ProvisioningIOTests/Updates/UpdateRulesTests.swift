import Provisioning
import Testing

@testable import ProvisioningIO

@Suite struct UpdateRulesTests {
    private func rules(
        version: String = "0.1.0",
        schema: Int? = 4,
        size: Int = 1 << 30,
        trial: TrialState = .settled
    ) -> UpdateRules {
        UpdateRules(
            board: "rpi-arm64",
            layout: 1,
            version: version,
            storeSchema: schema,
            partitionByteCount: size,
            trial: trial
        )
    }

    private func update(_ changes: [String: String] = [:]) throws -> UpdateManifest {
        let root = [UInt8](repeating: 0, count: 8_192)
        return try UpdateManifest(SignedUpdate.manifest(root: root, payload: [1], changes))
    }

    @Test func takesWhatIsForTheStation() throws {
        try rules().check(update())
        try rules(schema: nil).check(update(["storeSchema": "0"]))
        try rules(schema: 3).check(update())
        try rules(trial: .waiting(.second)).check(update())
        try rules(trial: .fellBack(from: .second)).check(update())
        // The same version again.
        let same = try update().version
        try rules(version: same).check(update())
        try rules(size: 8_192).check(update())
    }

    @Test(
        arguments: [
            (["board": #""rpi-armhf""#], "is for rpi-armhf"), (["layout": "2"], "layout 2"),
            (["minimumFrom": #""0.1.1""#], "follows 0.1.1"),
            (["storeSchema": "3"], "the store has 4"),
        ] as [([String: String], String)]
    )
    func refusesWhatIsNot(_ changes: [String: String], _ words: String) throws {
        let update = try update(changes)
        let error = #expect(throws: UpdateError.self) { try rules().check(update) }
        #expect("\(try #require(error))".contains(words))
        #expect(try #require(error).code == "refused")
    }

    /// A signed file with the holes of years ago is what a thief of the page would install.
    @Test(arguments: ["9", "0.10.0", "0.2.0+git5"])
    func refusesAnOlderVersion(_ version: String) throws {
        let update = try update(["version": #""0.2.0+git4""#])
        let error = #expect(throws: UpdateError.self) { try rules(version: version).check(update) }
        #expect("\(try #require(error))".contains("is older than \(version)"))
        #expect(try #require(error).code == "refused")
    }

    @Test func refusesWhileTheVersionIsOnTrialItself() throws {
        let update = try update()
        #expect(throws: UpdateError.self) { try rules(trial: .onTrial(.second)).check(update) }
    }

    @Test func refusesARootThatIsLargerThanItsPartition() throws {
        let update = try update()
        #expect(throws: UpdateError.self) { try rules(size: 8_191).check(update) }
    }

    @Test(arguments: [
        ("0.1.0", "0.1.1"), ("0.9.0", "0.10.0"), ("1.0~rc1", "1.0"), ("1.0", "1.0+git3"),
        ("1.0+git9", "1.0+git10"), ("", "0.0.1"), ("1.0~~", "1.0~"), ("1.0a", "1.0+"),
        ("1.009", "1.10"), ("0.1.0~deb13", "0.1.0"),
    ])
    func ordersVersionsAsDebianDoes(_ older: String, _ newer: String) {
        #expect(VersionOrder.isOlder(older, than: newer))
        #expect(!VersionOrder.isOlder(newer, than: older))
        #expect(!VersionOrder.isOlder(older, than: older))
    }

    @Test func comparesZerosAsNumbers() {
        #expect(!VersionOrder.isOlder("1.01", than: "1.1"))
        #expect(!VersionOrder.isOlder("1.1", than: "1.01"))
        #expect(!VersionOrder.isOlder("0.0.0", than: "0"))
    }
}
