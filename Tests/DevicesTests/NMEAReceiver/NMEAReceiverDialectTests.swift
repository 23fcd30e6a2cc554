import Testing

@testable import Core
@testable import Devices

@Suite struct NMEAReceiverDialectTests {
    private static func line(_ content: String) -> String {
        let checksum = content.utf8.reduce(0, ^)
        let digits = String(checksum, radix: 16, uppercase: true)
        return "$\(content)*\(checksum < 16 ? "0" : "")\(digits)\r\n"
    }

    private static func said(_ sentences: [String]) -> [SensorUtterance] {
        decoded(sentences.map(line).joined())
    }

    /// Without the times.
    private static func decoded(_ text: String) -> [SensorUtterance] {
        var dialect = NMEAReceiverDialect()
        return dialect.decode(Array(text.utf8)).filter { $0.isPosition }
    }

    private static let rmc = "GPRMC,092725.00,A,4717.11399,N,00833.91590,E,0.004,77.52,091202,,,A"
    private static let gga =
        "GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,"
    private static let gsa = "GPGSA,A,3,23,29,07,08,09,18,26,28,,,,,1.94,1.18,1.54"
    private static let nothing = SensorUtterance.measurement(
        Array(repeating: .noData(.noFix), count: 4),
        id: nil
    )

    /// The maker's own examples, with their printed checksums.
    ///
    /// - Source: UBX-13003221, sections 31.2.4, 31.2.7 and 31.2.15.
    @Test func readsTheMakersExamples() {
        let text =
            "$GPRMC,083559.00,A,4717.11437,N,00833.91522,E,0.004,77.52,091202,,,A*57\r\n"
            + "$GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,*5B\r\n"
            + "$GPGSA,A,3,23,29,07,08,09,18,26,28,,,,,1.94,1.18,1.54*0D\r\n"
            + "$GPGSV,3,1,10,23,38,230,44,29,71,156,47,07,29,116,41,08,09,081,36*7F\r\n"
            + Self.line("GPRMC,092725.00,A,4717.11399,N,00833.91590,E,0.004,77.52,091202,,,A")
        let found = Self.decoded(text)
        let values: [FixedPoint] = [
            FixedPoint(472_852_332, decimals: 7), FixedPoint(85_652_650, decimals: 7),
            FixedPoint(49_960, decimals: 2), FixedPoint(606, decimals: 2),
        ]
        #expect(found == [.measurement(values.map { .value($0) }, id: nil)])
    }

    @Test(arguments: [
        // No fix by GGA, by an estimate without satellites, by RMC, and by GSA.
        [gsa, rmc, gga.replacing(",1,08,", with: ",0,00,")],
        [gsa, rmc, gga.replacing(",1,08,", with: ",6,00,")],
        [gsa, rmc.replacing(",A,4717", with: ",V,4717"), gga],
        [gsa, gga, rmc.replacing(",A,4717", with: ",V,4717")],
        ["GPGSA,A,1,,,,,,,,,,,,,9.9,9.9,9.9", rmc, gga],
        [rmc, "GPGGA,092725.00,,,,,1,08,1.01,,,,,,"],
        ["GPRMC,,V,,,,,,,,,,N", "GPGGA,,,,,,0,00,99.99,,,,,,"],
    ])
    func givesNoValueWithoutAFix(sentences: [String]) {
        #expect(Self.said(sentences) == [Self.nothing])
    }

    /// As a Bluetooth module may pass them on.
    @Test func sentencesWithoutLineEndsAreRead() {
        let whole = Self.said([Self.gsa, Self.gga, Self.rmc])
        let bytes = [Self.gsa, Self.gga, Self.rmc].flatMap { Self.line($0).utf8.dropLast(2) }
        #expect(Self.decoded(String(decoding: bytes, as: UTF8.self)) == whole)
        #expect(whole.count == 1)
    }

    @Test func aFixInTwoDimensionsHasNoHeight() {
        let flat = Self.gsa.replacing("GPGSA,A,3", with: "GPGSA,A,2")
        guard case .measurement(let outcomes, _)? = Self.said([flat, Self.rmc, Self.gga]).first
        else {
            Issue.record("no measurement")
            return
        }
        #expect(outcomes[2] == .noData(.noFix))
        #expect(outcomes[0].value != nil && outcomes[3].value != nil)
    }

    /// Another second's RMC proves nothing; without any the position comes a second later.
    @Test func aReceiverWithoutRMCIsASecondLate() {
        let next = Self.gga.replacing("092725", with: "092726")
        #expect(Self.said([Self.gga]).isEmpty)
        #expect(Self.said([Self.gga, next]).count == 1)
        #expect(Self.said([Self.gga, Self.rmc, next]).count == 1)
        let late = Self.rmc.replacing("092725", with: "092724").replacing(
            ",A,4717",
            with: ",V,4717"
        )
        let found = Self.said([late, Self.gga, next])
        #expect(found.count == 1 && found != [Self.nothing])
    }

    /// The program sleeps until so many bytes came: the RMC of a receiver without a fix is short.
    @Test func afterAGGAAShortRMCIsMissing() {
        var dialect = NMEAReceiverDialect()
        let whole = dialect.missingByteCount
        let gga = Array(Self.line(Self.gga).utf8)
        dialect.decode(gga.span) { _ in Issue.record("a position without an RMC") }
        let shortest = Self.line("GPRMC,,V,,,,,,,,,,N").utf8.count
        #expect(dialect.missingByteCount <= shortest && shortest < whole)
        let rmc = Array(Self.line(Self.rmc).utf8)
        dialect.decode(rmc.span) { _ in }
        #expect(dialect.missingByteCount == whole)
    }

