import ControlProtocol
import TestSupport
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

/// A real store with what feeds and files brought, in the order in which it came.
final class ImportedStore {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder(isInMemory: true)
        try change { _ in }
    }

    private func change(_ body: (HistoryImport) throws -> Void) throws {
        let path = folder.path("history.db")
        let (history, _) = try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4)))
        try HistoryImport.run(into: history) { (try body($0), .keep) }
        try history.close()
    }

    func add(_ source: String, _ time: String, _ values: (Quantity, Double)...) throws {
        let sample = ImportedSample(
            source: source,
            wall: try #require(WallTime(iso8601: time)),
            values: values.map { quantity, value in
                let scale = (0..<quantity.decimals).reduce(1.0) { scale, _ in scale * 10 }
                let mantissa = Int64((value * scale).rounded())
                return .init(quantity, FixedPoint(mantissa, decimals: quantity.decimals))
            }
        )
        try change { try $0.add([sample]) }
    }

    func table(
        _ from: String,
        _ to: String,
        _ feeds: [OutboxReport] = []
    ) throws -> SiteTable {
        let range = TimeRange(from: WallTime(iso8601: from), to: WallTime(iso8601: to))
        let reader = try reader()
        return try SiteTable(reader, StoreTimes(reader), range, feeds: feeds)
    }

    func reader() throws -> HistoryReader {
        try HistoryReader(path: folder.path("history.db"))
    }
}
