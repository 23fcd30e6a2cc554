import Core
import Testing

@testable import RoostWeb

@Suite struct JSONTextTests {
    @Test func writesNestedColumns() {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("a", 1)
            json.array("t", [1.25, nil, .nan]) { $0.add($1, decimals: 1) }
            json.object("o") { $0.member("b", true) }
            json.member("s", "\"\\\n<\u{1}é")
            json.member("n", nil as String?)
        }
        #expect(
            json.text
                == #"{"a":1,"t":[1.3,null,null],"o":{"b":true},"s":"\"\\\n\u003c\u0001é","n":null}"#
        )
    }

    @Test(arguments: [
        (12.3, 1, "12.3"), (0.04, 1, "0.0"), (-0.04, 1, "0.0"), (-1.25, 1, "-1.3"),
        (7, 0, "7"), (0.005, 2, "0.01"), (999.95, 1, "1000.0"), (-0.5, 0, "-1"),
    ])
    func roundsToTheDecimalsOfTheChannel(value: Double, decimals: Int, text: String) {
        #expect(JSONTextBuilder.fixed(value, decimals) == text)
    }

    @Test(arguments: ["a%2", "%zz", "%00", "a%0Ab", "%ff"])
    func refusesBrokenEscapes(text: String) { #expect(PercentCoding.decoded(text) == nil) }

    @Test(arguments: ["µg/m³", "a b+c", "nova-sds011:A160", ""])
    func escapesReadBack(text: String) {
        #expect(PercentCoding.decoded(PercentCoding.encoded(text)) == text)
    }
}
