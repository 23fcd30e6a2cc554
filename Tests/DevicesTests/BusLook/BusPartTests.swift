import HardwareIO
import Testing

@testable import Core

@Suite struct BusPartTests {
    @Test func readsWhatItWrites() {
        let part = BusPart(bus: 1, address: 0x76, name: "bme280")
        #expect(part.text == "1 0x76 bme280" && part.folder == "1-0076")
        #expect(BusPart(part.text) == part)
    }

    @Test(arguments: [
        "", "1 0x76", "1 0x76 bme280 ", " 1 0x76 bme280", "1  0x76 bme280", "01 0x76 bme280",
        "256 0x76 bme280", "-1 0x76 bme280", "1 0X76 bme280", "1 0x7 bme280", "1 0x076 bme280",
        "1 0x07 bme280", "1 0x78 bme280", "1 76 bme280", "1 0x7A bme280", "1 0x76 BME280",
        "1 0x76 ../bme280", "1 0x76 bme280;reboot", "1 0x76 -e", "1 0x76 \u{661}",
        "1 0x76 a23456789012345678901", "1\t0x76 bme280", "1 0x76 bme280\0",
    ])
    func refusesAnythingElse(text: String) { #expect(BusPart(text) == nil) }

    @Test func aListLeavesOutWhatIsWrongAndSaysSo() {
        let text = "1 0x76 bme280\nnonsense\n1 0x76 bmp280\n\n1 0x23 bh1750\n"
        let list = BusPartList(reading: Array(text.utf8))
        #expect(list.parts.map(\.text) == ["1 0x76 bme280", "1 0x23 bh1750"])
        #expect(list.refused == ["nonsense", "1 0x76 bmp280"])
        #expect(BusPartList(reading: list.bytes).parts == list.parts)
        #expect(list.removing(bus: 1, address: 0x76).parts.count == 1)
        let other = BusPart(bus: 1, address: 0x76, name: "bmp280")
        #expect(list.adding(other).parts.map(\.name) == ["bh1750", "bmp280"])
    }

    @Test func eachRequestHasANumberOfItsOwn() {
        let part = BusPart(bus: 1, address: 0x76, name: "bme280")
        let first = BusPartList(reading: Array("1 0x76 bme280\n".utf8)).asked(after: nil)
        #expect(first.bytes == Array("request 1\n1 0x76 bme280\n".utf8))
        #expect(BusPartList(reading: first.bytes) == first && first.refused.isEmpty)
        let done = BusResult(of: first.bytes, [.init(part, .bound, "bmp280")])
        #expect(done.bytes.starts(with: "list \(CRC32.checksum(first.bytes)) 1\n".utf8))
        #expect(BusResult(reading: done.bytes) == done && done.answers(first.bytes))
        let second = first.removing(bus: 1, address: 0x76).adding(part).asked(after: nil)
        #expect(second.request == 2 && second.parts == first.parts)
        #expect(!done.answers(second.bytes) && !done.answers(Array("1 0x76 bme280\n".utf8)))
        #expect(BusPartList([part]).asked(after: done).request == 2, "the list was lost")
        let last = BusPartList(reading: Array("request 4294967295\n".utf8)).asked(after: nil)
        #expect(last.request == 1)
    }

    @Test(arguments: [
        "request 0", "request 01", "request +1", "request  1", "request 1 ", "request",
        "request 4294967296", "request 1 2", "1 0x23 bh1750\nrequest 1", "request 1\nrequest 2",
    ])
    func aRequestIsTheFirstLineAndExactlySo(text: String) {
        let list = BusPartList(reading: Array("\(text)\n1 0x76 bme280\n".utf8))
        #expect(list.refused == [text.split(separator: "\n").last.map(String.init)])
        #expect(list.parts.last?.text == "1 0x76 bme280")
        let result = BusResult(reading: Array("list 17 \(text.dropFirst(8))\n".utf8))
        #expect(result == nil)
    }

    @Test func aListHasItsBounds() {
        let lines = (0..<40).map { "1 0x\(String(0x20 + $0, radix: 16)) bme280\n" }.joined()
        let list = BusPartList(reading: Array(lines.utf8))
        #expect(list.parts.count == BusPartList.limit && list.refused.count == BusPartList.limit)
        let long = BusPartList(reading: [UInt8](repeating: 0x31, count: 5_000))
        #expect(long.parts.isEmpty && long.refused == ["a list of 5000 bytes"])
    }

    /// Whatever bytes stand in the file: each part is one that its line says exactly.
    @Test func spoiltListsGiveNoOtherPart() {
        let sample = Array("1 0x76 bme280\n10 0x23 bh1750\n255 0x08 a-b_c\n".utf8)
        var random = SplitMix64(seed: 60)
        for _ in 0..<2_000 {
            var bytes = sample
            for _ in 0...Int(random.next() % 4) {
                let place = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[Int(random.next() % UInt64(bytes.count))], at: place)
                }
            }
            let list = BusPartList(reading: bytes)
            let lines = Set(bytes.split(separator: 0x0A).map { Array($0) })
            for part in list.parts {
                #expect(lines.contains(Array(part.text.utf8)))
                #expect(BusPlace.addresses.contains(part.address) && BusPart.isName(part.name))
            }
            _ = BusResult(reading: bytes)
        }
    }

    @Test func aResultIsReadAsItWasWritten() {
        let part = BusPart(bus: 1, address: 0x76, name: "bme280")
        let list = BusPartList([part]).bytes
        let lines = BusResult.Outcome.allCases.map {
            BusResult.Line(part, $0, $0 == .bound ? "bmp280" : nil)
        }
        let result = BusResult(of: list, lines)
        #expect(BusResult(reading: result.bytes) == result)
        #expect(result.list == CRC32.checksum(list))
        let old = Array("list 17\n1 0x76 bme280 bound bmp280\n".utf8)
        #expect(BusResult(reading: old)?.list == 17, "as an earlier version wrote it")
        #expect(BusResult(reading: old)?.request == nil)
        for count in result.bytes.indices.dropFirst() where count < result.bytes.count - 1 {
            let part = BusResult(reading: result.bytes.prefix(count))
            #expect(part == nil || result.bytes[count - 1] == 0x0A, "half a line is believed")
        }
    }
}