    @Test func readsSouthAndWestAndMoreDecimals() {
        let rmc = Self.rmc.replacing(",N,", with: ",S,").replacing(",E,", with: ",W,")
        let gga = "GNGGA,092725.00,4717.1139912,S,00833.9159012,W,4,12,0.5,-3.25,M,48.0,M,,"
        guard case .measurement(let outcomes, _)? = Self.said([rmc, gga]).first else {
            Issue.record("no measurement")
            return
        }
        #expect(outcomes[0].value == FixedPoint(-472_852_332, decimals: 7))
        #expect(outcomes[1].value == FixedPoint(-85_652_650, decimals: 7))
        #expect(outcomes[2].value == FixedPoint(-325, decimals: 2))
        #expect(outcomes[3].value == FixedPoint(300, decimals: 2))
    }

    @Test(arguments: [
        ("$GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,*5A", "checksum"),
        ("$GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,*5", "checksum"),
        ("$GPGGA,092725.00", "a sentence without a checksum"),
        (line("GPGGA,092725.00,4760.00000,N,00833.9,E,1,08,1.0,1.0,M,,,,"), "wrong field"),
        (line("GPGGA,092725.00,9100.00000,N,00833.9,E,1,08,1.0,1.0,M,,,,"), "wrong field"),
        (line("GPGGA,092725.00,4717.11399,X,00833.9,E,1,08,1.0,1.0,M,,,,"), "wrong field"),
        (line("GPGGA,252725.00,4717.11399,N,00833.9,E,1,08,1.0,1.0,M,,,,"), "wrong field"),
        (line("GPGGA,092725.00,4717.11399,N,00833.9,E,9,08,1.0,1.0,M,,,,"), "wrong field"),
        (line("GPRMC,092725.00,B,4717.11,N,00833.9,E,0,0,091202,,,A"), "wrong field"),
        (line("GPGSA,A,4,,,,,,,,,,,,,1.9,1.1,1.5"), "wrong field"),
    ])
    func refusesWhatIsNoSentence(text: String, words: String) {
        var dialect = NMEAReceiverDialect()
        guard case .rejected(let why)? = dialect.decode(Array((text + "\r\n").utf8)).first else {
            Issue.record("\(text)")
            return
        }
        #expect(why.contains(words))
    }

    /// Two flipped bits cancel in the checksum; a place within a word is none.
    @Test func refusesTwoFlipsThatCancel() {
        let good = Self.line(Self.gga)
        let flipped = good.replacing("4717.11399,N,0083", with: "4717.1139;,N,0083")
            .replacing("1.01,499", with: "1.03,499")
        let found = Self.decoded(flipped)
        #expect(
            found == [.rejected("a sentence with a wrong field")]
                || found == [.rejected("checksum")]
        )
    }

    @Test func replaysATrack() {
        let track = (0..<3).map { number in
            NMEAReceiverSimulator.Step(
                latitude: -338_688_200 + Int64(number) * 1_000,
                longitude: 1_512_092_900,
                altitude: 5_830
            )
        }
        var part = NMEAReceiverSimulator(track: track)
        let sent = part.advance(to: .boot.advanced(by: .seconds(8)))
        let found = Self.decoded(String(decoding: sent, as: UTF8.self))
        let places = found.map { utterance -> Int64? in
            guard case .measurement(let outcomes, _) = utterance else { return nil }
            return outcomes[0].value.map { $0.mantissa }
        }
        // No fix in the first two seconds, and not before a GSA of the third says so; then step by
        // step, within a rounding of the minutes.
        #expect(places.count == 8 && places.prefix(3).allSatisfy { $0 == nil })
        for (second, place) in places.enumerated().dropFirst(3) {
            let expected = track[(second + 1) % 3].latitude
            #expect(abs((place ?? 0) - expected) <= 1)
        }
    }

    @Test func passesTheVerifier() throws {
        var part = NMEAReceiverSimulator(seed: 9)
        // With a fix throughout: where it is found, a lost GSA changes what the next second says.
        _ = part.advance(to: .boot.advanced(by: .seconds(4)))
        let stream = part.advance(to: .boot.advanced(by: .seconds(16)))
        let verifier = StreamVerifier(
            make: { NMEAReceiverDialect() },
            stream: stream,
            garbage: [[0x0A], Array("$GPGGA,1\n".utf8), [0xB5, 0x62, 0x01, 0x07, 0x0A]]
        )
        try verifier.verify()
        try verifier.fuzz(seed: 7, rounds: 200)
    }

    /// However long they are: the list of its devices has no bound.
    @Test func whatGpsdSaysInJSONIsPassedOver() {
        let devices = "{\"class\":\"DEVICES\",\"devices\":[" + String(repeating: "x", count: 900)
        let text = "{\"class\":\"VERSION\"}\r\n\(devices)]}\r\n"
        let sentences = [Self.rmc, Self.gsa, Self.gga].map(Self.line).joined()
        let found = Self.decoded(text + sentences)
        #expect(found.count == 1)
        guard case .measurement(let values, _)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(values.first == .value(FixedPoint(472_852_332, decimals: 7)))
    }
}

extension SensorUtterance {
    fileprivate var isPosition: Bool { if case .time = self { false } else { true } }
}
