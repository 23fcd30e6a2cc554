import ControlProtocol
import Core
import Store
import StoreQueries

/// `/proof`: where all the time went since the first sample; the figures of `roost ledger`.
enum ProofView {
    /// - Parameters:
    ///   - status: What the station says of card and lasers; nil without one.
    ///   - isStationAway: There is a station, and it does not answer.
    /// - Returns: The text.
    /// - Throws: What the store throws.
    static func json(
        _ history: OpenHistory,
        name: String,
        _ status: StatusReport?,
        isStationAway: Bool = false
    ) throws -> String {
        let reports = try StoreLedger.reports(history.reader, history.times)
        let channels = try StoreChannel.all(history.reader)
        let inUse = try StoreChannel.inUse(history.reader)
        let lines = StoreLedger.ordered(reports.flatMap(\.lines), by: channels)
        let extent = try StoreExtent(history.reader, history.times)
        let chief = StoreLedger.chief(lines, of: inUse)
        var json = JSONTextBuilder()
        json.object { json in
            json.member("station", name)
            json.member("since", extent.oldest?.wall)
            json.member("at", history.now)
            // Then lasers and the bytes a day are missing, and not zero.
            json.member("isStationAway", isStationAway)
            if let chief {
                json.member("elapsedSeconds", tenths: chief.elapsedTenths)
                json.member("coveredSeconds", tenths: chief.coveredTenths)
                let unexplained = chief.gaps.filter { $0.cause == .unexplained }
                    .reduce(chief.remainderTenths) { $0 + $1.tenths }
                let gaps = chief.elapsedTenths - chief.coveredTenths
                json.member("explainedSeconds", tenths: gaps - unexplained)
            }
            json.array("channels", lines) { json, line in
                json.object { json in
                    json.member("channel", line.channel)
                    let known = channels.first { $0.name == line.channel }
                    json.member("unit", known?.quantity.unit)
                    LedgerView.sums(line, &json)
                }
            }
            write(history, extent, status, &json)
            json.object("clock") { json in
                json.member("sureShare", sureShare(history.times), decimals: 5)
            }
        }
        return json.text
    }

    /// Writes the wear of card and lasers.
    private static func write(
        _ history: OpenHistory,
        _ extent: StoreExtent,
        _ status: StatusReport?,
        _ json: inout JSONTextBuilder
    ) {
        json.object("card") { json in
            json.member("usedBytes", history.folder.byteCount)
            json.member("keepsDays", extent.keepsDays.map { Int($0) })
            if let day = status?.budget.day, let bytes = day.cardBytes, day.seconds >= 3_600 {
                let share = 86_400 / day.seconds
                let perDay = Double(bytes) * share
                json.member("bytesPerDay", Int(perDay))
                let flash = FlashModel()
                let years = flash.years(
                    pagesPerDay: Double(day.cardSyncs) * share + perDay / flash.pageBytes,
                    transactionsPerDay: 1
                )
                // Computed for a new card of this kind; beyond a thousand years the figure says
                // nothing.
                json.member("yearsLeft", min(years, 1_000), decimals: 1)
            }
        }
        guard let lasers = status?.lasers else { return }
        json.array("lasers", lasers) { json, laser in
            json.raw((try? ControlCodec.line(laser)) ?? "null")
        }
    }

    /// Share of the running time that trusted clocks date.
    private static func sureShare(_ times: StoreTimes) -> Double {
        var (sure, all): (Int64, Int64) = (0, 0)
        for run in times.runs {
            let length = run.ended.tenths - run.started.tenths
            all += length
            if times.clock.time(run.boot, run.started)?.isSure == true { sure += length }
        }
        return all > 0 ? Double(sure) / Double(all) : 1
    }
}
