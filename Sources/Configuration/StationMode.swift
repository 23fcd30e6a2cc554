import Core

/// How much a station measures, and until when.
///
/// `live` and `survey` cost laser hours, so on request they run for a limited time only.
package struct StationMode: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A sample every few minutes: ten years of laser.
        case normal
        /// Every second.
        case live
        /// Every second, under a name, between two marks.
        case survey

        /// A mode by its name; `normal` also by its old one.
        package init?(named name: String) {
            self.init(rawValue: name == oldNameOfNormal ? Kind.normal.rawValue : name)
        }
    }

    /// Without a stated time `live` lasts this long.
    static let defaultLiveTime: Duration = .minutes(10)
    /// Without a stated time a survey lasts this long.
    static let defaultSurveyTime: Duration = .hours(1)
    /// The old name of `normal`, still accepted in configurations and commands.
    static let oldNameOfNormal = "months"
    package static let longestTime: Duration = .days(1)

    package let kind: Kind
    /// The survey's name.
    package let name: String?
    /// Instant at which `normal` returns; nil for a mode without end.
    package let ends: MonotonicInstant?
    /// Whether the survey is kept from uploads.
    package let isPrivate: Bool

    package init(
        kind: Kind,
        name: String? = nil,
        ends: MonotonicInstant? = nil,
        isPrivate: Bool = false
    ) {
        self.kind = kind
        self.name = name
        self.ends = ends
        self.isPrivate = isPrivate
    }

    /// `survey kitchen`.
    package var text: String { name.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }

    /// Whether sensors measure all the time.
    package var isContinuous: Bool { kind != .normal }

    /// The mode a person asked for, or why it cannot be.
    ///
    /// - Parameters:
    ///   - word: `normal` (or its old name `months`), `live` or `survey`.
    ///   - name: A survey's name, 1…64 characters.
    ///   - seconds: How long, 1…86 400.
    ///   - isPrivate: Whether a survey is kept from uploads.
    /// - Returns: A mode that ends by itself unless it is `normal`.
    /// - Throws: `ModeProblem` as text.
    package static func asked(
        _ word: String?,
        name: String?,
        seconds: Double?,
        isPrivate: Bool = false,
        at now: MonotonicInstant
    ) throws(ModeProblem) -> StationMode {
        guard let word, let kind = Kind(named: word) else {
            let all = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ModeProblem(text: "mode is one of \(all), not \(word ?? "nothing")")
        }
        if let seconds, !(1...longestTime.inSeconds).contains(seconds) {
            throw ModeProblem(text: "a mode lasts 1 s to 24 h, not \(seconds) s")
        }
        guard kind == .survey || !isPrivate else {
            throw ModeProblem(text: "only a survey can be kept from uploads")
        }
        let asked = seconds.map { Duration.milliseconds(Int64($0 * 1_000)) }
        switch kind {
        case .normal:
            guard asked == nil, name == nil else {
                throw ModeProblem(text: "normal has neither a name nor an end")
            }
            return StationMode(kind: .normal)
        case .live:
            guard name == nil else { throw ModeProblem(text: "only a survey has a name") }
            return StationMode(kind: .live, ends: now.advanced(by: asked ?? defaultLiveTime))
        case .survey:
            let isPlain = name?.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard let name, (1...64).contains(name.count), isPlain ?? false else {
                throw ModeProblem(
                    text: "a survey needs a name of 1 to 64 characters without control characters"
                )
            }
            let ends = now.advanced(by: asked ?? defaultSurveyTime)
            return StationMode(kind: .survey, name: name, ends: ends, isPrivate: isPrivate)
        }
    }
}

package struct ModeProblem: Error, Hashable, Sendable {
    package let text: String
}
