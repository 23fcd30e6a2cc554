import FileIO
import Glibc
import Station

/// Reads from sysfs what a machine says of its power and its card.
struct VitalsReader {
    /// The root of the file system; another one for tests.
    let root: String

    init(root: String = "") { self.root = root }

    /// - Source: Linux, `drivers/hwmon/raspberrypi-hwmon.c`: reading the alarm clears it;
    ///   `drivers/mmc/core/mmc.c`: `life_time` has two numbers, `pre_eol_info` one, in hexadecimal.
    func read() -> MachineVitals {
        let sensor = names("/sys/class/hwmon").map { "/sys/class/hwmon/\($0)" }
            .first { line("\($0)/name") == "rpi_volt" }
        let alarm = sensor.flatMap { line("\($0)/in0_lcrit_alarm") }
        var vitals = MachineVitals(
            isUnderVoltage: alarm.map { $0 != "0" },
            card: card,
            supplies: names(Self.supplyFolder).prefix(Self.supplyLimit).compactMap(supply)
        )
        vitals.canPowerOff = access(root + Self.powerOffUnit, F_OK) == 0
        return vitals
    }

    /// The link that `systemctl enable` makes.
    private static let powerOffUnit =
        "/etc/systemd/system/multi-user.target.wants/roost-power-off.path"

    private static let supplyFolder = "/sys/class/power_supply"
    /// Power supplies that are read at most; more are left out.
    private static let supplyLimit = 16

    /// A supply of the machine; nil for one of a mouse or keyboard, and for a battery that is not
    /// in its place.
    ///
    /// - Source: Linux, `Documentation/ABI/testing/sysfs-class-power`.
    private func supply(_ name: String) -> PowerSupply? {
        let folder = "\(Self.supplyFolder)/\(name)"
        guard line("\(folder)/scope") != "Device", line("\(folder)/present") != "0" else {
            return nil
        }
        let isOnline = line("\(folder)/online").map { $0 != "0" }
        switch line("\(folder)/type") {
        case "Battery", "UPS": break
        case nil: return nil
        default: return PowerSupply(name, .mains, isOnline: isOnline)
        }
        let flow: PowerSupply.Flow =
            switch line("\(folder)/status") {
            case "Charging": .charging
            case "Discharging": .discharging
            case "Full": .full
            case "Not charging": .idle
            default: .unknown
            }
        // `online` of a gauge says that there is a battery, not that power comes in.
        return PowerSupply(name, .battery, percent: percent(in: folder), flow: flow)
    }

    /// Charge in per cent, as the gauge reports it or computed from charge or energy.
    private func percent(in folder: String) -> Int? {
        func number(_ name: String) -> Double? {
            line("\(folder)/\(name)").flatMap(Double.init)
        }
        if let percent = number("capacity") { return Self.whole(percent) }
        for quantity in ["charge", "energy"] {
            if let now = number("\(quantity)_now"), let full = number("\(quantity)_full"), full > 0
            {
                return Self.whole(now / full * 100)
            }
        }
        return nil
    }

    private static func whole(_ percent: Double) -> Int? {
        percent.isFinite ? Int(min(max(percent, 0), 100)) : nil
    }

    /// The main area of an eMMC: its boot areas have names of their own.
    private var card: MachineVitals.Card? {
        let disks = names("/sys/block").filter {
            $0.hasPrefix("mmcblk") && $0.dropFirst(6).allSatisfy(\.isNumber)
        }
        for disk in disks {
            let device = "/sys/block/\(disk)/device"
            let used = (line("\(device)/life_time") ?? "").split(separator: " ")
                .compactMap { Self.number($0) }
            guard let worst = used.max(), worst > 0 else { continue }
            let end = line("\(device)/pre_eol_info").flatMap { Self.number($0[...]) }
            return MachineVitals.Card(lifeTime: worst, endOfLife: end ?? 0)
        }
        return nil
    }

    private static func number(_ text: Substring) -> Int? {
        Int(text.hasPrefix("0x") ? text.dropFirst(2) : text, radix: 16)
    }

    private func names(_ folder: String) -> [String] {
        (try? Files.names(in: root + folder)) ?? []
    }

    private func line(_ path: String) -> String? { Files.line(root + path) }
}
