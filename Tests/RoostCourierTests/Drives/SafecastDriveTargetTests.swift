import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct SafecastDriveTargetTests {
    private let target = SafecastDriveTarget(
        key: Secret("api-key-3"),
        DriveOutboxTests.description
    )

    @Test func requestsAreEachByte() {
        let (drive, file) = ExampleDrive.make()
        let request = target.request(file)
        let boundary = "roost-" + Hexadecimal.text(CourierCrypto.md5(file.bytes))
        #expect(
            request.dryRun == """
                POST https://api.safecast.org/bgeigie_imports?api_key=•••
                Accept: application/json
                Content-Type: multipart/form-data; boundary=\(boundary)


                """
                + "--\(boundary)\r\nContent-Disposition: form-data; "
                + "name=\"bgeigie_import[source]\"; filename=\"roost-20261122T043000Z.LOG\"\r\n"
                + "Content-Type: text/plain\r\n\r\n# NEW LOG\r\n# format=1.0.0nano\r\n"
                + "$BNRDD,0,2026-11-22T04:30:00Z,34,0,0,A,4604.0260,N,01107.2660,E,194.00,A,8,0*40"
                + "\r\n\r\n--\(boundary)--\r\n"
        )
        let describing = target.request(17, describing: drive)
        #expect(
            describing.dryRun == """
                PATCH https://api.safecast.org/bgeigie_imports/17?api_key=•••
                Accept: application/json
                Content-Type: application/json

                {"bgeigie_import":{"name":"example","description":"Recorded with Roost",\
                "credits":"Ann Example","cities":"Trento, Rovereto","subtype":"Drive"}}
                """
        )
    }

    /// Server that gives the same answer to every step.
    private struct OneAnswer: SimulatedServer {
        let given: OutboundAnswer

        func answer(_ request: OutboundRequest) async -> OutboundAnswer { given }
    }

    private func step(_ upload: DriveUpload, _ answer: OutboundAnswer) throws -> DriveStep {
        let target = target
        return try TargetFixture.inNetwork([DriveOutboxTests.host: OneAnswer(given: answer)]) {
            network in
            let (drive, file) = ExampleDrive.make()
            return try await target.advance(upload, of: drive, file, over: network)
        }
    }

    private static let known =
        #"{"errors":{"md5sum":["is the same as of Bgeigie Import with the ID: 88"]}}"#

    @Test func knowsEachAnswerToAFile() throws {
        let fresh = DriveUpload()
        let made = OutboundAnswer(201, text: #"{"id":17,"status":"unprocessed"}"#)
        #expect(try step(fresh, made) == .moved(DriveUpload(importID: 17)))
        let known = try step(fresh, OutboundAnswer(422, text: Self.known))
        #expect(known == .moved(DriveUpload(importID: 88)))
        let others: [(OutboundAnswer, String)] = [
            (OutboundAnswer(422, text: #"{"errors":{"source":["can't be blank"]}}"#), "refused"),
            (OutboundAnswer(401, text: "{}"), "hold"), (OutboundAnswer(500, text: "oops"), "later"),
            (OutboundAnswer(200, text: "welcome"), "foreign"),
            (OutboundAnswer(200, ["content-type": "text/html"], text: "<html>"), "foreign"),
            (OutboundAnswer(302, ["location": "http://portal.example/"], text: ""), "foreign"),
            (OutboundAnswer(302, ["location": "https://api.safecast.org/users/sign_in"]), "hold"),
            (OutboundAnswer(201, text: #"{"id":"x"}"#), "foreign"),
        ]
        for (answer, name) in others {
            guard case .ended(let outcome) = try step(fresh, answer) else {
                Issue.record("\(answer)")
                continue
            }
            #expect(outcome.name == name, "\(answer)")
        }
    }

    @Test func knowsEachStateOfAnImport() throws {
        let upload = DriveUpload(importID: 17, isDescribed: true)
        let described = #""credits":"a","cities":"b""#
        let states: [(String, DriveStep?)] = [
            (#"{"id":17,"status":"submitted",\#(described)}"#, .ended(.delivered)),
            (#"{"id":17,"status":"done"}"#, .ended(.delivered)),
            (#"{"id":17,"status":"awaiting_response"}"#, .ended(.delivered)),
            (#"{"id":17,"status":"processed","approved":true}"#, .ended(.delivered)),
            // Another import's answer proves nothing.
            (#"{"id":18,"status":"submitted"}"#, nil),
            (#"{"id":17}"#, nil),
        ]
        for (text, wanted) in states {
            let found = try step(upload, OutboundAnswer(200, text: text))
            if let wanted {
                #expect(found == wanted, "\(text)")
            } else if case .ended(.foreign) = found {
                continue
            } else {
                Issue.record("\(text): \(found)")
            }
        }
        let unread = try step(
            upload,
            OutboundAnswer(200, text: #"{"id":17,"status":"unprocessed"}"#)
        )
        guard case .waits(let reason) = unread else {
            Issue.record("\(unread)")
            return
        }
        #expect(reason.words == "Safecast has not read import 17 yet")
        guard case .ended(.refused(let gone)) = try step(upload, OutboundAnswer(404, text: "{}"))
        else {
            Issue.record("an import that is gone")
            return
        }
        #expect(gone.code == "import-gone")
    }
}
