import ControlProtocol

@testable import Doctor

extension Ailments {
    private static let mounts = "/proc/mounts"

    static let card = [
        Ailment(check: "card-space", verdict: .warning, words: "2.00 GB of 30.0 GB", next: "du -xh")
        { $0.space = DoctorSpace(totalBytes: 30_000_000_000, freeBytes: 2_000_000_000) },
        Ailment(
            check: "card-space",
            verdict: .failure,
            words: "the history is to be made with",
            next: "smaller `megabytes`"
        ) { $0.space = DoctorSpace(totalBytes: 30_000_000_000, freeBytes: 50_000_000) },
        Ailment(
            check: "card-mount",
            verdict: .note,
            words: "once a day",
            next: "remount,noatime /"
        ) { $0.replace("noatime", "relatime", in: mounts) },
        Ailment(
            check: "card-mount",
            verdict: .warning,
            words: "each time",
            next: "add noatime"
        ) { $0.replace(",noatime", "", in: mounts) },
        Ailment(
            check: "card-mount",
            verdict: .warning,
            words: "goes on writing after an error",
            next: "errors=remount-ro"
        ) { $0.replace("errors=remount-ro", "errors=continue", in: mounts) },
        Ailment(
            check: "card-writable",
            verdict: .failure,
            words: "mounted read-only",
            next: "remount,rw /"
        ) { $0.replace("rw,noatime", "ro,noatime", in: mounts) },
        Ailment(
            check: "card-writable",
            verdict: .failure,
            words: "an overlay in memory",
            next: "do_overlayfs 1",
            others: ["card-mount"]
        ) {
            $0.files[mounts] =
                "overlay / overlay rw,lowerdir=/lower,upperdir=/upper 0 0\n"
                + "tmpfs /run tmpfs rw 0 0\n"
        },
        Ailment(
            check: "card-writable",
            verdict: .failure,
            words: "lies in memory (tmpfs)",
            next: "set `folder`",
            others: ["card-mount"]
        ) { $0.files[mounts, default: ""] += "tmpfs /var/lib tmpfs rw 0 0\n" },
        Ailment(
            check: "card-wear",
            verdict: .warning,
            words: "up to 90 %",
            next: "compact-copy",
            model: Boards.module
        ) { $0.files["/sys/block/mmcblk0/device/life_time"] = "0x02 0x09\n" },
        Ailment(
            check: "card-wear",
            verdict: .failure,
            words: "more than all",
            next: "replace it",
            model: Boards.module
        ) { $0.files["/sys/block/mmcblk0/device/life_time"] = "0x0b 0x02\n" },
        Ailment(check: "card-wear", verdict: .skipped, words: "like every SD card", next: "") {
            $0.files["/sys/block/mmcblk0/device/life_time"] = nil
            $0.files["/sys/block/mmcblk0/device/pre_eol_info"] = nil
        },
        Ailment(
            check: "card-erase",
            verdict: .note,
            words: "mmcblk0p2 begins 2048 KiB beside",
            next: "multiple of 8192 sectors"
        ) { $0.files["/sys/block/mmcblk0/mmcblk0p2/start"] = "1060864\n" },
        Ailment(
            check: "card-journal",
            verdict: .note,
            words: "/dev/mmcblk0p3 is not used",
            next: "\"journal\": \"auto\""
        ) { $0.replace("\"journal\": \"auto\"", "", in: "/etc/roost/roost.json") },
        Ailment(
            check: "card-journal",
            verdict: .failure,
            words: "cannot be found",
            next: "lsblk",
            others: ["card-erase"]
        ) {
            $0.links["/dev/roost/journal"] = nil
            $0.links["/var/lib/roost/journal.partition"] = "/dev/mmcblk0p3"
        },
        Ailment(
            check: "run-memory",
            verdict: .warning,
            words: "not in memory",
            next: "/etc/fstab"
        ) { $0.replace("tmpfs /run tmpfs", "/dev/mmcblk0p3 /run ext4", in: mounts) },
        Ailment(
            check: "run-memory",
            verdict: .warning,
            words: "has 97 KiB left",
            next: "du -sh /run/*"
        ) { $0.runSpace = DoctorSpace(totalBytes: 1_000_000, freeBytes: 100_000) },
        Ailment(
            check: "swap",
            verdict: .warning,
            words: "/var/swap, on the card",
            next: "dphys-swapfile swapoff",
            model: Boards.zero
        ) { $0.files["/proc/swaps", default: ""] += "/var/swap file\t102396\t0\t-2\n" },
        Ailment(
            check: "log-writes",
            verdict: .warning,
            words: "Storage=auto",
            next: "Storage=volatile"
        ) {
            $0.files["/etc/systemd/journald.conf.d/volatile.conf"] = nil
            $0.files["/var/log/journal/x"] = ""
        },
    ]

