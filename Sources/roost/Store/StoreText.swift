import ClientSupport
import Core
import Store
import StoreQueries

/// The store's reports as lines of text.
enum StoreText {
    private static let labelWidth = 26

    static func row(_ label: String, _ value: String, _ note: String = "") -> String {
        let line = label.column(labelWidth) + value
        return note.isEmpty ? line : line + "  (\(note))"
    }

    /// When something was: `2026-11-21T08:15:00+01:00`, with a `?` when no trusted clock stands
    /// behind it; seconds since its boot while nothing dates that.
    static func stamp(_ wall: WallTime?, _ isSure: Bool, _ tick: Tick) -> String {
        guard let wall else {
            return "boot +\(FixedPoint(tick.tenths, decimals: 1)) s".column(22)
        }
        let words = Zone.current.text(wall)
        return (words + (isSure ? "" : "?")).column(words.hasSuffix("Z") ? 22 : 27)
    }

    /// Says on standard error what of the times can be wrong, and what a range could not find.
    static func reportDoubts(
        _ isUnsure: Bool,
        _ window: StoreWindow,
        _ reader: HistoryReader
    ) throws {
        if isUnsure {
            Output.error("times with a ? are dated uncertainly; see `roost clock`")
        }
        guard window.range != TimeRange() else { return }
        let count = try window.times.undatedCount(reader)
        guard count > 0 else { return }
        let starts = count == 1 ? "one start" : "\(count) starts"
        Output.error(
            "\(starts) of the machine \(count == 1 ? "has" : "have") no date, so --from and --to "
                + "cannot find what was measured then; leave them out, or date the present one "
                + "with `roost clock trust`"
        )
    }

    static func noChannel(_ channel: String?, _ streams: [StreamDescription]) -> String {
        let names = streams.flatMap(\.channels).map(\.description).joined(separator: ", ")
        return "there is no channel \(channel ?? "at all"); "
            + (names.isEmpty ? "the history has no streams yet" : "there are \(names)")
    }

    /// `12.3 days`, `4.2 years`.
    static func span(days: Double) -> String {
        guard days.isFinite, days < 365.25 * 1_000 else { return "over 1000 years" }
        return days < 800 ? "\(rounded(days)) days" : "\(rounded(days / 365.25)) years"
    }

    /// `512 B`, `3.4 KB`, `64 MB`, in powers of a thousand.
    static func bytes(_ count: Double) -> String { FigureText.bytes(count) }

    /// Two digits after the point below ten, one below a thousand, none above.
    static func rounded(_ value: Double) -> String { FigureText.rounded(value) }

    static func plan(_ plan: StorePlan, _ site: JournalSite = JournalSite()) -> [String] {
        let figures = StoreFigures(plan)
        return [
            row("history", "\(figures.megabytes) MiB", "reserved at once, constant from then on"),
            row("raw samples reach back", span(days: figures.rawDays)),
            row("minutes", span(days: figures.minuteDays)),
            row("quarter hours", span(days: figures.quarterHourDays)),
            row("six hours", span(days: figures.sixHourDays)),
            row(
                "events",
                span(days: figures.eventDays),
                "at \(rounded(plan.load.eventsPerDay)) a day"
            ),
            row(
                "lost with the power",
                "at most \(durationText(seconds: plan.journal.lossWindow.inSeconds))"
            ),
            row("samples a day", rounded(figures.samplesPerDay)),
            row(
                "written a day",
                bytes(figures.bytesPerDay),
                "\(rounded(figures.bytesPerSample)) B a sample"
            ),
            row(
                "  journal",
                bytes(figures.journalBytesPerDay),
                "on \(plan.journal.medium.name)\(site.path.map { ": \($0)" } ?? "")"
            ),
            row("  history", bytes(figures.historyBytesPerDay)),
            row("write requests a day", rounded(figures.requestsPerDay)),
            row(
                "the card lasts",
                span(days: figures.cardYears * 365.25),
                "\(rounded(plan.flash.cardBytes / 1e9)) GB, "
                    + "\(rounded(plan.flash.enduranceCycles)) cycles, a cautious model"
            ),
        ] + media(plan)
    }

    /// The same plan with the journal on something else.
    private static func media(_ plan: StorePlan) -> [String] {
        JournalMedium.allCases.filter { $0 != plan.journal.medium }.map { medium in
            let figures = StoreFigures(plan.on(medium))
            return row(
                "  on \(medium.name)",
                "\(rounded(figures.cardYears)) years",
                "\(rounded(figures.bytesPerSample)) B a sample"
            )
        }
    }
}

extension DatedTime {
    /// `2026-11-21T08:15:00+01:00`, with a `?` when no trusted clock stands behind it.
    var text: String {
        guard let time else { return "no date" }
        return Zone.current.text(time) + (isSure == false ? "?" : "")
    }
}
