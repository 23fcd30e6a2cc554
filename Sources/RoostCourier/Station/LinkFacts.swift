import ControlProtocol

/// State of the station, asked over its control socket.
struct LinkFacts: StationViewSource {
    let link: any QuestionClient

    func view() async throws -> BrokerStationView? {
        do {
            let status = try await link.ask(GetStatus())
            let devices = try await link.ask(GetDevices())
            return BrokerStationView(status, devices)
        } catch is StationDown {
            return nil
        }
    }
}
