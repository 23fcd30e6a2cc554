enum DoctorCourierChecks {
    /// Checks of the courier, which delivers to other servers.
    static let courier = [
        DoctorCheck(name: "courier", question: "Does the courier run?", decide: runs),
        DoctorCheck(
            name: "courier-secrets",
            question: "May only the courier read its secrets?",
            decide: secrets
        ),
        DoctorCheck(
            name: "courier-network",
            question: "Are there a name server and certificates to go by?",
            decide: network
        ),
    ]

    private static let unwanted = DoctorFinding.skipped(
        "no courier is installed, so nothing is delivered"
    )

    @Sendable private static func runs(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard facts.courier.isWanted else { return unwanted }
        guard facts.runs("roost-courier") else {
            return .failure(
                "one is installed, and no courier runs",
                next: "roost courier check && sudo systemctl start roost-courier"
            )
        }
        return .ok("roost-courier runs; `roost outbox` says what it delivered")
    }

    @Sendable private static func secrets(_ facts: DoctorFacts) -> DoctorFinding {
        guard facts.courier.isWanted else { return unwanted }
        if let reason = facts.courier.unread[DoctorCourier.secretFolder] {
            return .ok(
                "the secrets in \(DoctorCourier.secretFolder) cannot be seen (\(reason)): "
                    + "sudo roost doctor looks at them"
            )
        }
        let open = facts.courier.openSecrets
        guard open.isEmpty else {
            return .failure(
                "others may read \(open.joined(separator: ", ")) in "
                    + "\(DoctorCourier.secretFolder), so the courier does not use them",
                next: "sudo chmod 600 \(DoctorCourier.secretFolder)/*; change those secrets"
            )
        }
        let count = facts.courier.secretCount
        return .ok("\(count) secret\(count == 1 ? "" : "s") that can be seen, none for others")
    }

    @Sendable private static func network(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard facts.courier.isWanted else { return unwanted }
        if let reason = facts.courier.unread[DoctorCourier.certificateFolder] {
            return .failure(
                "\(DoctorCourier.certificateFolder) cannot be read (\(reason)), so no encrypted "
                    + "server is trusted",
                next: "sudo chmod 755 \(DoctorCourier.certificateFolder)"
            )
        }
        guard facts.courier.hasAuthorities else {
            return .failure(
                "no hashed certificates are in /etc/ssl/certs, so no encrypted server is trusted",
                next: "sudo apt-get install ca-certificates && sudo update-ca-certificates"
            )
        }
        guard !facts.courier.nameServers.isEmpty else {
            return .warning(
                "/etc/resolv.conf names no name server, so only addresses in numbers are found",
                next: "see that the network is up: networkctl, or nmcli device show"
            )
        }
        return .ok("certificates are there, names are asked of \(facts.courier.nameServers[0])")
    }
}
