import Core
import Testing

@testable import RoostCourier
@testable import StoreQueries

@Suite struct TemplateTests {
    private let values: [String: TemplateValue] = [
        "text": .text("a \"b\", µ"), "number": .number(FixedPoint(500, decimals: 2)),
        "time": .time(TargetFixture.time), "secret": .secret(Secret("s/1")), "none": .none,
        "flag": .flag(true),
    ]

    private func render(_ source: String) throws -> MaskedText {
        try Template(source, names: Set(values.keys)).render(values, in: .utc)
    }

    @Test(arguments: [
        ("x{{text}}y", "xa \"b\", µy"), ("{{text|json}}", "\"a \\\"b\\\", µ\""),
        ("{{text|csv}}", "\"a \"\"b\"\", µ\""), ("{{text|upper}}", "A \"B\", Μ"),
        ("{{text|cut:8}}", "a \"b\", "), ("{{text|url}}", "a%20%22b%22%2C%20%C2%B5"),
        ("{{ number }}", "5.00"), ("{{number|float}}", "5.0"), ("{{number|json}}", "5.00"),
        ("{{time}}", "2026-11-22T04:30:00Z"), ("{{time|date:%I:%M %p}}", "04:30 AM"),
        ("{{time|date:%Y%m%d %a %b %j %s %%}}", "20261122 Sun Nov 326 1795321800 %"),
        ("{{none}}", ""), ("{{none|json}}", "null"), ("{{none|prefix:Bearer }}", ""),
        ("{{secret|prefix:Bearer }}", "Bearer s/1"), ("{{secret|url}}", "s%2F1"),
        ("{{flag}}", "true"), ("{ {x} }", "{ {x} }"),
    ])
    func renders(_ source: String, _ text: String) throws {
        let rendered = try render(source)
        #expect(rendered.revealed == text)
        #expect(!rendered.shown.contains("s/1") && !rendered.shown.contains("s%2F1"))
    }

    @Test(arguments: [
        "{{nothing}}", "{{text", "{{text|html}}", "{{text|cut:0}}", "{{time|date:%Q}}", "{{}}",
        String(repeating: "x", count: 17_000), String(repeating: "{{text}}", count: 65),
    ])
    func refuses(_ source: String) {
        #expect(throws: Template.Mistake.self) { try render(source) }
    }

    @Test func isBounded() throws {
        let long = String(repeating: "long text ", count: 1_000)
        let template = try Template("{{t}}{{t}}", names: ["t"])
        #expect(template.render(["t": .text(long)], in: .utc).revealed.utf8.count <= 8_192)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sun, 06 Nov 1994 08:49:37 UTC", nil),
        ("Mon, 06 Nov 1994 08:49:37 GMT", nil), ("x", nil),
    ])
    func readsDatesOfHTTP(_ text: String, _ second: Int?) {
        let wall = HTTPDate.parse(text)
        #expect(wall.map { Int($0.nanoseconds / 1_000_000_000) } == second)
        if let wall { #expect(HTTPDate.text(wall) == text) }
    }

    @Test func waitsUntilADateOfTheServersClock() {
        let fields = [
            "date": "Sun, 06 Nov 1994 08:49:37 GMT",
            "retry-after": "Sun, 06 Nov 1994 08:50:07 GMT",
        ]
        #expect(DeliveryClassifier.retryAfter(OutboundAnswer(503, fields)) == 30)
    }
}
