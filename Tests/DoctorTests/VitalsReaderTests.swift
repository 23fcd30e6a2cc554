import Glibc
import TestSupport
import Testing

@testable import LinuxPlatform
@testable import Station

@Suite struct VitalsReaderTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Writes a file of sysfs, and makes the folders above it.
    private func put(_ path: String, _ text: String) {
        var place = folder.path
        for part in path.split(separator: "/").dropLast() {
            place += "/\(part)"
            _ = mkdir(place, 0o755)
        }
        let raw = open("\(folder.path)\(path)", O_CREAT | O_WRONLY | O_TRUNC, 0o644)
        defer { close(raw) }
        #expect(write(raw, text, text.utf8.count) == text.utf8.count)
    }

    private var vitals: MachineVitals { VitalsReader(root: folder.path).read() }

    @Test func aMachineWithoutSensorsSaysNothing() {
        #expect(vitals == MachineVitals())
        put("/sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
        put("/sys/block/mmcblk0/device/type", "SD\n")
        #expect(vitals == MachineVitals())
    }

    @Test(arguments: [("0", false), ("1", true)])
    func theAlarmOfThePiIsRead(_ text: String, _ isLow: Bool) {
        put("/sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
        put("/sys/class/hwmon/hwmon1/name", "rpi_volt\n")
        put("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "\(text)\n")
        #expect(vitals.isUnderVoltage == isLow)
    }

    /// The worse of both kinds of memory; boot areas have names of their own.
    @Test func theLifeOfAnEMMCIsRead() {
        put("/sys/block/mmcblk0boot0/device/life_time", "0x0b 0x0b\n")
        put("/sys/block/mmcblk0/device/life_time", "0x01 0x0a\n")
        put("/sys/block/mmcblk0/device/pre_eol_info", "0x02\n")
        #expect(vitals.card == MachineVitals.Card(lifeTime: 10, endOfLife: 2))
    }

    /// A mouse has a battery, too, and a second bay may be empty.
    @Test func batteriesAndWhatFeedsThemAreRead() {
        let folder = "/sys/class/power_supply"
        put("\(folder)/mouse/type", "Battery\n")
        put("\(folder)/mouse/scope", "Device\n")
        put("\(folder)/mouse/capacity", "3\n")
        put("\(folder)/bay2/type", "Battery\n")
        put("\(folder)/bay2/present", "0\n")
        put("\(folder)/bat/type", "Battery\n")
        put("\(folder)/bat/present", "1\n")
        put("\(folder)/bat/status", "Discharging\n")
        put("\(folder)/bat/capacity", "41\n")
        put("\(folder)/hat/type", "UPS\n")
        put("\(folder)/hat/status", "Not charging\n")
        put("\(folder)/hat/charge_now", "500000\n")
        put("\(folder)/hat/charge_full", "2000000\n")
        put("\(folder)/gauge/type", "Battery\n")
        put("\(folder)/gauge/online", "1\n")
        put("\(folder)/poe/type", "Mains\n")
        put("\(folder)/poe/online", "0\n")
        #expect(
            vitals.supplies == [
                PowerSupply("bat", .battery, percent: 41, flow: .discharging),
                PowerSupply("gauge", .battery),
                PowerSupply("hat", .battery, percent: 25, flow: .idle),
                PowerSupply("poe", .mains, isOnline: false),
            ]
        )
    }

    @Test func whetherSomethingWaitsForThePowerOffIsRead() {
        #expect(!vitals.canPowerOff)
        put("/etc/systemd/system/multi-user.target.wants/roost-power-off.path", "\n")
        #expect(vitals.canPowerOff)
    }

    @Test func thePowerOffIsAskedForByAFile() throws {
        let path = "\(folder.path)/power-off-wanted"
        try PowerOffRequest(path: path).write()
        try PowerOffRequest(path: path).write()
        #expect(access(path, F_OK) == 0)
        let missing = "\(folder.path)/none/power-off-wanted"
        let error = #expect(throws: PowerOffError.self) {
            try PowerOffRequest(path: missing).write()
        }
        #expect(error?.description.hasPrefix(missing) == true)
    }

    /// 0 is "not defined".
    @Test func aCardWithoutAnEstimateSaysNothing() {
        put("/sys/block/mmcblk0/device/life_time", "0x00 0x00\n")
        #expect(vitals.card == nil)
    }
}
