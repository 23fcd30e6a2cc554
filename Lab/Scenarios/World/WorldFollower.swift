import ControlProtocol
import Core
import Store

/// A program that follows the store over the control socket, and leaves its place as a cursor.
///
/// Outlives the process and the machine's boots. It counts its cursors up; what it finds later says
/// which of them the station kept.
struct WorldFollower {
    static let name = "follower"

    /// Where each of its cursors is.
    private var places: [FeedPlaces] = []

    /// The request that leaves a new place.
    mutating func says(_ next: FeedPlaces) -> ControlRequest {
        places.append(next)
        return .cursor(Self.name, Array("\(places.count - 1)".utf8))
    }

    /// Returns the number of its cursor in a report; nil without one.
    func number(in report: CursorReport) -> Int? {
        let found = report.cursors.first { $0.name == Self.name }
        return found.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) }
    }

    /// The place of a cursor; nil for one that it never left.
    func place(_ number: Int) -> FeedPlaces? {
        places.indices.contains(number) ? places[number] : nil
    }

    /// Returns the fault of an answer to `feed`; nil without any.
    static func fault(of report: FeedReport, after places: FeedPlaces) -> String? {
        // A row may be a tenth later than its sample, for each reader that saw the one before.
        let end = Int64(report.nowSeconds * 10) + 100
        var decimals: [StreamID: [Int]] = [:]
        for part in report.parts {
            for record in JournalRecordCodec.contents(part.bytes).records {
                if case .stream(let stream) = record {
                    decimals[stream.id] = stream.quantities.map(\.decimals)
                }
                guard case .samples(let stream, let segment) = record else { continue }
                guard let known = decimals[stream] else { return "\(stream) is not described" }
                let before = places.streams["\(stream.rawValue)"]
                let floor = before?.bootID == part.bootID ? before?.tick ?? .min : .min
                guard var decoder = try? SegmentDecoder(segment, decimals: known) else {
                    return "samples of \(stream) cannot be read"
                }
                while let (tick, _) = (try? decoder.next()) ?? nil {
                    guard tick.tenths > floor else { return "\(tick) was fed again" }
                    guard tick.tenths <= end else { return "\(tick) is still to come" }
                }
            }
        }
        return nil
    }
}
