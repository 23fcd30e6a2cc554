import Core
import Testing

@testable import Store

/// A mark of missing samples, as its own record and as the event of text that it was before.
@Suite struct GapMarkRecordTests {
    private static let boot = BootID(bytes: Array(repeating: 1, count: 16))
    private static let other = BootID(bytes: Array(repeating: 9, count: 16))

    private static var mark: GapMark {
        var mark = GapMark(
            .noPlace,
            of: StreamID(5),
            from: GapMark.Place(other, Tick(tenths: 100)),
            to: GapMark.Place(boot, Tick(tenths: 12_345)),
            lost: 42
        )
        mark.device = "part-5"
        return mark
    }
    private static var event: Event { mark.event(at: Tick(tenths: 12_345).instant, in: boot) }

    /// Written by the version before this record.
    private static let text = bytes(
        """
        06890180e4f8deed47040573746f72650f73616d706c6573206d697373696e67056361757365076e\
        6f506c6163650466726f6d0331303002746f0531323334350673747265616d013506646576696365\
        06706172742d350773616d706c65730234320866726f6d426f6f7420303930393039303930393039\
        3039303930393039303930393039303930393039
        """
    )
    private static let record = bytes(
        """
        082680e4f8deed47020fc801f2c001052a06706172742d3509090909090909090909090909090909
        """
    )

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.filter { !$0.isNewline })
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
    }

    @Test func aMarkIsARecordOfItsOwn() throws {
        #expect(JournalRecordCodec.encode([.event(Self.event)]) == Self.record)
        #expect(try JournalRecordCodec.decode(Self.record) == [.event(Self.event)])
        #expect(GapMark(BootEvent(boot: Self.boot, event: Self.event)) == Self.mark)
    }

    @Test func theTextOfAnEarlierVersionIsTheSameMark() throws {
        #expect(try JournalRecordCodec.decode(Self.text) == [.event(Self.event)])
    }

    @Test func everyCauseHasANumberAndComesBack() throws {
        #expect(Set(GapCause.stored) == Set(GapCause.allCases))
        #expect(GapCause.stored.count == GapCause.allCases.count)
        for cause in GapCause.allCases {
            let places = [Int64.min, .max].map { GapMark.Place(Self.other, Tick(tenths: $0)) }
            let mark = GapMark(cause, of: nil, from: places[0], to: places[1])
            let event = mark.event(at: .boot, in: Self.boot)
            let payload = JournalRecordCodec.encode([.event(event)])
            #expect(try JournalRecordCodec.decode(payload) == [.event(event)])
            #expect(GapMark(BootEvent(boot: Self.boot, event: event)) == mark)
        }
    }

    /// A later version's causes and parts are skipped and counted, as its kinds of records are.
    @Test(arguments: [0, 1])
    func whatANewerVersionAddsIsSkipped(place: Int) {
        var payload = JournalRecordCodec.encode([
            .event(Event(at: .boot, MissingSamples(.muted, of: nil, from: .zero, to: .zero)))
        ])
        payload[3 + place] = 0x7F
        let contents = JournalRecordCodec.contents(payload)
        #expect(contents.records.isEmpty && contents.unknownCount == 1 && contents.fault == nil)
    }

    @Test func aLongNameFitsTheSmallestBlock() throws {
        var mark = Self.mark
        mark.device = String(repeating: "ü", count: 500)
        let event = mark.event(at: .init(nanoseconds: .max), in: BootID(bytes: Array(2...17)))
        let payload = JournalRecordCodec.encode([.event(event)])
        #expect(payload.count <= JournalRecordCodec.eventByteLimit)
        #expect(try JournalRecordCodec.decode(payload).count == 1)
    }

    /// A history of an earlier version, and a journal that waits for it.
    @Test func theLedgerReadsMarksOfAnEarlierVersion() throws {
        let folder = HistoryFolder()
        let (history, _) = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(4))
        )
        let text = Event(
            at: Tick(tenths: 50).instant,
            source: "store",
            kind: .other("samples missing"),
            severity: .warning,
            ["cause": "suspended", "from": "10", "to": "50"]
        )
        try history.begin(with: [(Self.other, .event(text))])
        let block = JournalBlock(sequence: 1, boot: Self.boot, payload: Self.text)
        try history.append([block])
        try history.close()
        let tail = HistoryTail([block])
        for tail in [HistoryTail(), tail] {
            let reader = try HistoryReader(path: folder.database, tail: tail)
            let marks = try GapMarks.all(in: reader)
            #expect(marks.map(\.cause) == [.suspended, .noPlace])
            #expect(marks.last == Self.mark)
            #expect(try HistoryEvents(reader).newest(9).map(\.event).last == Self.event)
        }
    }
}

extension Tick {
    fileprivate static let zero = Tick(tenths: 0)
}
