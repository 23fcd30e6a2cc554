import Configuration
import ControlProtocol
import Core
import HardwareIO
import Synchronization
import TestSupport
import Testing

@testable import Runtime
@testable import SimulationKit
@testable import Station

/// Every key of `roost.json`: edited and reloaded, it takes effect, or the station says that it
/// needs a restart.
@Suite struct ReloadKeysTests {
    /// Effects that an edit of the configuration must have.
    enum Effect: Sendable {
        case restart
        /// The child of this name under `devices`, or of the station, begins anew or comes.
        case begins(String)
        case seen(@Sendable (TestStation) async throws -> Bool)
    }

    struct Edit: Sendable, CustomTestStringConvertible {
        /// Members of the file besides its name, before and after.
        let before: String
        let after: String
        let effect: Effect

        init(_ before: String, _ after: String, _ effect: Effect) {
            (self.before, self.after, self.effect) = (before, after, effect)
        }

        var testDescription: String { "\(before) to \(after)" }
    }

    /// Properties that follow from other ones, or from the machine.
    private static let derived: Set = [
        "board", "file", "setsTitle", "setsZone", "setsPosition", "setsLevels", "setsTiles",
        "setsStations", "setsNowFirst", "setsNowHidden", "fixedIntervals", "own",
        "titles", "unrecorded", "intervals",
        // The file as it is; its `deviceSettings` become the three above.
        "source", "fixedSettings",
        // With `detects`.
        "leaves",
        // The folder is read anew with each file: `StationFilesTests`.
        "profileFolder",
    ]

