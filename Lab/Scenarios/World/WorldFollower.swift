import ControlProtocol
import Core
import Store

/// A program that follows the store over the control socket, and leaves its place as a cursor.
///
/// Outlives the process and the machine's boots. It counts its cursors up; what it finds later says
/// which of them the station kept.
struct WorldFollower {
    static let name = "follower"

    /// How far it got in one process of the station.
    struct Place {
        private(set) var position: String
        /// The last row of each stream.
        private var newest: [StreamID: Tick] = [:]

        init(position: String) { self.position = position }

        /// Adds an answer to `tail`.
        ///
        /// - Returns: The fault of the answer; nil without any.
        mutating func add(_ report: TailReport) -> String? {
            position = report.next ?? position
            // A row may be a tenth later than its sample, for each reader that saw the one before.
            let end = Tick(tenths: Int64(report.nowSeconds * 10) + 100)
            for record in report.parts.flatMap({ JournalRecordCodec.contents($0.bytes).records }) {
                guard case .samples(let stream, let segment) = record else { continue }
                guard var decoder = try? SegmentDecoder(segment) else {
                    return "samples of \(stream) cannot be read"
                }
                while let (tick, _) = (try? decoder.next()) ?? nil {
                    guard newest[stream].map({ tick > $0 }) ?? true else {
                        return "\(tick) came again"
                    }
                    guard tick <= end else { return "\(tick) is still to come" }
                    newest[stream] = tick
                }
            }
            return nil
        }
    }

    /// Where each of its cursors is.
    private var places: [Place] = []

    /// The question that leaves a new place.
    mutating func says(_ next: Place) -> KeepCursor {
        places.append(next)
        return KeepCursor(Self.name, Array("\(places.count - 1)".utf8))
    }

    /// Returns the number of its cursor in a report; nil without one.
    func number(in report: CursorReport) -> Int? {
        let found = report.cursors.first { $0.name == Self.name }
        return found.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) }
    }

    /// The place of a cursor; nil for one that it never left.
    func place(_ number: Int) -> Place? {
        places.indices.contains(number) ? places[number] : nil
    }
}
