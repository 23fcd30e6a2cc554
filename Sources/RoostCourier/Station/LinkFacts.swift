import ControlProtocol

/// The station as it says that it is, over its control socket.
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