    static let station = [
        Ailment(
            check: "configuration",
            verdict: .failure,
            words: "has 2 mistakes",
            next: "roostd --config /etc/roost/roost.json --check",
            others: [
                "serial-present", "pin-holders", "store", "history", "watchdog-settings",
                "http-devices",
                "card-journal",
            ]
        ) { $0.configure(#"{ "mode": "year", "mood": 1, "watchdog": {} }"#) },
        Ailment(
            check: "configuration",
            verdict: .note,
            words: "uses what is plugged in",
            next: "sudo install -D",
            others: [
                "serial-present", "pin-holders", "store", "history", "watchdog-settings",
                "http-devices",
                "card-journal",
            ]
        ) { $0.files["/etc/roost/roost.json"] = nil },
        Ailment(check: "profiles", verdict: .warning, words: "1 mistake", next: "profiles check") {
            $0.files["/etc/roost/profiles.d/mine.json"] = "{"
        },
        Ailment(
            check: "http-devices",
            verdict: .warning,
            words: "milano gives nothing: no answer",
            next: "curl -m 5 http://192.168.1.20/"
        ) { $0.httpTrouble = "no answer in time" },
        Ailment(
            check: "instance",
            verdict: .warning,
            words: "processes 900 and 902",
            next: "sudo kill 900"
        ) { $0.files["/proc/902/comm"] = "roostd\n" },
        Ailment(
            check: "station",
            verdict: .failure,
            words: "holds the station's lock and does not",
            next: "sudo kill -9 900 && sudo roostd"
        ) { $0.answer = .absent },
        Ailment(
            check: "station",
            verdict: .warning,
            words: "configured, and none answers",
            next: "sudo systemctl start roostd",
            others: ["instance"]
        ) {
            $0.answer = .absent
            $0.files["/proc/900/comm"] = nil
            $0.files["/proc/locks"] = nil
            $0.files["/etc/systemd/system/roostd.service"] = ""
        },
        Ailment(
            check: "station",
            verdict: .failure,
            words: "does not answer within 5 s",
            next: "sudo kill -9 900 && sudo roostd"
        ) { $0.answer = .hangs(words: "the station does not answer within 5 s") },
        Ailment(
            check: "station",
            verdict: .failure,
            words: "no permission",
            next: "roost status"
        ) { $0.answer = .refuses(words: "/run/roost/roost.sock: no permission; use sudo") },
        Ailment(check: "station", verdict: .warning, words: "names a fault", next: "its cable") {
            $0.answer = .answers(
                processID: 900,
                faults: [
                    FaultReport(
                        id: "sensor-silent:dust",
                        since: nil,
                        ageSeconds: 60,
                        sentence: "dust at /dev/ttyUSB0 does not answer",
                        nextStep: "see its cable"
                    )
                ]
            )
        },
        Ailment(
            check: "store",
            verdict: .warning,
            words: "pi may not write to /var/lib/roost",
            next: "sudo chown"
        ) { $0.mayWrite = false },
        Ailment(
            check: "store",
            verdict: .note,
            words: "is not there",
            next: "install -d",
            others: ["history"]
        ) { $0.files["/var/lib/roost/x"] = nil },
    ]
}
