import Testing

@testable import Core

@Suite struct BGeigieRecordTests {
    /// Each line whose checksum and fields hold, as the log has it.
    @Test(arguments: BGeigieNanoDialectTests.logs)
    func writesEachLineOfThePublishedLogsAgain(log: String) throws {
        var count = 0
        for line in try Fixture.data("bgeigie/\(log)").split(whereSeparator: {
            [10, 13].contains($0)
        }) {
            let bytes = ArraySlice(Array(line))
            guard let record = try? BGeigieRecord(bytes) else { continue }
            #expect(record.text == String(decoding: bytes, as: UTF8.self))
            #expect(try BGeigieRecord(ArraySlice(Array(record.text.utf8))) == record)
            count += 1
        }
        let expected = try BGeigieNanoDialectTests.expected()[log]
        #expect(count == expected?.goodCount)
    }

    @Test func readsWhatALineSays() throws {
        let line =
            "$BNRDD,204,2012-09-20T15:13:51Z,16,2,16,V,5218.7176,N,445.6628,E,-0.50,A,91,10*49"
        let record = try BGeigieRecord(ArraySlice(Array(line.utf8)))
        #expect(record.device == "204" && record.time == "2012-09-20T15:13:51Z")
        #expect((record.rate, record.counts, record.total) == (16, 2, 16))
        #expect(!record.isCounting && record.hasFix)
        #expect(record.latitude.degrees == FixedPoint(523_119_600, decimals: 7))
        #expect(record.longitude.degrees == FixedPoint(47_610_467, decimals: 7))
        #expect(record.altitude == FixedPoint(-50, decimals: 2))
        #expect(record.extras == ["91", "10"])
    }

    @Test(arguments: [
        ("$BNRDD,204", BGeigieRecord.Flaw.noChecksum), ("BNRDD,204*00", .notRecord),
        ("$BNRDD,204*00", .checksum), ("$BNRDD,204*+6", .checksum), ("$BNRDD*2", .checksum),
    ])
    func namesWhatIsWrong(line: String, flaw: BGeigieRecord.Flaw) {
        #expect(throws: flaw) { try BGeigieRecord(ArraySlice(Array(line.utf8))) }
    }

    /// A line made of a sample, with the place of each quarter of the Earth.
    @Test(arguments: [
        (523_119_950, 47_610_417, "5218.7197,N,00445.6625,E"),
        (-338_688_200, 1_512_092_900, "3352.1292,S,15112.5574,E"),
        (407_127_753, -740_059_728, "4042.7665,N,07400.3584,W"),
        (-900_000_000, -1_800_000_000, "9000.0000,S,18000.0000,W"),
        // Less than half a ten-thousandth of a minute before a whole degree, and more.
        (9_999_999, 9_999_999, "0100.0000,N,00100.0000,E"),
        (9_999_992, 9_999_991, "0100.0000,N,00059.9999,E"),
    ])
    func writesAPlaceAsDegreesAndMinutes(latitude: Int64, longitude: Int64, words: String) throws {
        let place = BGeigieRecord.Place(
            latitude: FixedPoint(latitude, decimals: 7),
            longitude: FixedPoint(longitude, decimals: 7),
            altitude: FixedPoint(560, decimals: 2),
            accuracy: FixedPoint(498, decimals: 2)
        )
        let wall = WallTime(nanoseconds: 1_795_321_800_900_000_000)
        func record(_ hasFix: Bool) -> BGeigieRecord {
            BGeigieRecord(device: 2_709, at: wall, rate: 34, place: place, hasFix: hasFix)
        }
        let start = "$BNRDD,2709,2026-11-22T04:30:00Z,34,0,0,A,\(words),5.60,"
        // 4.98 m are an HDOP of 0.83.
        #expect(record(true).text.hasPrefix(start + "A,8,83*"))
        #expect(record(false).text.hasPrefix(start + "V,0,0*"))
        let read = try BGeigieRecord(ArraySlice(Array(record(true).text.utf8)))
        #expect(read == record(true))
        #expect(abs(read.latitude.degrees.mantissa - latitude) <= 9)
        #expect(abs(read.longitude.degrees.mantissa - longitude) <= 9)
    }
}
