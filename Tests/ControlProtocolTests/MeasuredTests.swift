import Testing

@testable import ControlProtocol

@Suite struct MeasuredTests {
    @Test(arguments: ["12.30", "0.05", "-0.5", "0", "-40.0", "52.123456", "999.9", "0.0"])
    func isExactAsTextAndANumberInJSON(_ text: String) throws {
        let measured = try #require(Measured(text))
        #expect(measured.description == text)
        let report = ReadingReport(
            channel: "dust/pm25",
            instantSeconds: 1,
            ageSeconds: 0,
            outcome: (measured, nil),
            unit: "µg/m³",
            quality: []
        )
        let line = try ControlCodec.line(report)
        #expect(!line.contains("\"value\":\""))
        let back = try ControlCodec.message(ReadingReport.self, from: line)
        #expect(back.measured?.description == text)
    }

    @Test(arguments: ["", "nan", "inf", "twelve"])
    func whatIsNoNumberIsNone(_ text: String) { #expect(Measured(text) == nil) }
}
