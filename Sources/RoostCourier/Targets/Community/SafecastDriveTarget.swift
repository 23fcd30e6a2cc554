import Core
import Profiles

/// Target for Safecast's drives: the log of a bGeigie, described and submitted to moderators.
///
/// The service knows a file by its MD5: for a known file it answers with the number of its import.
/// With the number the target asks for the state of the import before each step:
///
/// - It reads a new file on its own time and sets the import to *processed* at the end. A
///   submission before that would be overwritten by it, so it is waited for.
/// - A submission sends a mail to the moderators and opens the import again. So one that is
///   submitted, approved or done is never submitted once more.
/// - `PATCH` answers an empty 204, and `PUT …/submit` a redirection to the import; what the import
///   says after them is the proof.
///
/// - Source: Safecast/safecastapi, `app/controllers/bgeigie_imports_controller.rb`,
///   `app/models/bgeigie_import.rb`, `doc/upload_demo/api_demo.py`.
struct SafecastDriveTarget: DriveTarget {
    /// Details that the service's form asks for with each drive.
    struct Description: Hashable, Sendable {
        /// Names of the people who measured.
        let credits: String
        /// Names of the towns where they measured.
        let cities: String
        var text = "Recorded with Roost"

        init(credits: String, cities: String) {
            (self.credits, self.cities) = (credits, cities)
        }
    }

    static let standardURL = SafecastTarget.standardURL
    /// Bytes of a name that the service keeps.
    private static let nameLimit = 200

    var trust = ServerTrust.system
    private let url: MaskedText
    private let key: MaskedText
    private let description: Description

    init(url: MaskedText = Self.standardURL, key: Secret, _ description: Description) {
        (self.url, self.description) = ("\(URLText.base(url))/bgeigie_imports", description)
        self.key = "api_key=\(URLText.encoded(key))"
    }

    func advance(
        _ upload: DriveUpload,
        of drive: PlannedDrive,
        _ file: DriveFile,
        over network: any CourierNetwork
    ) async throws -> DriveStep {
        do {
            guard let number = upload.importID else {
                return Self.sent(try await network.step(request(file)))
            }
            let answer = try await network.step(self.request(.get, "/\(number).json"))
            guard let state = State(answer, of: number) else {
                return .ended(Self.classify(answer, number))
            }
            return try await act(on: state, upload, drive, network)
        } catch let stop as FileStop {
            return .ended(stop.outcome)
        }
    }

    // MARK: Requests

    /// Makes the request that sends a log.
    func request(_ file: DriveFile) -> OutboundRequest {
        let boundary = "roost-" + Hexadecimal.text(CourierCrypto.md5(file.bytes))
        let head =
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"bgeigie_import[source]\"; "
            + "filename=\"\(file.name)\"\r\nContent-Type: text/plain\r\n\r\n"
        var request = self.request(.post, "")
        let type: MaskedText = "multipart/form-data; boundary=\(boundary)"
        request.fields.append(OutboundRequest.Field("Content-Type", type))
        request.body = Array(head.utf8) + file.bytes + Array("\r\n--\(boundary)--\r\n".utf8)
        request.timeoutSeconds = 600
        return request
    }

    /// Makes the request that describes an import.
    func request(_ number: Int, describing drive: PlannedDrive) -> OutboundRequest {
        let name = String(decoding: drive.name.utf8.prefix(Self.nameLimit), as: UTF8.self)
        let members: [(key: String, value: String)] = [
            ("name", name), ("description", description.text), ("credits", description.credits),
            ("cities", description.cities), ("subtype", "Drive"),
        ].map { ($0.0, WireJSON.string($0.1)) }
        let body = WireJSON.object([("bgeigie_import", WireJSON.object(members))])
        var request = self.request(.patch, "/\(number)")
        request.fields.append(OutboundRequest.Field("Content-Type", "application/json"))
        request.body = Array(body.utf8)
        return request
    }

    private func request(_ method: OutboundRequest.Method, _ path: String) -> OutboundRequest {
        let accept = OutboundRequest.Field("Accept", "application/json")
        var request = OutboundRequest(method, "\(url)\(path)?\(key)", [accept])
        request.trust = trust
        return request
    }

