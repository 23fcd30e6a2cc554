import Camera
import Core
import HardwareIO
import SimulationKit
import Store

/// Demands that the camera's program accounts for every motion that the station recorded.
///
/// Each came to a program that followed the stream, is in one of its counts, and has a whole
/// picture of its own where nothing was wrong.
struct CameraCheck {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A connection is there, and the station serves it.
    private static let beginning: Duration = .seconds(30)
    /// Events just before a connection ends may still be on their way; a process freezes.
    private static let ending: Duration = .seconds(100)
    /// Time after the last fault and the restart of the program that it may need to settle.
    private static let settling: Duration = .minutes(10)

    /// The days that a picture is kept, and one for the clean-up.
    private static let retention: Duration = .days(EyesLives.retentionDays + 1)
    /// Twice the two days over which dates decide, and one for the clean-up.
    private static let agreement: Duration = .days(5)

    let world: World

    private var records: LifeRecords { world.records }

    /// - Returns: How many motions and pictures were checked.
    /// - Throws: `Failure`, `StorageError`.
    func run() throws -> Int {
        if let fault = records.eyes.faults.first { throw Failure(description: fault) }
        let motions = records.events.filter { $0.event.kind == .motion }
        return try everyMotionCame(motions) + picturesAreWhole(motions) + lastOnesAreThere(motions)
            + stationKnowsTheCamera()
    }

    private func everyMotionCame(_ motions: [LifeRecords.HeardEvent]) throws -> Int {
        var count = 0
        for follow in records.eyes.follows where follow.omittedCount == 0 {
            let segment = records.segments[follow.segment]
            let first = follow.from.advanced(by: Self.beginning)
            let last = (follow.to ?? segment.end).advanced(by: .zero - Self.ending)
            for motion in motions
            where motion.segment == follow.segment && motion.at >= first && motion.at <= last {
                guard Self.holds(follow.motions, motion.event.instant) else {
                    let seconds = MonotonicInstant.boot.duration(to: motion.at).inSeconds
                    throw Failure(description: "the motion at \(seconds) s did not come")
                }
                count += 1
            }
        }
        return count
    }

    private static func holds(_ keys: Set<Int64>, _ instant: MonotonicInstant) -> Bool {
        let key = EyesRecords.key(instant)
        return (key - 1...key + 1).contains(where: keys.contains)
    }

    private func picturesAreWhole(_ motions: [LifeRecords.HeardEvent]) throws -> Int {
        let (ring, boots) = (try ring(), records.segments.map(\.boot))
        let seen = Dictionary(grouping: motions) { boots[$0.segment] }
            .mapValues { Set($0.map { EyesRecords.key($0.event.instant) }) }
        var pictures: Set<Int> = []
        for record in ring.records {
            guard let bytes = try ring.picture(record), let number = Album.number(of: bytes) else {
                throw Failure(description: "picture \(record.number) is not what the camera gave")
            }
            guard pictures.insert(number).inserted else {
                throw Failure(description: "picture \(record.number) is there twice")
            }
            guard let boot = record.stamp?.boot, let motions = seen[boot],
                Self.holds(motions, record.instant)
            else { throw Failure(description: "picture \(record.number) is of no motion") }
        }
        let numbers = Set(ring.records.map(\.number))
        // A card that fails in the middle of a picture costs the oldest.
        for kept in records.eyes.kept.suffix(Album.shape.slotCount / 2) {
            let isOld = kept.at.duration(to: world.end) > Self.retention
            guard isOld || numbers.contains(kept.number) else {
                throw Failure(description: "picture \(kept.number) was taken and is lost")
            }
            guard !isOld || !knowsTheDate || !numbers.contains(kept.number) else {
                throw Failure(
                    description: "picture \(kept.number) is older than it may be, and is there"
                )
            }
        }
        return ring.records.count
    }

    /// Whether dates had agreed before the last boot, and had time to agree in it on how long there
    /// was no power.
    private var knowsTheDate: Bool {
        guard let start = records.segments.last?.bootedAt else { return false }
        let isLiar = records.windows.contains { window in
            window.kind.area == .clock && window.kind != .suspend && window.end >= start
        }
        let before = records.segments.filter { $0.bootedAt < start }
            .reduce(Duration.zero) { $0 + $1.start.duration(to: $1.end) }
        return !isLiar && before > Self.agreement / 2
            && start.duration(to: world.end) > Self.agreement
    }

    private func ring() throws -> PictureRing {
        world.album.card.faults = .init()
        return try PictureRing(asFound: world.album.card)
    }

    /// Checks that in the quiet time each motion has its picture.
    private func lastOnesAreThere(_ motions: [LifeRecords.HeardEvent]) throws -> Int {
        let first = world.quietFrom.advanced(by: Self.settling)
        let last = world.end.advanced(by: .zero - Self.ending)
        let due = motions.filter { $0.at >= first && $0.at <= last && !isMasked($0.at) }
            .suffix(Album.shape.slotCount / 2)
        let records = try ring().records
        for motion in due {
            let boot = world.records.segments[motion.segment].boot
            let keys = Set(
                records.filter { $0.stamp?.boot == boot }.map { EyesRecords.key($0.instant) }
            )
            guard Self.holds(keys, motion.event.instant) else {
                let seconds = MonotonicInstant.boot.duration(to: motion.at).inSeconds
                throw Failure(description: "the motion at \(seconds) s has no picture")
            }
        }
        return due.count
    }

    /// Whether a mask may have held, or the clock was not trusted.
    private func isMasked(_ at: MonotonicInstant) -> Bool {
        guard let known = world.clockKnownAt, known <= at else { return true }
        // A picture takes a second.
        return [at, at.advanced(by: .seconds(10))].contains { at in
            let wall = world.trueTime(at: at).nanoseconds / 1_000_000_000
            return EyesLives.masks.holds(at: Int(wall), isSure: true)
        }
    }

    /// Once a picture was taken again, the camera does not stand as failing in the station's log.
    private func stationKnowsTheCamera() throws -> Int {
        let first = world.quietFrom.advanced(by: Self.settling)
        let last = world.end.advanced(by: .zero - Self.ending)
        guard records.eyes.kept.contains(where: { $0.at >= first && $0.at <= last }) else {
            return 0
        }
        let kinds: [EventKind] = [
            .plain(.cameraStarted), .plain(.cameraFails), .plain(.cameraWorks),
        ]
        let said = records.events.last { kinds.contains($0.event.kind) }
        guard said?.event.kind != .plain(.cameraFails) else {
            throw Failure(description: "the camera works, and the station says that it fails")
        }
        return 1
    }
}

extension Checker {
    /// Motions and their pictures.
    func motionsHavePictures() throws -> Int {
        guard world.scenario.hasCamera else { return 0 }
        return try CameraCheck(world: world).run()
    }
}
