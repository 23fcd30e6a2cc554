import Core
import HardwareIO
import Testing

@testable import Profiles

@Suite struct ProfileCatalogTests {
    private static func file(_ text: String, _ path: String = "d/my-meter.json") -> ProfileFile {
        ProfileFile(path: path, bytes: Array(text.utf8))
    }

    private static func tty(_ properties: [String: String]) -> HotplugDevice {
        HotplugDevice(
            devpath: "/devices/usb1/1-1/1-1:1.0/ttyUSB0/tty/ttyUSB0",
            node: "/dev/ttyUSB0",
            subsystem: "tty",
            properties: properties
        )
    }

    @Test func theShippedProfilesAreTheFolderAndAreInOrder() throws {
        let names = try Repository.names("hardware-profiles", suffix: ".json")
            .filter { $0 != "profile.schema.json" }
            .sorted { $0.dropLast(".json".count) < $1.dropLast(".json".count) }
        let files = ShippedProfiles.files
        #expect(files.map(\.path) == names.map { "shipped/\($0)" })
        for (name, file) in zip(names, files) {
            #expect(file.contents == .success(try Repository.bytes("hardware-profiles/\(name)")))
        }
        let catalog = ProfileCatalog()
        #expect(catalog.problems.map(\.description) == [])
        #expect(catalog.profiles.map { "\($0.id).json" } == names)
        let drivers = Set(catalog.profiles.compactMap(\.driver))
        #expect(drivers == Set(ProfileReader.knownDrivers.keys))
    }

    @Test func theMilanoBoardHasItsElevenFieldsInOrder() throws {
        let board = try #require(ProfileCatalog().profile("milano-board"))
        let names = [
            "temperature", "humidity", "pressure", "altitude", "tvocs", "co2", "pm05", "pm1",
            "pm25", "pm4", "pm10",
        ]
        #expect(board.channels.map(\.quantity.name) == names)
        guard case .object(let settings) = board.settings else { return #expect(Bool(false)) }
        #expect(settings["fields"] == .array(names.map { .string($0) }))
        #expect(settings["intervalSeconds"] == .number(5))
        #expect(board.channels[2].quantity.unit == "Pa")
    }

    @Test func aFileOfTheOwnerTakesTheShippedPlaceAndSaysSo() throws {
        let shipped = try #require(
            ShippedProfiles.files.first { $0.path == "shipped/winsen-mhz19b.json" }
        )
        let text = String(decoding: try shipped.contents.get(), as: UTF8.self)
            .replacing("Winsen MH-Z19B", with: "My CO₂")
        let file = Self.file(text, "d/winsen-mhz19b.json")
        let catalog = ProfileCatalog(overlay: [file])
        #expect(catalog.problems.isEmpty)
        #expect(catalog.profile("winsen-mhz19b")?.name == "My CO₂")
        #expect(catalog.profiles.count == ShippedProfiles.files.count)
        let note = "d/winsen-mhz19b.json replaces shipped/winsen-mhz19b.json"
        #expect(catalog.notes == [note])
    }

    @Test func namesWhatIsBrokenAndLoadsTheRest() {
        let files = [
            Self.file("{", "d/a.json"), ProfileFile(path: "d/b.json", unreadable: "is no file"),
            Self.file(ProfileSample.text),
        ]
        let catalog = ProfileCatalog(overlay: files)
        let expected = [
            "d/a.json: not JSON: it ends in the middle (line 1)", "d/b.json: is no file",
        ]
        #expect(catalog.problems.map(\.description) == expected)
        #expect(catalog.profile("my-meter") != nil)
        #expect(catalog.profiles.count == ShippedProfiles.files.count + 1)
    }

