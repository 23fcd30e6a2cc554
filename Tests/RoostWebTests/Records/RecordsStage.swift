import Camera
import ControlProtocol
import Core
import HardwareIO
import NIOCore
import StoreFixtures
import Synchronization
import TestSupport
import Testing

@testable import RoostWeb
@testable import StoreQueries

/// A history with motions, and the pictures of some.
final class RecordsStage {
    /// The requests to `roost-eyes`.
    final class Asked: Sendable {
        private let requests = Mutex<[any Question]>([])
        var all: [any Question] { requests.withLock { $0 } }
        func add(_ question: any Question) { requests.withLock { $0.append(question) } }
    }

    static let started = "2026-04-14T00:00:00Z"

    let folder: TestFolder
    let history: HistoryClient
    let cache: PictureCache
    let asked = Asked()
    private let fixture: QueryFixture

    /// - Parameters:
    ///   - motions: Of one boot, oldest first.
    ///   - pictures: Sensor and second of each; nil without a ring.
    ///   - isDated: Whether anything dates the boot and the pictures.
    /// - Throws: What the store, the ring or the folder throws.
    init(
        _ motions: [(source: String, second: Int64, length: Int64?)],
        pictures: [(source: String, second: Int64)]?,
        isDated: Bool = true
    ) throws {
        var boot = QueryFixture.Boot(started: Self.started, minutes: 180)
        boot.motions = motions
        boot.isDated = isDated
        fixture = try QueryFixture([boot])
        folder = try TestFolder(isInMemory: true)
        let path = folder.path("pictures")
        history = HistoryClient(nil, folder: fixture.path, logger: RouteStage.logger)
        cache = PictureCache(path: path)
        if let pictures { try Self.put(pictures, isDated: isDated, into: path) }
    }

    private static func put(
        _ pictures: [(source: String, second: Int64)],
        isDated: Bool,
        into path: String
    ) throws {
        let shape = try #require(PictureShape(megabytes: 1, count: 100))
        let storage = MemoryStorage(blockCount: shape.blockCount)
        let ring = try PictureRing(storage, shape: shape)
        let begin = QueryFixture.wall(started).nanoseconds
        for (source, second) in pictures {
            let instant = MonotonicInstant(nanoseconds: second * 1_000_000_000 + 20_000_000)
            let motion = SeenMotion(
                source: source,
                time: isDated ? WallTime(nanoseconds: begin + second * 1_000_000_000) : nil,
                instant: instant
            )
            let moment = RingTime(
                boot: BootID(bytes: Array(repeating: 1, count: 16)),
                uptime: instant,
                wall: nil
            )
            try ring.add(Array("picture of \(second)".utf8), of: motion, at: moment)
        }
        try storage.put(into: path)
    }

    /// One page of what the list shows, as `second[+length][#number]` of each.
    func page(after cursor: MotionRecords.Cursor?, limit: Int) async throws -> (
        [String], MotionRecords.Cursor?
    ) {
        let cache = cache
        return try await history.read { history in
            let records = try cache.records() ?? []
            let page = try MotionRecords(
                history.reader,
                history.times,
                records,
                after: cursor,
                limit: limit
            )
            return (page.items.map(Self.text), page.next)
        }
    }

    private static func text(_ item: MotionRecords.Item) -> String {
        let second = item.instant.nanoseconds / 1_000_000_000
        return item.source + "\(second)" + (item.seconds.map { "+\(Int($0))" } ?? "")
            + (item.picture.map { "#\($0.number)" } ?? "") + (item.event == nil ? "?" : "")
    }

    /// A camera with the ring; nil where none runs.
    func camera(
        _ report: EyesReport? = RecordsStage.report,
        live: LivePicture? = nil
    ) -> RecordRoutes.Camera {
        let asked = asked
        var eyes = QuestionTable("this camera", users: LocalUsers())
        eyes.on(GetCameraStatus.self) { question, _ in
            guard let report else { throw Problem(.stationDown, "no one listens") }
            asked.add(question)
            return report
        }
        eyes.on(DeletePictures.self) { question, _ in
            guard report != nil else { throw Problem(.stationDown, "no one listens") }
            asked.add(question)
            return EyesDeletion(count: question.number == 99 ? 0 : 1)
        }
        return RecordRoutes.Camera(
            cache: cache,
            eyes: eyes,
            live: live ?? LivePicture(LiveStream { _ in nil }, logger: RouteStage.logger)
        )
    }

    static var report: EyesReport {
        EyesReport(
            version: "1",
            processID: 7,
            uptimeSeconds: 60,
            ring: ("/ring", 1 << 20, 100),
            retentionDays: 14
        )
    }
}
