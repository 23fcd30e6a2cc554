import Core
import HardwareIO
import Testing

@testable import Profiles

@Suite struct ProfileMatchingTests {
    @Test(arguments: [
        ("", "", true), ("", "*", true), ("a", "", false), ("abc", "a*c", true),
        ("abcbc", "a*bc", true), ("abd", "a*c", false), ("FT0001", "FT*", true),
        ("0001", "*1", true), ("0010", "*1", false), ("a.b", "a?b", false), ("ab", "**", true),
    ])
    func starsStandForAnything(text: String, pattern: String, expected: Bool) {
        #expect(Glob.matches(text, pattern) == expected)
    }

    @Test func agreesWithTheGlobOfASlowReader() {
        func slow(_ text: Substring, _ pattern: Substring) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                return slow(text, pattern.dropFirst())
                    || (!text.isEmpty && slow(text.dropFirst(), pattern))
            }
            return text.first == first && slow(text.dropFirst(), pattern.dropFirst())
        }
        var random = SplitMix64(seed: 7)
        var matchCount = 0
        for _ in 0..<4_000 {
            let text = String(
                (0..<Int.random(in: 0...8, using: &random)).map { _ in
                    "ab".randomElement(using: &random) ?? "a"
                }
            )
            let pattern = String(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    "ab*".randomElement(using: &random) ?? "a"
                }
            )
            let expected = slow(text[...], pattern[...])
            if expected { matchCount += 1 }
            #expect(Glob.matches(text, pattern) == expected, "\(text) \(pattern)")
        }
        #expect(matchCount > 200)
    }

    @Test func patternsMeetWhereSomeTextFitsBoth() {
        func texts(_ length: Int) -> [String] {
            length == 0 ? [""] : texts(length - 1).flatMap { [$0, $0 + "a", $0 + "b"] }
        }
        let all = Set(texts(8))
        var random = SplitMix64(seed: 11)
        var counts = [0, 0]
        for _ in 0..<300 {
            // Patterns of four places each, so that a text of eight shows whatever any text shows.
            let patterns = (0..<2).map { _ in
                String(
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in
                        "ab*".randomElement(using: &random) ?? "a"
                    }
                )
            }
            let expected = all.contains { text in
                patterns.allSatisfy { Glob.matches(text, $0) }
            }
            counts[expected ? 1 : 0] += 1
            #expect(Glob.meet(patterns[0], patterns[1]) == expected, "\(patterns)")
        }
        #expect(counts.allSatisfy { $0 > 50 })
    }

    @Test func everyKeyThatIsGivenMustAgree() {
        let device = HotplugDevice(
            devpath: "/d",
            node: "/dev/ttyUSB0",
            subsystem: "tty",
            properties: [
                "ID_VENDOR_ID": "10C4", "ID_MODEL_ID": "ea60", "ID_MODEL": "CP2102_USB",
                "ID_SERIAL_SHORT": "0001", "ID_USB_INTERFACE_NUM": "00",
            ]
        )
        func match(serial: String? = nil, model: String? = nil, interface: String? = nil) -> Bool {
            ProfileMatch(
                vendorID: "10c4",
                productID: "ea60",
                serial: serial,
                model: model,
                interface: interface
            ).agrees(with: device)
        }
        #expect(match())
        #expect(match(serial: "00*", model: "CP*", interface: "00"))
        #expect(!match(serial: "1*"))
        #expect(!match(model: "CP2104*"))
        #expect(!match(interface: "01"))
        #expect(!ProfileMatch(vendorID: "10c4", productID: "ea61").agrees(with: device))
    }
}
