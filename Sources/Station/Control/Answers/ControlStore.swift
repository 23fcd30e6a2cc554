import ControlProtocol
import Core
import Store

/// Answers those who follow the store: `tail`, `cursor`, `imports`, and
/// what other processes say of themselves: `courierEvent`, `cameraEvent`, `cameraOn`.
struct ControlStore: Sendable {
    private let station: StationContext
    private let store: StoreClient
    private let courierEvents: CourierEvents
    private let cameraEvents: CourierEvents
    private let imports: ControlImports

    init(station: StationContext, store: StoreClient, clock: ControlClock) {
        (self.station, self.store) = (station, store)
        courierEvents = CourierEvents(.courier, station: station)
        cameraEvents = CourierEvents(.camera, station: station)
        imports = ControlImports(station: station, store: store, clock: clock)
    }

    /// The line that answers one of these requests.
    func line(for request: ControlRequest) async throws -> String {
        switch request.command {
        case .tail:
            try await answer {
                try await ControlTail(station: station, store: store).answer(request)
            }
        case .cursor:
            try await answer { try ControlCursors(store: store).answer(request) }
        case .courierEvent: try await answer { try courierEvents.answer(request) }
        case .cameraEvent: try await answer { try cameraEvents.answer(request) }
        case .cameraOn: try await answer { try cameraOn(request) }
        case .imports: try await answer { try await imports.answer(request) }
        default: preconditionFailure("another part answers \(request.command)")
        }
    }

    private func cameraOn(_ request: ControlRequest) throws(ControlFailure) -> CameraOnReport {
        guard let seconds = request.seconds, (0...CameraOnReport.secondsMax).contains(seconds)
        else {
            let message = "seconds is 0…\(Int(CameraOnReport.secondsMax))"
            throw ControlFailure(code: .badRequest, message: message)
        }
        let end = station.clock.now.advanced(by: .milliseconds(Int64(seconds * 1_000)))
        return CameraOnReport(lampCount: station.leds.recordCamera(until: seconds > 0 ? end : nil))
    }

    private func answer<Body: Codable & Sendable>(
        _ body: () async throws -> Body
    ) async throws -> String {
        do {
            return try ControlCodec.line(ControlAnswer(.success(try await body())))
        } catch let failure as ControlFailure {
            return try ControlCodec.line(ControlAnswer<Body>(.failure(failure)))
        } catch let error as StoreError {
            let failure = ControlFailure(code: .store, message: "the store: \(error)")
            return try ControlCodec.line(ControlAnswer<Body>(.failure(failure)))
        }
    }
}
