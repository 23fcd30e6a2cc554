import Core
import Testing

@testable import Devices
@testable import Profiles
@testable import roost

@Suite struct ProfilesCheckTests {
    /// Settings and channels against what each driver says it reads and measures.
    @Test func everyShippedProfileIsRightForItsDriver() {
        let catalog = ProfileCatalog.shipped
        #expect(catalog.problems.map(\.description) == [])
        #expect(catalog.profiles.count == ShippedProfiles.files.count)
    }

    @Test func aReportSaysFilePlaceReasonAndSuggestion() {
        let text =
            #"{"schemaVersion": 2, "id": "a", "kind": "gpoi", "name": "A", "description": "B"}"#
        let file = ProfileFile(path: "d/a.json", bytes: Array(text.utf8))
        let report = ProfilesCheckReport(
            ProfileCatalog(overlay: [file]),
            checkedFiles: ["d/a.json"]
        )
        let problem = ProfilesCheckReport.Problem(
            file: "d/a.json",
            place: "kind",
            message: "expected one of usb-serial, gpio, bus, http, board, found \"gpoi\"",
            suggestion: "gpio"
        )
        #expect(report.problems == [problem])
    }

    /// A profile that adds a calculation alone begins no new account of a laser's hours.
    @Test(arguments: [
        ("nova-sds011-humidity", "nova-sds011"), ("winsen-mhz19b-pressure", "winsen-mhz19b"),
        ("nova-sds011", "nova-sds011"), ("generic-line", "generic-line"),
        ("mightyohm-geiger", "mightyohm-geiger"),
    ])
    func partsKeepTheirAccount(id: String, account: String) throws {
        #expect(try #require(ProfileCatalog.shipped.profile(id)).partProfileID == account)
    }

    /// Preheating is the time that a part needs after power-on, not only after a wake.
    @Test(arguments: [("winsen-mhz19b", "180 s"), ("nova-sds011", "20 s")])
    func aProfileSaysHowLongItsPartPreheats(id: String, time: String) throws {
        let profile = try #require(ProfileCatalog().profile(id))
        let line = ProfileText.lines(profile).first { $0.hasPrefix("preheat") }
        #expect(line?.hasSuffix("its first value counts after \(time) with power") == true)
    }

    @Test func aGraphIsDrawnNodeByNode() throws {
        let profile = try #require(ProfileCatalog().profile("safecast-bgeigie-nano"))
        let words = "cpm ─▶ dose(decimals 3, tube \"LND7317\", unit \"µSv/h\") ─▶ dose_rate"
        #expect(ProfileText.graph(profile) == [words])
        let plain = try #require(ProfileCatalog().profile("nova-sds011"))
        let none = ["nova-sds011 reckons nothing: all its channels are as measured"]
        #expect(ProfileText.graph(plain) == none)
        let climate = try #require(ProfileCatalog().profile("bosch-bme280"))
        let inputs = "temperature [°C], humidity [%]"
        let drawn = "\(inputs) → dewPoint, by the Magnus formula → dew_point@1 [°C]"
        #expect(ProfileText.graph(climate) == [drawn])
    }
}