    // MARK: Answers

    /// State of an import at the service.
    private struct State {
        let status: String
        let isApproved: Bool
        let isRejected: Bool
        /// Whether it has a description; nil where the answer has no such keys.
        let isDescribed: Bool?

        init?(_ answer: OutboundAnswer, of number: Int) {
            let json = WireJSON.parse(answer.body)
            guard answer.status == 200, json?["id"]?.integer == number,
                let status = json?["status"]?.string
            else { return nil }
            self.status = status
            isApproved = json?["approved"] == .bool(true)
            isRejected = json?["rejected"] == .bool(true)
            guard let credits = json?["credits"], let cities = json?["cities"] else {
                isDescribed = nil
                return
            }
            isDescribed = [credits, cities].allSatisfy { $0.string?.isEmpty == false }
        }

        /// Whether the import was submitted to the moderators.
        var isSubmitted: Bool {
            isApproved || ["submitted", "done", "awaiting_response"].contains(status)
        }
    }

    private func act(
        on state: State,
        _ upload: DriveUpload,
        _ drive: PlannedDrive,
        _ network: any CourierNetwork
    ) async throws -> DriveStep {
        guard let number = upload.importID else { return .moved(upload) }
        if state.isSubmitted { return .ended(.delivered) }
        if state.isRejected {
            let words = "a moderator of Safecast rejected import \(number)"
            return .ended(.refused(DeliveryReason("rejected", words)))
        }
        guard state.isDescribed ?? upload.isDescribed else {
            let answer = try await network.step(request(number, describing: drive))
            return Self.described(answer, number)
        }
        guard state.status == "processed" else {
            let words = "Safecast has not read import \(number) yet"
            return .waits(DeliveryReason("unprocessed", words))
        }
        let answer = try await network.step(request(.put, "/\(number)/submit"))
        let isBack = answer.location.map { $0.contains("/bgeigie_imports/\(number)") } ?? false
        guard answer.isSuccess && !answer.isHTML || isBack else {
            return .ended(Self.classify(answer, number))
        }
        let words = "Safecast does not yet say that import \(number) is submitted"
        return .waits(DeliveryReason("unsubmitted", words))
    }

    private static func sent(_ answer: OutboundAnswer) -> DriveStep {
        let json = WireJSON.parse(answer.body)
        if answer.isSuccess, let number = json?["id"]?.integer {
            return .moved(DriveUpload(importID: number))
        }
        if answer.status == 422, let number = known(answer.text) {
            return .moved(DriveUpload(importID: number))
        }
        return .ended(classify(answer, nil))
    }

    /// Parses the number in *is the same as of Bgeigie Import with the ID: 17*.
    private static func known(_ text: String) -> Int? {
        guard let mark = text.firstRange(of: "ID:")?.upperBound else { return nil }
        return Int(text[mark...].drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber })
    }

    private static func described(_ answer: OutboundAnswer, _ number: Int) -> DriveStep {
        if answer.isSuccess, !answer.isHTML {
            return .moved(DriveUpload(importID: number, isDescribed: true))
        }
        guard answer.status == 422 else { return .ended(classify(answer, number)) }
        let words = "Safecast takes neither credits nor cities like these: \(answer.excerpt)"
        return .ended(.hold(DeliveryReason("description-refused", words)))
    }

    private static func classify(_ answer: OutboundAnswer, _ number: Int?) -> DeliveryOutcome {
        if answer.location.map({ $0.contains("sign_in") }) == true {
            return .hold(DeliveryReason("key-refused", "Safecast does not know the API key"))
        }
        if let number, answer.status == 404, !answer.isHTML {
            let words = "import \(number) is not there any more, or belongs to another user"
            return .refused(DeliveryReason("import-gone", words))
        }
        return DeliveryClassifier.classify(answer)
    }
}

extension OutboundAnswer {
    /// Address of a redirection; nil for other answers.
    fileprivate var location: String? {
        (300..<400).contains(status) ? fields["location"] : nil
    }
}
