import PowerCut
import Readings
import Store

/// A bug that a test plants between the node and the checker, one for each promise.
package enum PlantedBug: String, Sendable, CaseIterable {
    case none
}

/// Says whether the promises were kept, from outside: by what a client saw and what the files hold.
struct Checker {
    private let world: World
    let records: LifeRecords
    private let planted: PlantedBug?
    private(set) var ledgerSeconds: [String: Double] = [:]
    private let path: String

    init(_ world: World, planted: PlantedBug?) throws {
        (self.world, records, self.planted) = (world, world.records, planted)
        path = "\(world.card.folder)/history.db"
    }

    mutating func verdicts() -> [LifeReport.Verdict] {
        [verdict("P1") { try $0.everyIntervalIsAccountedFor() }]
    }

    private mutating func verdict(
        _ promise: String,
        _ check: (inout Checker) throws -> Int
    ) -> LifeReport.Verdict {
        do {
            let count = try check(&self)
            return LifeReport.Verdict(promise: promise, checkCount: count, failure: nil)
        } catch let broken as Broken {
            return LifeReport.Verdict(promise: promise, checkCount: 1, failure: broken.words)
        } catch {
            return LifeReport.Verdict(promise: promise, checkCount: 1, failure: "\(error)")
        }
    }

    struct Broken: Error { let words: String }

    // MARK: P1

    private mutating func everyIntervalIsAccountedFor() throws -> Int {
        let reader = try HistoryReader(path: path)
        let runs = try NodeRun.all(in: reader)
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        let timeline = GapLedgerTimeline(runs: runs, clock: clock)
        let reports = try GapLedger.reports(
            of: reader,
            along: timeline,
            within: 0..<timeline.length
        )
        var count = 0
        for report in reports {
            for line in report.lines {
                count += 1
                ledgerSeconds["covered", default: 0] += Double(line.coveredTenths) / 10
                for gap in line.gaps {
                    ledgerSeconds[gap.cause.rawValue, default: 0] += Double(gap.tenths) / 10
                }
            }
        }
        for report in reports {
            guard report.misplacedCount == 0 else {
                throw Broken(words: "\(report.misplacedCount) entries out of place")
            }
            for line in report.lines {
                guard line.remainderTenths == 0 else {
                    throw Broken(words: "\(line.channel): \(line.remainderTenths) tenths too much")
                }
                if let gap = line.gaps.first(where: { $0.cause == .unexplained }) {
                    throw Broken(
                        words: "\(line.channel): \(Double(gap.tenths) / 10) s unexplained "
                            + "in \(gap.count) gaps"
                    )
                }
            }
        }
        return count
    }
}
