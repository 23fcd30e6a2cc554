import ControlProtocol
import HTTPTypes

/// Adds, changes and removes devices.
struct DeviceRoutes: Sendable {
    let questions: StationQuestions

    var all: [Route] {
        [
            Route(.post, "/api/v1/devices", .owner, body: .form) { try await add($0) },
            Route(.patch, "/api/v1/devices/{name}", .owner, body: .form) { request in
                try await change(request)
            },
            Route(.delete, "/api/v1/devices/{name}", .owner) { request in
                var control = ControlRequest(.forget)
                control.device = request.parameters["name"]
                _ = try await questions.ask(control, for: request, DevicesReport.self)
                return try await questions.devices()
            },
        ]
    }

    private struct Device: Decodable {
        let name: String
        let type: String
        let address: String
        let intervalSeconds: Double?
    }

    private func add(_ request: WebRequest) async throws -> WebResponse {
        try request.allow(only: ["name", "type", "address", "intervalSeconds"])
        let body = try request.decoded(Device.self)
        var control = ControlRequest(.configure, seconds: body.intervalSeconds)
        (control.device, control.profile) = (body.name, body.type)
        (control.address, control.isNew) = (body.address, true)
        _ = try await questions.ask(control, for: request, DevicesReport.self)
        var answer = try await questions.devices()
        answer.status = .created
        return answer
    }

    private struct Change: Decodable {
        let name: String?
        let address: String?
        let intervalSeconds: Double?
        let record: Bool?
    }

    private func change(_ request: WebRequest) async throws -> WebResponse {
        try request.allow(only: ["name", "address", "intervalSeconds", "record"])
        let body = try request.decoded(Change.self)
        let device = request.parameters["name"]
        if body.address != nil || body.intervalSeconds != nil || body.record != nil {
            var control = ControlRequest(.configure, seconds: body.intervalSeconds)
            (control.device, control.address) = (device, body.address)
            control.isOn = body.record
            _ = try await questions.ask(control, for: request, DevicesReport.self)
        } else if body.name == nil {
            throw Problem.badRequest("name a change: name, address, intervalSeconds or record")
        }
        if let name = body.name, name != device {
            var control = ControlRequest(.rename, name: name)
            control.device = device
            _ = try await questions.ask(control, for: request, DevicesReport.self)
        }
        return try await questions.devices()
    }
}
