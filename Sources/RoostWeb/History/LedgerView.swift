import Core
import Store
import StoreQueries

/// `/ledger`: where the time of a channel went, and each gap.
enum LedgerView {
    static func json(
        _ history: OpenHistory,
        _ names: [String],
        _ range: TimeRange
    ) throws -> String {
        var json = JSONTextBuilder()
        let ledgers = try names.map { name in
            let channel = try history.channel(name)
            guard
                let ledger = try ChannelLedger(channel, history.reader, history.times, range)
            else { throw Problem.notFound("\(name.prefix(80)) has no ledger") }
            return ledger
        }
        if ledgers.count == 1 {
            json.object { write(ledgers[0], &$0) }
        } else {
            json.object { json in
                json.array("items", ledgers) { json, ledger in
                    json.object { write(ledger, &$0) }
                }
            }
        }
        return json.text
    }

    private static func write(_ ledger: ChannelLedger, _ json: inout JSONTextBuilder) {
        let timeline = ledger.timeline
        json.member("channel", ledger.channel.name)
        json.member("from", timeline.time(at: ledger.range.lowerBound)?.wall)
        json.member("to", timeline.time(at: ledger.range.upperBound)?.wall)
        sums(ledger.line, &json)
        json.array("stretches", ledger.stretches) { json, stretch in
            guard let from = timeline.time(at: stretch.range.lowerBound)?.wall,
                let to = timeline.time(at: stretch.range.upperBound)?.wall
            else { return }
            let walls = [from, to].map { FixedPoint($0.tenths, decimals: 1).description }
            json.raw("[\(walls[0]),\(walls[1]),\"\(stretch.cause.rawValue)\"]")
        }
        json.member("isMerged", ledger.isMerged)
    }

    /// Writes a channel's times, counts and gaps; also for `/proof`.
    static func sums(_ line: GapLedgerReport.Line, _ json: inout JSONTextBuilder) {
        json.member("elapsedSeconds", tenths: line.elapsedTenths)
        json.member("coveredSeconds", tenths: line.coveredTenths)
        json.member("values", line.valueCount)
        json.member("withoutValue", line.noDataCount)
        json.member("lost", line.lostCount)
        json.array("gaps", line.gaps) { json, gap in
            json.object { json in
                json.member("cause", gap.cause.rawValue)
                json.member("words", gap.cause.text)
                json.member("seconds", tenths: gap.tenths)
                json.member("count", gap.count)
                json.member("isLoss", gap.cause.isLoss)
            }
        }
    }
}
