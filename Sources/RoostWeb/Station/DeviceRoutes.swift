import ControlProtocol
import HTTPTypes

/// Adds, changes and removes devices.
struct DeviceRoutes: Sendable {
    let questions: StationQuestions

    var all: [Route] {
        [
            Route(.post, "/api/v1/devices", .owner) { try await add($0) }
                .about(
                    "Adds a device on the local network, or on pins of the header.",
                    takes: Device.self,
                    answers: DevicesReport.self,
                    audit: .device
                ),
            Route(.patch, "/api/v1/devices/{name}", .owner) { request in
                try await change(request)
            }
            .about(
                "Changes title, name, address, lines, lamp, interval or recording of a device.",
                takes: Change.self,
                answers: DevicesReport.self,
                audit: .device
            ),
            Route(.delete, "/api/v1/devices/{name}", .owner) { request in
                let name = request.parameters["name"] ?? ""
                return try await questions.answer(ForgetDevice(name), for: request)
            }
            .about(
                "Removes an added device, or forgets one that is away.",
                answers: DevicesReport.self,
                audit: .forget
            ),
        ]
    }

    private struct Device: Decodable {
        let name: String
        let type: String
        /// Address of a device on the network.
        let address: String?
        /// Line of a part on a pin: `GPIO17`.
        let line: String?
        /// Lines of a traffic light: red, yellow, green.
        let lines: [String]?
        /// What an LED shows: `station`, `motion`, `level` or `camera`.
        let shows: String?
        /// The device that an LED or a traffic light shows.
        let follows: String?
        /// Whether holding a button for 15 s gives the station away; only on an image.
        let resets: Bool?
        let intervalSeconds: Double?
    }

    private func add(_ request: WebRequest) async throws -> WebResponse {
        let body = try request.decoded(Device.self)
        var question = ConfigureDevice(
            body.name,
            address: body.address,
            seconds: body.intervalSeconds
        )
        (question.line, question.lines) = (body.line, body.lines)
        (question.shows, question.follows) = (body.shows, body.follows)
        (question.profile, question.resets) = (body.type, body.resets)
        question.isNew = true
        var answer = try await questions.answer(question, for: request)
        answer.status = .created
        return answer
    }

    private struct Change: Decodable {
        let name: String?
        /// What people call it, 1 to 64 characters; empty takes that back.
        let title: String?
        let address: String?
        let line: String?
        let lines: [String]?
        /// What an LED shows: `station`, `motion`, `level` or `camera`.
        let shows: String?
        /// The device that an LED or a traffic light shows; empty takes that back.
        let follows: String?
        /// Whether holding a button for 15 s gives the station away; only on an image.
        let resets: Bool?
        let intervalSeconds: Double?
        let record: Bool?
    }

    private func change(_ request: WebRequest) async throws -> WebResponse {
        let body = try request.decoded(Change.self)
        let device = request.parameters["name"] ?? ""
        let changes = [
            body.title != nil, body.address != nil, body.record != nil, body.line != nil,
            body.lines != nil, body.shows != nil, body.follows != nil, body.resets != nil,
        ]
        if changes.contains(true) || body.intervalSeconds != nil {
            var question = ConfigureDevice(
                device,
                address: body.address,
                seconds: body.intervalSeconds
            )
            (question.isOn, question.title) = (body.record, body.title)
            (question.line, question.lines) = (body.line, body.lines)
            (question.shows, question.follows) = (body.shows, body.follows)
            question.resets = body.resets
            _ = try await questions.ask(question, for: request)
        } else if body.name == nil {
            throw Problem.badRequest(
                "name a change: title, name, address, line, shows, follows, resets, "
                    + "intervalSeconds or record"
            )
        }
        guard let name = body.name, name != device else {
            return try await questions.answer(GetDevices())
        }
        return try await questions.answer(RenameDevice(device, to: name), for: request)
    }
}
