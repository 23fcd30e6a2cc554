import Core

extension SDS011Driver: SensorChild {
    package var report: SensorReport {
        let status = status
        return SensorReport(
            state: status.state,
            facts: status.facts,
            lastMeasurementAt: status.lastMeasurementAt
        )
    }

    /// A driver of what a setup describes.
    ///
    /// An id that is not one of an SDS011 addresses no part, so none answers.
    package init(_ setup: SensorSetup) {
        var settings = SDS011Settings()
        settings.yieldsToAnother = setup.yieldsToAnother
        settings.liveWarmUp = setup.warmUp
        if let id = setup.id { settings.deviceID = SDS011DeviceID(id) }
        self.init(
            name: setup.name,
            port: setup.port,
            environment: setup.environment,
            mode: setup.mode,
            settings: settings,
            reopen: setup.reopen
        )
    }
}
