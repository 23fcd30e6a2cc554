import Configuration
import Core
import HardwareIO
import Profiles

extension Station {
    /// Everything that is wrong with the station now, the oldest first.
    package var faults: [Fault] { facts.faults }

    private var facts: StationFacts {
        let (effective, isContinuous) = (effective, context.modes.isContinuous)
        var facts = StationFacts(now: context.clock.now, startedAt: context.startedAt)
        facts.named = context.faults.faults
        facts.missing = detection.missing
        let channels = Dictionary(grouping: context.recorder.channels, by: \.channel.device)
        facts.devices = context.devices.facts.map { device in
            var device = device
            let own = channels[device.name] ?? []
            device.latest = own.compactMap(\.latest)
            device.lastValueAt = own.compactMap(\.lastValue?.instant).max()
            let configured = effective.devices.first { $0.name == device.name }
            device.limits = configured?.limits(isContinuous: isContinuous)
            device.baud = configured?.baud
            return device
        }
        return facts
    }

    /// Adds a fault for each profile that is left out, and removes those that are used again.
    func setFaults(leftOut problems: [ConfigurationError], before: [ConfigurationError] = []) {
        for error in before { context.faults.clear(.profileLeftOut, of: error.file) }
        for error in problems {
            let text = error.problems.first.map { ": \($0)" } ?? ""
            context.faults.raise(
                .profileLeftOut,
                of: error.file,
                "the profile \(error.file) is left out\(text)"
            )
        }
    }

    /// Adds what the start of the image found; a person sees it on the page and at the LED.
    ///
    /// Called again at a reload: the Wi-Fi is found wrong later, and right again.
    package func addFaults(_ start: StartFindings) {
        if let first = start.fileProblems.first {
            let count = start.fileProblems.count - 1
            let more = count > 0 ? "; roost doctor shows \(count) more" : ""
            context.faults.raise(
                .bootFilesWrong,
                "a file on the card is wrong: \(first)\(more)"
            )
        }
        let file = "station.txt"
        if let wireless = start.wireless {
            let sentence = wireless.hasSuffix(".") ? String(wireless.dropLast()) : wireless
            context.faults.raise(.bootFilesWrong, of: file, sentence)
        } else {
            context.faults.clear(.bootFilesWrong, of: file)
        }
        if start.isDataInMemory {
            let text = "history and settings lie in memory, and are lost with the power"
            context.faults.raise(.dataInMemory, text)
        }
    }

    /// A configuration was read and is wrong: the station goes on with the one before.
    package func reject(_ error: ConfigurationError) {
        let more = error.problems.count > 1 ? ", and \(error.problems.count - 1) more" : ""
        let text = error.problems.first.map { "\($0)" } ?? "cannot be read"
        context.faults.raise(
            .configurationRejected,
            "the station runs on with the configuration before: \(error.file): \(text)\(more)"
        )
    }
}

extension DeviceConfiguration {
    /// The rate of its serial line; nil without one.
    fileprivate var baud: Int? {
        guard case .sensor(let sensor) = kind, GPSDAddress(sensor.port) == nil else { return nil }
        return sensor.rate
    }

    fileprivate func limits(isContinuous: Bool) -> StationFacts.Limits? {
        guard sampleInterval(isContinuous: isContinuous) != nil else { return nil }
        return StationFacts.Limits(
            age: ageLimit(isContinuous: isContinuous),
            // A mode that has just begun does not change earlier expectations.
            silence: ageLimit(isContinuous: false),
            outlastsMiss: outlastsMiss(isContinuous: isContinuous)
        )
    }
}
