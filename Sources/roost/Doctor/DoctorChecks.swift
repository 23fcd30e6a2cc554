/// What `roost doctor` checks.
enum DoctorChecks {
    /// In the order in which they are printed: from the plug to the station.
    static let all =
        DoctorPortChecks.ports + DoctorPinChecks.pins + DoctorHealthChecks.power
        + DoctorHealthChecks.clocks + DoctorCardChecks.card + DoctorCardChecks.writes
        + DoctorStationChecks.station
}
