import ControlProtocol
import HTTPTypes

/// Sensors on the header: what is on the I²C buses, and its driver.
struct BusRoutes: Sendable {
    let questions: StationQuestions

    /// A look may take 20 s, a driver 15 more, and a look follows.
    private static let limit = Duration.seconds(55)

    var all: [Route] {
        [
            Route(.get, "/api/v1/buses", .owner, scope: .read) { request in
                let report = try await questions.ask(
                    LookAtBuses(),
                    for: request,
                    within: Self.limit
                )
                return .json(try ControlCodec.line(report))
            }
            .about(
                "Looks at the I²C buses: what answers at the addresses of known parts.",
                answers: BusReport.self
            ),
            Route(.put, "/api/v1/buses/{bus}/{address}", .owner) { try await use($0) }
                .about(
                    "Gives a part on I²C its driver, now and at each start, or reads it without.",
                    takes: Use.self,
                    answers: BusReport.self,
                    audit: .device
                ),
            Route(.delete, "/api/v1/buses/{bus}/{address}", .owner) { request in
                let (bus, address) = try Self.place(request)
                let question = ForgetPart(address, bus: bus)
                let report = try await questions.ask(question, for: request, within: Self.limit)
                return .json(try ControlCodec.line(report))
            }
            .about(
                "Takes the driver of a part on I²C away again; what it measured stays.",
                answers: BusReport.self,
                audit: .forget
            ),
        ]
    }

    private struct Use: Decodable {
        /// The kernel's name of the part, such as `bme280`, or a profile's id.
        let name: String?
    }

    private func use(_ request: WebRequest) async throws -> WebResponse {
        let body = request.body.isEmpty ? Use(name: nil) : try request.decoded(Use.self)
        let (bus, address) = try Self.place(request)
        let question = UsePart(address, bus: bus, name: body.name)
        let report = try await questions.ask(question, for: request, within: Self.limit)
        return .json(try ControlCodec.line(report))
    }

    private static func place(_ request: WebRequest) throws -> (bus: Int, address: String) {
        guard let bus = request.parameters["bus"].flatMap({ Int($0) }) else {
            throw Problem.badRequest("the address is /api/v1/buses/1/0x76: a number and an address")
        }
        return (bus, request.parameters["address"] ?? "")
    }
}
