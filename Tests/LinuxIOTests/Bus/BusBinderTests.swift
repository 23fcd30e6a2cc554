import FileIO
import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import LinuxIO

/// A folder stands in for sysfs, /run and /var.
@Suite struct BusBinderTests {
    private let folder: TestFolder
    private let system: LinuxI2C

    init() throws {
        folder = try TestFolder()
        system = LinuxI2C(root: folder.path)
        let part = "sys/bus/i2c/devices/1-0076"
        try Self.make(folder, [part, "sys/bus/i2c/devices/i2c-1", "run", "var/lib/roost/bus"])
        try put("sys/bus/i2c/devices/i2c-1/name", "bcm2835\n")
        try put("\(part)/name", "bme280\n")
    }

    private static func make(_ folder: TestFolder, _ paths: [String]) throws {
        for path in paths {
            var place = folder.path
            for name in path.split(separator: "/") {
                place += "/\(name)"
                _ = mkdir(place, 0o700)
            }
            try #require(access(place, W_OK) == 0)
        }
    }

    private func put(_ name: String, _ text: String) throws {
        try Files.replace(folder.path(name), with: Array(text.utf8), mode: 0o600)
    }

    /// No file `delete_device`, as of a kernel that refuses: the part is remembered.
    @Test func aPartThatTheKernelKeepsIsAskedForAgain() throws {
        let part = BusPart(bus: 1, address: 0x76, name: "bme280")
        try Self.make(folder, ["run/roost-bus"])
        let made = BusResult(of: BusPartList([part]).bytes, [.init(part, .bound, "bmp280")])
        try Files.replace(system.resultPath, with: made.bytes, mode: 0o600)
        let binder = BusBinder(system, names: ["bme280"])
        for _ in 0..<2 {
            #expect(try binder.run().first == "1 0x76 bme280: cannot be taken back")
            let result = system.readResult().flatMap { BusResult(reading: $0) }
            #expect(result == BusResult(of: [], [.init(part, .kept)]))
        }
        try put("sys/bus/i2c/devices/i2c-1/delete_device", "")
        #expect(try binder.run() == ["1 0x76 bme280: taken back"])
        #expect(system.readResult() == BusResult(of: [], []).bytes)
    }

    /// A part without its line in a result would never be taken back.
    @Test func nothingIsMadeWhereNoResultCanBeWritten() throws {
        let new = "sys/bus/i2c/devices/i2c-1/new_device"
        try put(new, "")
        try put("run/roost-bus", "no folder")
        try put("var/lib/roost/bus/parts", "1 0x23 bh1750\n")
        let binder = BusBinder(system, names: ["bh1750"])
        #expect(throws: FileError.self) { try binder.run() }
        #expect(try Files.readIfThere(folder.path(new), limit: 100) == [])
    }

    /// The list is on the card, and the folder of the wake is not there.
    @Test func aListIsKeptWhereNothingIsWoken() throws {
        let bytes = Array("1 0x76 bme280\n".utf8)
        let trouble = try system.writeList(bytes)
        #expect(trouble != nil)
        #expect(try system.readList() == bytes)
        try Self.make(folder, ["run/roost"])
        #expect(try system.writeList(bytes) == nil)
    }
}
