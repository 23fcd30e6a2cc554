/// All checks of `roost doctor`.
package enum DoctorChecks {
    /// All checks in the order in which they are printed: from the plug to the station.
    package static let all =
        DoctorPortChecks.ports + DoctorPinChecks.pins + DoctorHealthChecks.power
        + DoctorHealthChecks.clocks + DoctorRadioChecks.radio + DoctorCardChecks.card
        + DoctorCardChecks.writes + DoctorStationChecks.station + DoctorCourierChecks.courier
        + DoctorCameraChecks.camera + DoctorBoardChecks.image + [folders]

    private static let folders = DoctorCheck(
        name: "folders",
        question: "Can every folder be read that a check looks into?"
    ) { facts in
        let unread = facts.unread.sorted { $0.key < $1.key }
        guard !unread.isEmpty else { return .ok("every folder that is there can be read") }
        return .warning(
            "\(unread.map(\.key).inWords) cannot be read, so what is in them counts as absent",
            next: facts.user?.isRoot == true ? "dmesg" : "sudo roost doctor"
        ).with(details: unread.map { "\($0.key): \($0.value)" })
    }
}
