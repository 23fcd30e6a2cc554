import ControlProtocol

/// State of the station, asked over its control socket, with the channels that a target gets.
struct LinkFacts: StationViewSource {
    let link: any QuestionClient
    let choice: StreamChoice

    func view() async throws -> BrokerStationView? {
        do {
            let status = try await link.ask(GetStatus())
            let devices = try await link.ask(GetDevices())
            return BrokerStationView(status, devices).keeping(choice)
        } catch is StationDown {
            return nil
        }
    }
}
