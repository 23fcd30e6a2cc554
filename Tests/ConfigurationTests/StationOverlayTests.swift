import Configuration
import Core
import Profiles
import Testing

@testable import Devices

@Suite struct StationOverlayTests {
    private static func overlay(_ text: String) throws -> StationOverlay {
        try StationOverlay.read(Array(text.utf8), file: "settings.json")
    }

    private static func patch(_ text: String) throws -> [String: JSONValue] {
        guard case .object(let fields) = try JSONParser.parse(Array(text.utf8)) else { return [:] }
        return fields
    }

    /// - Source: RFC 7396, appendix A, of objects.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":"foo"}"#, #"{"a":{"bb":1}}"#, #"{"a":{"bb":1}}"#),
        (#"{"a":{"b":1}}"#, #"{"a":{"b":null}}"#, "{}"),
    ])
    func mergesAsTheStandardSays(before: String, patch: String, after: String) throws {
        let next = try Self.overlay(before).patched(by: Self.patch(patch))
        #expect(String(decoding: next.text, as: UTF8.self) == after + "\n")
    }

    @Test func namesEachValueThatDiffers() throws {
        let before = try Self.overlay(
            #"{"devices":{"a":{"record":false},"b":{"type":"t","address":"x"}},"zone":"Z"}"#
        )
        let after = try Self.overlay(
            #"{"devices":{"b":{"type":"t","address":"y"},"c":{"type":"t"}},"title":"n"}"#
        )
        let changes = before.changes(to: after)
        #expect(
            changes.map(\.key) == [
                "title", "zone", "devices.a.record", "devices.b.address", "devices.c",
            ]
        )
        #expect(changes.map(\.before) == [nil, #""Z""#, "false", #""x""#, nil])
        #expect(changes.map(\.after) == [#""n""#, nil, nil, #""y""#, #"{"type":"t"}"#])
        #expect(before.changes(to: before).isEmpty)
        #expect(before.tag != after.tag && before.tag == before.patched(by: [:]).tag)
    }

    @Test(arguments: [
        ("", "it ends in the middle"), ("[]", "no object, but an array of 0"),
        (#"{"a":1,"a":2}"#, "not JSON"),
        (String(repeating: " ", count: 70_000), "larger than 64 KiB"),
    ])
    func refusesWhatIsNoObject(text: String, words: String) {
        let error = #expect(throws: ConfigurationError.self) { try Self.overlay(text) }
        #expect(error?.description.contains(words) == true)
        #expect(error?.description.hasPrefix("settings.json: ") == true)
    }

    /// Bytes of every kind, and texts with one byte changed: read or refused, and what is read can
    /// be put over a configuration and written again.
    @Test func takesOrRefusesAnyBytes() throws {
        let base = try StationConfiguration.read(
            Array(#"{"devices":[{"name":"door","type":"pir","line":17}]}"#.utf8),
            file: "roost.json"
        )
        let texts = [
            #"{"devices":{"board":{"address":"http://10.0.0.1/","intervalSeconds":5,"#
                + #""type":"milano-board"},"dust":{"record":false,"intervalSeconds":600}},"#
                + #""title":"a","zone":"Europe/Rome"}"#,
            #"{"devices":{"door":{"record":true}},"zone":null,"x":{"y":[1,2,{"z":"\u00e9"}]}}"#,
        ].map { Array($0.utf8) }
        var dice = SplitMix64(seed: 15)
        var applied = 0
        for round in 0..<4_000 {
            var bytes = texts[round % texts.count]
            for _ in 0...(dice.next() % 3) where !bytes.isEmpty {
                let place = Int(dice.next() % UInt64(bytes.count))
                switch dice.next() % 4 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: dice.next())
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8(truncatingIfNeeded: dice.next()), at: place)
                default: bytes = Array(bytes.prefix(max(1, place)))
                }
            }
            guard let overlay = try? StationOverlay.read(bytes, file: "f") else { continue }
            applied += 1
            let laid = OverlaidConfiguration(base, overlay, catalog: .shipped)
            #expect(laid.configuration.devices.count <= StationConfiguration.deviceLimit)
            #expect(laid.configuration.devices.first == base.devices.first)
            #expect(try StationOverlay.read(overlay.text, file: "f") == overlay)
        }
        #expect(applied > 300)
    }
}
