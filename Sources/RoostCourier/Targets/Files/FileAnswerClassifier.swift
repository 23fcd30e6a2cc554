/// Meaning of answers to targets of files, where it differs from other targets.
enum FileAnswerClassifier {
    /// Judges an answer that has no proof.
    static func classify(_ answer: OutboundAnswer) -> DeliveryOutcome {
        switch answer.status {
        case 423:
            .later(DeliveryReason("status-423", "the receiver has locked this name"))
        case 507:
            .hold(DeliveryReason("status-507", "the receiver has no room left"))
        default: DeliveryClassifier.classify(answer)
        }
    }

    /// Judges an answer that the name is taken: by our file, or by another one that stays.
    ///
    /// - Returns: nil when the receiver could not be asked by whom.
    static func compare(_ holding: FileHolding?) -> DeliveryOutcome? {
        switch holding {
        case .equal: return .delivered
        case .missing: return vanished
        case .other:
            let words = "another file has this name at the receiver; it stays as it is"
            return .refused(DeliveryReason("name-taken", words))
        case .unanswered, nil: return nil
        }
    }

    /// Outcome where the receiver accepted a file and names another hash than ours.
    static let damaged = DeliveryOutcome.later(
        DeliveryReason("other-hash", "what the receiver has differs from what was sent")
    )

    /// Outcome where the file with the name is gone again, or the receiver meant something else.
    static let vanished = DeliveryOutcome.later(
        DeliveryReason(
            "name-vanished",
            "the receiver said that the name is taken, and has no such file"
        )
    )
}

/// Ends a delivery of several requests early, with its outcome.
struct FileStop: Error {
    let outcome: DeliveryOutcome
}

extension CourierNetwork {
    /// Sends one request of several.
    ///
    /// - Throws: `FileStop` in place of a `NetworkFailure`; `CancellationError`.
    func step(_ request: OutboundRequest) async throws -> OutboundAnswer {
        do {
            return try await exchange(request)
        } catch let failure as NetworkFailure {
            throw FileStop(outcome: DeliveryClassifier.classify(failure))
        }
    }

    /// Uploads a part of a file.
    ///
    /// - Parameters:
    ///   - request: Without a body.
    ///   - range: Bytes; nil for all.
    /// - Returns: The answer.
    /// - Throws: As `step`, and errors of making the file.
    func step(
        _ request: OutboundRequest,
        uploading file: OutboxFile,
        _ range: Range<Int>? = nil
    ) async throws -> OutboundAnswer {
        let range = range ?? 0..<file.size
        let stream = FileStream(file, from: range.lowerBound, count: range.count)
        do {
            return try await upload(request, size: range.count) { try await stream.next() }
        } catch let failure as NetworkFailure {
            throw FileStop(outcome: DeliveryClassifier.classify(failure))
        }
    }
}

/// Finds elements in XML that servers answer.
///
/// Reads what the answers of S3 and WebDAV need and no more: names without their prefix, text
/// without entities, no comments. Bound: the answer's own.
enum XMLText {
    /// Returns the texts of all elements with a name, without white space at both ends.
    static func all(_ name: String, in text: String) -> [String] {
        var found: [String] = []
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: open)...]
            guard let close = rest.firstIndex(of: ">") else { break }
            let tag = rest[..<close]
            rest = rest[rest.index(after: close)...]
            let full = tag.prefix { !$0.isWhitespace && $0 != "/" }
            guard full.split(separator: ":").last.map({ $0 == name }) == true,
                !tag.hasPrefix("/"), !tag.hasSuffix("/")
            else { continue }
            found.append(String(rest.prefix { $0 != "<" }).trimming())
        }
        return found
    }

    static func first(_ name: String, in text: String) -> String? { all(name, in: text).first }
}
