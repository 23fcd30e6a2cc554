import Core

/// Reads the samples of `roost export` as `ndjson` or `json`: each channel is a row of
/// `ImportOwnRows`, so that all copies pass the same checks.
struct ImportOwnObjects {
    private typealias Members = [String: FlatJSON.Value]

    private var rows: ImportOwnRows
    /// Channels of the sample that has not ended; at most `FlatJSON.memberLimit`.
    private var channels: [(name: String, members: Members)] = []

    init(_ rows: ImportOwnRows) { self.rows = rows }

    /// - Returns: A step for each channel when a sample ended; none for a part of it.
    mutating func read(_ object: FlatJSON.Object) -> [ImportStep] {
        guard object.depth == 0 else {
            if object.depth == 2, let name = object.key, channels.count < FlatJSON.memberLimit {
                channels.append((name, object.members))
            }
            return []
        }
        defer { channels = [] }
        guard !channels.isEmpty else { return [.bad(.missingColumn("channels"))] }
        return channels.map { rows.read(fields(of: $0.name, $0.members, in: object.members)) }
    }

    mutating func finish() -> ImportedSample? { rows.finish() }

    /// The columns of `ExportText.columns`.
    private func fields(
        of channel: String,
        _ value: Members,
        in sample: Members
    ) -> [String] {
        let isSure = sample["sure"] == .word("true")
        return [
            Self.text(sample["time"]), isSure ? "yes" : "no", Self.text(sample["boot"]),
            Self.text(sample["tick"]), Self.text(sample["device"]), channel,
            Self.text(value["value"]), Self.text(value["unit"]), Self.text(value["quality"]),
            Self.text(value["no_data"]),
        ]
    }

    private static func text(_ value: FlatJSON.Value?) -> String {
        switch value {
        case .text(let text): text
        case .word("null"), nil: ""
        case .word(let word): word
        case .list(let texts): texts.joined(separator: "|")
        }
    }
}
