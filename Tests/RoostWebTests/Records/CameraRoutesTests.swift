import ControlProtocol
import Core
import HTTPTypes
import HardwareIO
import Synchronization
import Testing

@testable import RoostWeb

@Suite struct CameraRoutesTests {
    /// A camera that keeps what it is asked.
    private final class Camera: Sendable {
        let asked = Mutex<[any Question]>([])
        let picture = Array(repeating: UInt8(7), count: TriedPicturePiece.byteMax + 5)

        private static var report: CameraSettingsReport {
            let setting = CameraSettingsReport.Setting("masks", .list, "[\"18:00-08:00\"]", .ui)
            var report = CameraSettingsReport(
                tag: "5f2a",
                isOn: true,
                canUndo: true,
                file: ("/etc/roost/eyes.json", false),
                trouble: nil,
                own: "{\"masks\":[\"18:00-08:00\"]}"
            )
            report.settings = [setting]
            return report
        }

        var table: QuestionTable {
            var table = QuestionTable("this camera", users: LocalUsers())
            table.on(GetCameraSettings.self) { question, _ in self.kept(question, Self.report) }
            table.on(ChangeCamera.self) { question, _ in
                guard question.tag == "5f2a" else {
                    throw ControlFailure(code: .conflict, message: "changed meanwhile")
                }
                return self.kept(question, Self.report)
            }
            table.on(UndoCamera.self) { question, _ in self.kept(question, Self.report) }
            table.on(TryCamera.self) { question, _ in
                var report = CameraTrialReport([.init(.settings, .done)])
                report.trial = 3
                return self.kept(question, report)
            }
            table.on(GetTriedPicture.self) { question, _ in
                let rest = self.picture.dropFirst(question.from)
                let piece = Array(rest.prefix(TriedPicturePiece.byteMax))
                let text = Base64.text(piece)
                return TriedPicturePiece(base64: text, byteCount: self.picture.count)
            }
            return table
        }

        private func kept<Value>(_ question: any Question, _ value: Value) -> Value {
            asked.withLock { $0.append(question) }
            return value
        }
    }

    private func stage(_ camera: Camera) throws -> AccountsStage {
        let stage = try RecordsStage([], pictures: nil)
        let eyes = RecordRoutes.Camera(
            cache: stage.cache,
            eyes: camera.table,
            live: LivePicture(LiveStream { _ in nil }, logger: RouteStage.logger)
        )
        return try AccountsStage(audited: { CameraRoutes(eyes, $0.looks).all })
    }

    private static let body = #"{"tag":"5f2a","settings":{"masks":["18:00-08:00"]}}"#

    @Test func ownersChangeAndTakeBack() async throws {
        let camera = Camera()
        let accounts = try stage(camera)
        let anna = try await accounts.claim()
        let seen = await accounts.ask(.get, "/camera/settings", as: anna)
        #expect(seen.status == 200 && seen.text("tag") == "5f2a")
        #expect(seen.body.contains(#""own":{"masks":["18:00-08:00"]}"#))
        let changed = await accounts.ask(.put, "/camera/settings", Self.body, as: anna)
        #expect(changed.status == 200)
        let question = camera.asked.withLock { $0.last as? ChangeCamera }
        #expect(question?.settings == #"{"masks":["18:00-08:00"]}"# && question?.tag == "5f2a")
        let late = #"{"tag":"0","settings":{}}"#
        #expect(await accounts.ask(.put, "/camera/settings", late, as: anna).status == 409)
        let undone = await accounts.ask(.post, "/camera/settings/undo", "{}", as: anna)
        #expect(undone.status == 200)
    }

    @Test func ownersTryAndSeeThePicture() async throws {
        let camera = Camera()
        let accounts = try stage(camera)
        let anna = try await accounts.claim()
        let body = #"{"settings":{"masks":["18:00-08:00"]}}"#
        let tried = await accounts.ask(.post, "/camera/settings/try", body, as: anna)
        #expect(tried.status == 200 && tried.body.contains("\"trial\":3"))
        let question = camera.asked.withLock { $0.last as? TryCamera }
        #expect(question?.settings == #"{"masks":["18:00-08:00"]}"#)
        let path = "/camera/settings/picture?trial=3"
        let picture = await accounts.response(.get, path, as: anna)
        #expect(picture.headers[.cacheControl] == "no-store")
        #expect(try await RouteStage.bytes(picture) == camera.picture)
        let audit = await accounts.ask(.get, "/audit", as: anna).body
        #expect(audit.contains("live-picture"))
    }

    @Test func membersAndTokensDoNot() async throws {
        let accounts = try stage(Camera())
        let anna = try await accounts.claim()
        let ben = try await accounts.signUp("Ben", .member, by: anna)
        let body = #"{"name":"script","scopes":["read","write"],"days":1}"#
        let text = await accounts.ask(.post, "/tokens", body, as: anna).text("token")
        let token = Browser(token: text)
        for (method, path) in [
            (HTTPRequest.Method.get, "/camera/settings"), (.put, "/camera/settings"),
            (.post, "/camera/settings/undo"), (.post, "/camera/settings/try"),
            (.get, "/camera/settings/picture?trial=3"),
        ] {
            let text = method == .get ? nil : Self.body
            #expect(await accounts.ask(method, path, text, as: ben).status == 403, "\(path)")
            let isRead = method == .get && path == "/camera/settings"
            #expect(
                await accounts.ask(method, path, text, as: token).status == (isRead ? 200 : 403),
                "\(path) by a token"
            )
        }
    }
}
