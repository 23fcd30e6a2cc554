@testable import Doctor

extension Ailments {
    static let courier = [
        Ailment(
            check: "courier",
            verdict: .failure,
            words: "no courier runs",
            next: "systemctl start roost-courier"
        ) { $0.files["/proc/901/comm"] = nil },
        Ailment(
            check: "courier",
            verdict: .skipped,
            words: "nothing is delivered",
            next: "",
            others: ["courier-secrets", "courier-network"]
        ) { $0.files["/etc/roost/courier.json"] = nil },
        Ailment(
            check: "courier-secrets",
            verdict: .failure,
            words: "others may read influx (0640)",
            next: "sudo chmod 600"
        ) { $0.modes["/etc/roost/secrets/influx"] = 0o640 },
        Ailment(
            check: "courier-network",
            verdict: .failure,
            words: "/etc/ssl/certs cannot be read",
            next: "sudo chmod 755 /etc/ssl/certs"
        ) { $0.lose("/etc/ssl/certs") },
        Ailment(
            check: "courier-network",
            verdict: .failure,
            words: "no hashed certificates",
            next: "update-ca-certificates"
        ) { $0.files["/etc/ssl/certs/002c0b4f.0"] = nil },
        Ailment(
            check: "courier-network",
            verdict: .warning,
            words: "no name server",
            next: "nmcli"
        ) { $0.files["/etc/resolv.conf"] = "search home\n" },
    ]
}