    @Test func refusesWhatNoProbeCouldTellApart() throws {
        let mine = ProfileSample.text.replacing(#", "serial": "A*", "interface": "00""#, with: "")
        let twin = mine.replacing("my-meter", with: "my-twin")
        // Lines of other fields are told apart; those of the same are not.
        let other = twin.replacing(#""delimiter": ";""#, with: #""delimiter": ",""#)
        let catalog = ProfileCatalog(overlay: [Self.file(mine), Self.file(twin, "d/my-twin.json")])
        #expect(catalog.profile("my-twin") == nil)
        let words =
            "d/my-twin.json: match: 1a86:7523 and driver line are also my-meter's, so nothing "
            + "could distinguish them; use the id my-meter to replace it"
        #expect(catalog.problems.map(\.description) == [words])
        let both = ProfileCatalog(overlay: [Self.file(mine), Self.file(other, "d/my-twin.json")])
        #expect(both.problems.isEmpty && both.profile("my-twin") != nil)
    }

    @Test(arguments: [
        ("A*", "*B", true), ("A*", "B*", false), ("A*1", "A2*", true), ("A1", "A*", false),
        ("AB*", "A*C", true), ("*", "**", true),
    ])
    func refusesPatternsThatMeet(first: String, second: String, isRefused: Bool) {
        let mine = ProfileSample.text.replacing(#""serial": "A*""#, with: #""serial": "\#(first)""#)
        let twin = ProfileSample.text.replacing("my-meter", with: "my-twin")
            .replacing(#""serial": "A*""#, with: #""serial": "\#(second)""#)
        let catalog = ProfileCatalog(overlay: [Self.file(mine), Self.file(twin, "d/my-twin.json")])
        #expect((catalog.profile("my-twin") == nil) == isRefused)
        let words =
            "d/my-twin.json: match: 1a86:7523 with serial \(second), interface 00 and driver line "
            + "meet 1a86:7523 with serial \(first), interface 00 of my-meter, so nothing could "
            + "distinguish them; use the id my-meter to replace it"
        #expect(catalog.problems.map(\.description) == (isRefused ? [words] : []))
    }

    @Test func refusesTwoBoardsForOneModel() {
        let board = #"""
            {"schemaVersion": 2, "id": "my-pi", "kind": "board", "name": "A", "description": "B",
             "board": {"models": ["Raspberry Pi 400"]}}
            """#
        let catalog = ProfileCatalog(overlay: [Self.file(board, "d/my-pi.json")])
        #expect(catalog.problems.first?.description.contains("is also raspberry-pi-4's") == true)
        let vague = board.replacing(#"["Raspberry Pi 400"]"#, with: "[]")
        let second = ProfileCatalog(overlay: [Self.file(vague, "d/my-pi.json")])
        #expect(second.problems.first?.description.contains("as generic-linux does") == true)
    }

    @Test func readsAtMostItsBoundOfFiles() {
        let files = (0..<300).map {
            let id = "led-\(String($0 + 1_000).dropFirst())"
            let kind = #""kind": "gpio", "driver": "led", "name": "A", "description": "B""#
            return Self.file(
                #"{"schemaVersion": 2, "id": "\#(id)", \#(kind)}"#,
                "d/\(id).json"
            )
        }
        let catalog = ProfileCatalog(shipped: [], overlay: files)
        #expect(catalog.profiles.count == 256)
        #expect(catalog.problems.count == 44)
        let words = "d/led-256.json: is one file too many: at most 256 are read"
        #expect(catalog.problems.first?.description == words)
    }

    @Test func sparesTheLaserThatLastsTheShortest() throws {
        let catalog = ProfileCatalog()
        let duty = try #require(catalog.profiles.first { $0.id == "nova-sds011" }?.duty)
        // 8 000 h last ten years, and remedies and samples out of turn stay below one in ten.
        #expect((duty.warmUp + duty.window) / duty.period <= 8_000 / (10 * 365.25 * 24))
        // The shortest in use.
        #expect(duty.warmUp >= .seconds(15) && duty.window >= .seconds(5))
    }

    @Test func ordersCandidatesBySpecificityThenByWhoSpeaks() {
        let catalog = ProfileCatalog(overlay: [Self.file(ProfileSample.text)])
        let plain = Self.tty(["ID_VENDOR_ID": "1a86", "ID_MODEL_ID": "7523"])
        let expected = [
            "honeywell-hpma115", "nova-sds011", "plantower-pms", "safecast-bgeigie-nano",
            "sensirion-sps30", "winsen-mhz19b",
        ]
        #expect(catalog.candidates(for: plain).map(\.id) == expected)
        let known = Self.tty([
            "ID_VENDOR_ID": "1a86", "ID_MODEL_ID": "7523", "ID_SERIAL_SHORT": "A100",
            "ID_USB_INTERFACE_NUM": "00",
        ])
        #expect(catalog.candidates(for: known).map(\.id) == ["my-meter"] + expected)
        #expect(catalog.candidates(for: Self.tty([:])).isEmpty)
        let usb = HotplugDevice(
            devpath: "/devices/usb1/1-1",
            node: nil,
            subsystem: "usb",
            properties: plain.properties
        )
        #expect(catalog.candidates(for: usb).isEmpty)
    }

    @Test(arguments: [
        ("Raspberry Pi Zero 2 W Rev 1.0\0", "raspberry-pi-zero-2-w"),
        ("Raspberry Pi 3 Model B Plus Rev 1.3\0", "raspberry-pi-3"),
        ("Raspberry Pi 4 Model B Rev 1.4\0", "raspberry-pi-4"),
        ("Raspberry Pi 400 Rev 1.0\0", "raspberry-pi-4"),
        ("Raspberry Pi 5 Model B Rev 1.0\0", "raspberry-pi-5"),
        ("Raspberry Pi Compute Module 4 Rev 1.0\0", "raspberry-pi-cm4"),
        ("Raspberry Pi Model B Rev 2\0", "generic-linux"), ("QEMU", "generic-linux"),
        (nil, "generic-linux"),
    ])
    func choosesTheBoardByItsModel(model: String?, expected: String) {
        #expect(ProfileCatalog().board(model: model)?.id == expected)
    }

    @Test func theHeadersOfAllBoardsAreTheSame() {
        let boards = ProfileCatalog().profiles.compactMap(\.board).filter { !$0.header.isEmpty }
        #expect(boards.count == 5)
        #expect(Set(boards.map(\.header)).count == 1)
        #expect(boards[0].header.count == 28)
        #expect(Set(boards[0].header.values).count == 28)
        // The lights' default pins.
        #expect([21, 19, 23].map { boards[0].header[$0] } == ["GPIO9", "GPIO10", "GPIO11"])
    }
}
