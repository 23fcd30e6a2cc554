/// All checks of `roost doctor`.
package enum DoctorChecks {
    /// All checks in the order in which they are printed: from the plug to the station.
    package static let all =
        DoctorPortChecks.ports + DoctorPinChecks.pins + DoctorHealthChecks.power
        + DoctorHealthChecks.clocks + DoctorRadioChecks.radio + DoctorCardChecks.card
        + DoctorCardChecks.writes + DoctorStationChecks.station + DoctorCourierChecks.courier
        + DoctorCameraChecks.camera + DoctorBoardChecks.image
}
