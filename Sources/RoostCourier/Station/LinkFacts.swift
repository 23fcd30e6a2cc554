import ControlProtocol

/// State of the station, asked over its control socket.
struct LinkFacts: StationFacts {
    let link: any StationLink

    func view() async throws -> StationView? {
        do {
            let status = try await link.ask(ControlRequest(.status), StatusReport.self)
            let devices = try await link.ask(ControlRequest(.devices), DevicesReport.self)
            return StationView(status, devices)
        } catch is StationDown {
            return nil
        }
    }
}
