import Core
import FoundationEssentials
import Testing

@testable import Store

@Suite struct ExportTextTests {
    private static let samples = [
        DatedSample(
            at: WallTime(nanoseconds: 1_700_000_000_390_000_000),
            [.value(12.3), .value(999.9, [.ceiling, .unchanging])]
        ),
        DatedSample(
            at: WallTime(seconds: 1_700_000_001),
            [.noData(.warmingUp), .value(FixedPoint(-5, decimals: 2))],
            isSure: false
        ),
        DatedSample(at: nil, [.noData(.unplugged), .noData(.unplugged)]),
    ]

    private static func text(
        _ format: TextFormat,
        _ samples: some Sequence<DatedSample> = samples
    ) throws -> String {
        var bytes: [UInt8] = []
        var export = ExportText(format) { bytes += $0 }
        var source = SequenceSource(samples)
        let progress = try export.export(&source)
        #expect(progress.bytes == bytes.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func csvHasARowForEachSampleAndChannel() throws {
        let boot = BootID.numbered(1)
        #expect(
            try Self.text(.csv) == """
                time,sure,boot,tick,device,channel,value,unit,quality,no_data
                2023-11-14T22:13:20.3Z,yes,\(boot),0.3,balcony,pm25,12.3,µg/m³,,
                2023-11-14T22:13:20.3Z,yes,\(boot),0.3,balcony,pm10,999.9,µg/m³,ceiling|unchanging,
                2023-11-14T22:13:21.0Z,no,\(boot),1.0,balcony,pm25,,µg/m³,,warmingUp
                2023-11-14T22:13:21.0Z,no,\(boot),1.0,balcony,pm10,-0.05,µg/m³,,
                ,no,\(boot),0.5,balcony,pm25,,µg/m³,,unplugged
                ,no,\(boot),0.5,balcony,pm10,,µg/m³,,unplugged

                """
        )
    }

    private struct Object: Decodable {
        struct Value: Decodable {
            let value: Double?
            let unit: String
            let quality: [String]?
            let noData: String?

            enum CodingKeys: String, CodingKey {
                case value, unit, quality
                case noData = "no_data"
            }
        }
        let time: String?
        let sure: Bool
        let boot: String
        let tick: Double
        let device: String
        let channels: [String: Value]
    }

    private static func check(_ objects: [Object]) {
        #expect(objects.map(\.time) == ["2023-11-14T22:13:20.3Z", "2023-11-14T22:13:21.0Z", nil])
        #expect(objects.map(\.sure) == [true, false, false])
        #expect(objects.map(\.tick) == [0.3, 1.0, 0.5])
        #expect(objects[0].channels["pm25"]?.value == 12.3)
        #expect(objects[0].channels["pm10"]?.quality == ["ceiling", "unchanging"])
        #expect(objects[1].channels["pm25"]?.value == nil)
        #expect(objects[1].channels["pm25"]?.noData == "warmingUp")
        #expect(objects[1].channels["pm10"]?.value == -0.05)
        #expect(objects[2].channels["pm10"]?.unit == "µg/m³")
    }

    @Test func ndjsonHasAnObjectALine() throws {
        let lines = try Self.text(.ndjson).split(separator: "\n")
        let objects = try lines.map { line in
            try JSONDecoder().decode(Object.self, from: Data(line.utf8))
        }
        Self.check(objects)
    }

    @Test func jsonIsOneArray() throws {
        let data = Data(try Self.text(.json).utf8)
        Self.check(try JSONDecoder().decode([Object].self, from: data))
    }

    @Test func nothingIsAHeaderOrAnEmptyArray() throws {
        #expect(try Self.text(.csv, []).split(separator: "\n").count == 1)
        #expect(try Self.text(.ndjson, []) == "")
        let data = Data(try Self.text(.json, []).utf8)
        #expect(try JSONDecoder().decode([Object].self, from: data).isEmpty)
    }

    @Test func namesThatNeedItAreQuoted() throws {
        let name = "my \"box\", \u{1}\\ground\n"
        let stream = StreamDescription(id: StreamID(2), device: name, quantities: [.pm25])
        let sample = DatedSample(
            stream: stream,
            boot: .numbered(1),
            tick: Tick(tenths: 0),
            time: nil,
            outcomes: [.value(1)]
        )
        let data = Data(try Self.text(.json, [sample]).utf8)
        #expect(try JSONDecoder().decode([Object].self, from: data).first?.device == name)
        #expect(try Self.text(.csv, [sample]).contains(",\"my \"\"box\"\", \u{1}\\ground\n\",pm25"))
    }

    @Test(arguments: TextFormat.allCases)
    func aLongExportIsWrittenInPiecesAndReports(format: TextFormat) throws {
        var (largest, total) = (0, 0)
        var reports: [ExportProgress] = []
        var export = ExportText(
            format,
            progress: { reports.append($0) },
            to: { piece in
                largest = max(largest, piece.count)
                total += piece.count
            }
        )
        var source = SequenceSource(PeriodSeries(count: 25_000))
        let progress = try export.export(&source)
        #expect(reports.map(\.samples) == [10_000, 20_000, 25_000])
        #expect(reports.last == progress)
        #expect(total == progress.bytes)
        #expect(total > 2_000_000)
        #expect(largest < 67_000)
    }

    @Test func numbersAndTimesAreWrittenAsTheirDescriptions() {
        var random = SplitMix64(seed: 3)
        let edges: [Int64] = [0, -1, 1, 9, 10, -10, .max, .min]
        for index in 0..<20_000 {
            var (number, time) = (TextPiece(), TextPiece())
            let any = Int64.random(in: .min ... .max, using: &random)
            let mantissa = index < 80 ? edges[index % 8] : any >> Int64(index % 60)
            let value = FixedPoint(mantissa, decimals: index % 10)
            number.put(value)
            #expect(String(decoding: number.bytes, as: UTF8.self) == value.description)
            let wall = WallTime(nanoseconds: any)
            time.put(wall)
            #expect(String(decoding: time.bytes, as: UTF8.self) == wall.iso8601Tenths)
        }
    }

    @Test func labelsFollowTheStreamAndTheBoot() throws {
        let other = StreamDescription(id: StreamID(2), device: "attic", quantities: [.pm10])
        var samples: [DatedSample] = []
        for number in 0..<6 {
            let isBalcony = number % 2 == 0
            let outcomes: [Outcome] = isBalcony ? [.value(1), .value(2)] : [.value(3)]
            let sample = DatedSample(
                stream: isBalcony ? .balcony : other,
                boot: .numbered(UInt8(number / 3)),
                tick: Tick(tenths: Int64(number)),
                time: nil,
                outcomes: outcomes
            )
            samples.append(sample)
        }
        var devices: [Substring] = []
        var boots: [Substring] = []
        for row in try Self.text(.csv, samples).split(separator: "\n").dropFirst() {
            let fields = row.split(separator: ",", omittingEmptySubsequences: false)
            devices.append(fields[4])
            boots.append(fields[2])
        }
        let pattern: [Substring] = ["balcony", "balcony", "attic"]
        #expect(devices == pattern + pattern + pattern)
        let later = Substring(BootID.numbered(1).description)
        #expect(boots.firstIndex(of: later) == 5)
        #expect(boots.suffix(4).allSatisfy { $0 == later })
    }

    private struct Full: Error {}

    @Test func aFailingTargetEndsTheExport() {
        var export = ExportText(.csv) { _ in throw Full() }
        var source = SequenceSource(Self.samples)
        #expect(throws: Full.self) { try export.export(&source) }
    }
}