    /// By the property that the file's keys become.
    private static let edits: [String: [Edit]] = [
        "name": [Edit("", #""name":"other""#, .restart)],
        "socket": [Edit("", #""socket":"/run/roost/other.sock""#, .restart)],
        "watchdog": ["{}", #"{"timeoutSeconds":10}"#, #"{"path":"/dev/watchdog1"}"#].map {
            Edit("", #""watchdog":"# + $0, .restart)
        },
        "store": [
            #""folder":"/var/other""#, #""megabytes":8"#, #""days":365"#,
            #""lossWindowSeconds":60"#, #""journal":"/dev/mmcblk0p9""#, #""journalBlocks":1024"#,
        ].map { Edit("", #""store":{\#($0)}"#, .restart) },
        "tiles": [
            Edit(
                "",
                #""tiles":"https://a.org/{z}/{x}/{y}.png""#,
                .seen { test in
                    let settings = try await test.ask(GetSettings()).body?.settings
                    let tiles = settings?.first { $0.key == "tiles" }
                    return tiles?.origin == .file && tiles?.value == "https://a.org/{z}/{x}/{y}.png"
                }
            )
        ],
        "findsStations": [
            Edit("", #""stations":"find""#, .seen { $0.station.status.findsStations == true })
        ],
        "mode": [
            Edit("", #""mode":"live""#, .seen { $0.station.status.mode.mode == "live" })
        ],
        "zone": [
            Edit("", #""zone":"Etc/GMT-3""#, .seen { $0.station.status.zone == "Etc/GMT-3" })
        ],
        "levels": [
            Edit("", #""levels":"eaqi""#, .seen { $0.station.status.levels == "eaqi" })
        ],
        "nowFirst": [
            Edit("", #""nowFirst":"a/co2""#, .seen { $0.station.status.nowFirst == ["a/co2"] })
        ],
        "nowHidden": [
            Edit("", #""nowHidden":"a/n03""#, .seen { $0.station.status.nowHidden == ["a/n03"] })
        ],
        "defaultLevels": [
            Edit(
                "",
                #""defaults":{"levels":"eaqi"}"#,
                .seen { $0.station.status.levels == "eaqi" }
            )
        ],
        "title": [
            Edit("", #""title":"Klasse 3b""#, .seen { $0.station.status.name == "Klasse 3b" })
        ],
        "position": [
            Edit(
                "",
                #""position":"46.1, 9.8""#,
                .seen { $0.station.status.position?.latitude == 46.1 }
            )
        ],
        "reach": [
            Edit("", #""reach":["loopback"]"#, .seen { try await $0.asksThisMachine() })
        ],
        "detects": [#"false"#, #"{"leave":["\#(TestStation.port)"]}"#].map {
            Edit("", #""detect":"# + $0, .seen { $0.deviceIDs.isEmpty })
        },
        "sameAir": [
            Edit(
                twoSensors,
                twoSensors + #","sameAir":["a","b"]"#,
                .seen { $0.station.context.sameAir.names == ["a", "b"] }
            )
        ],
        "claimsAfterPowerOn": [
            Edit(
                "",
                #""claim":{"window":true}"#,
                .seen { $0.station.context.claims.followsPowerOn }
            )
        ],
        "alerts": [
            Edit("", #""alerts":{"use":["rise"]}"#, .seen { try await $0.ruleIDs() == ["rise"] }),
            Edit(
                "",
                #""alerts":{"use":[],"rules":[{"id":"mine","channel":"*/co2",\#(atLeast9)}]}"#,
                .seen { try await $0.ruleIDs() == ["mine"] }
            ),
            Edit(
                "",
                #""alerts":{"use":["rise"],"changes":{"rise":{"isOn":false}}}"#,
                .seen { test in
                    let off = try await test.ask(GetAlerts()).body?.off ?? []
                    return off.contains { $0.id == "rise" && $0.origin == .file }
                }
            ),
            Edit(
                "",
                #""alerts":{"zone":"Etc/GMT-3"}"#,
                .seen { $0.station.state.alerts.zone == "Etc/GMT-3" }
            ),
        ],
        "battery": [
            Edit(
                "",
                #""battery":{"powerOffPercent":5}"#,
                .seen { $0.station.status.faults.contains { $0.id == "battery-unusable" } }
            )
        ],
        "lights": [
            Edit("", #""lights":{}"#, .begins("lights"))
        ]
            + [
                #""red":"GPIO5""#, #""yellow":"GPIO5""#, #""green":"GPIO5""#, #""chip":"c""#,
                #""activeLow":true"#, #""follows":"dust""#, #""output":"/dev/null""#,
            ].map { Edit(#""lights":{}"#, #""lights":{\#($0)}"#, .begins("lights")) },
        "devices": device(
            #""type":"sds011","port":"/dev/ttyS7""#,
            [
                #""type":"sds011","port":"/dev/ttyS8""#, #""id":"A160""#, #""periodSeconds":600"#,
                #""warmUpSeconds":30"#, #""windowSeconds":10"#,
            ]
        )
            + device(
                #""type":"milano-board","address":"http://10.0.0.7/""#,
                [
                    #""type":"milano-board","address":"http://10.0.0.8/""#,
                    #""intervalSeconds":60"#,
                ]
            )
            + device(
                #""type":"pir","line":"GPIO17""#,
                [
                    #""type":"pir","line":"GPIO27""#, #""chip":"c""#, #""settleSeconds":9"#,
                    #""blockSeconds":9"#,
                ]
            )
            + device(
                #""type":"button","line":"GPIO17""#,
                [
                    #""type":"button","line":"GPIO27""#, #""chip":"c""#, #""activeLow":false"#,
                    #""bias":"disabled""#, #""claims":true"#, #""resets":true"#,
                    #""debounceSeconds":0.1"#, #""longPressSeconds":2"#, #""doublePressSeconds":1"#,
                ]
            )
            + device(
                #""type":"led","line":"GPIO17""#,
                [#""type":"led","line":"GPIO27""#, #""chip":"c""#, #""activeLow":true"#]
            )
            + [
                shown(#""shows":"camera""#) { $0.shows == "camera" },
                shown(#""shows":"level","follows":"later""#) { $0.follows == "later" },
            ],
    ]

    /// What a lamp shows is seen at once, by the driver that goes on.
    private static func shown(
        _ key: String,
        _ isSeen: @escaping @Sendable (DeviceReport) -> Bool
    ) -> Edit {
        let lamp = #""name":"one","type":"led","line":"GPIO17""#
        return Edit(
            #""devices":[{\#(lamp)}]"#,
            #""devices":[{\#(lamp),\#(key)}]"#,
            .seen { test in
                try await test.ask(GetDevices()).body?.devices.contains(where: isSeen) == true
            }
        )
    }

    private static let atLeast9 = #""when":{"value":{"atLeast":9}}"#
    private static let twoSensors = #"""
        "devices":[{"name":"a","type":"sds011","port":"/dev/ttyS7"},
                   {"name":"b","type":"sds011","port":"/dev/ttyS8"}]
        """#

    /// One device; a key that is not there yet, or another type's line in its place.
    private static func device(_ given: String, _ keys: [String]) -> [Edit] {
        func text(_ members: String) -> String { #""devices":[{"name":"one",\#(members)}]"# }
        return keys.map { key in
            let after = key.hasPrefix("\"type\"") ? key : given + "," + key
            return Edit(text(given), text(after), .begins("one"))
        }
    }

    private static func read(_ members: String) throws -> StationConfiguration {
        let hasName = members.contains(#""name":"other""#)
        let parts = (hasName ? [] : [#""name":"test""#]) + (members.isEmpty ? [] : [members])
        return try StationConfiguration.read(
            Array("{\(parts.joined(separator: ","))}".utf8),
            file: "next"
        )
    }

    @Test func everyPropertyOfTheFileHasItsEdits() throws {
        let properties = Mirror(reflecting: try Self.read("")).children.compactMap(\.label)
        #expect(Set(properties) == Self.derived.union(Self.edits.keys))
    }

    @Test(arguments: edits.sorted { $0.key < $1.key }.flatMap(\.value))
    func anEditTakesEffectOrNeedsARestart(edit: Edit) throws {
        #expect(try Self.read(edit.before) != Self.read(edit.after))
        let (seen, faults) = try simulate { clock in
            let parts = [#""name":"test""#] + (edit.before.isEmpty ? [] : [edit.before])
            let test = try TestStation(clock, "{\(parts.joined(separator: ","))}")
            return try await test.run { test in
                try await test.sleep(.minutes(3))
                let before = clock.now
                test.station.reload(try Self.read(edit.after))
                try await test.sleep(.minutes(3))
                let isSeen: Bool
                switch edit.effect {
                case .restart: isSeen = true
                case .begins(let id): isSeen = test.begin(of: id).map { $0 >= before } ?? false
                case .seen(let look): isSeen = try await look(test)
                }
                let during = test.station.status.faults.map(\.id)
                // Taken back, it is in use again.
                test.station.reload(try Self.read(edit.before))
                return (isSeen, [during, test.station.status.faults.map(\.id)])
            }
        }
        #expect(seen)
        if case .restart = edit.effect {
            #expect(faults[0].contains("restart-needed"))
        } else {
            #expect(!faults[0].contains("restart-needed"))
        }
        #expect(!faults[1].contains("restart-needed"), "what is in use is configured again")
    }

    /// The store that is open goes on where it is, until the restart that the station asks for.
    @Test func anotherStoreWaitsForTheRestart() throws {
        let folder = try TestFolder(isInMemory: true)
        let paths = try simulate { clock in
            let store = #""store":{"folder":"\#(folder.path)","megabytes":4}"#
            let test = try TestStation(clock, "{\"name\":\"test\",\(store)}")
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let before = test.station.status.store
                let next = #""store":{"folder":"/var/other","lossWindowSeconds":60}"#
                test.station.reload(try Self.read(next))
                let after = test.station.status.store
                let seconds = [before?.lossWindowSeconds, after?.lossWindowSeconds]
                return ([before?.folder, after?.folder, test.station.state.store.folder], seconds)
            }
        }
        #expect(paths.0 == [folder.path, folder.path, folder.path])
        #expect(paths.1 == [600, 600])
    }
}

extension TestStation {
    fileprivate var deviceIDs: [String] {
        let devices = station.tree.children.first { $0.id == "devices" }?.children ?? []
        return devices.map(\.id)
    }

    /// When a child began that is up, of the station or a device.
    fileprivate func begin(of id: String) -> MonotonicInstant? {
        let devices = station.tree.children.first { $0.id == "devices" }?.children ?? []
        return (station.tree.children + devices).first { $0.id == id }?.startedAt
    }

    /// Whether a device that the owner added may be asked at this machine.
    fileprivate func asksThisMachine() async throws -> Bool {
        let text = #"{"devices":{"own":{"type":"milano-board","address":"http://10.0.0.7/"}}}"#
        DeviceBranch(station: station.state).follow(
            try StationOverlay.read(Array(text.utf8), file: "settings.json")
        )
        let devices = station.state.configuration.devices
        guard case .http(let device)? = devices.first(where: { $0.name == "own" })?.kind else {
            return false
        }
        return device.target.reach.contains(.loopback)
    }

    fileprivate func ruleIDs() async throws -> [String] {
        try await ask(GetAlerts()).body?.rules.map(\.id) ?? []
    }
}
