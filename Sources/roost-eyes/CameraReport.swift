import Camera
import ControlProtocol
import Core
import Eyes
import Glibc
import HardwareIO
import LinuxIO

/// Answers clients of `roost-eyes`: reports its state, deletes pictures and changes settings.
struct CameraReport: EyesService {
    private let settings: EyesSettings
    private let life: CameraLife
    private let attempts: CameraTrial
    /// Reads and writes settings, and the ring while no camera has it.
    private let card: DiskThread
    private let clock: any NodeClock
    private let begun: MonotonicInstant
    /// The file of the pictures, which no change of settings moves.
    let ring: String

    /// - Throws: `LinuxError` when there is no thread to be had; `ConfigurationError`.
    init(_ settings: EyesSettings, _ life: CameraLife, clock: any NodeClock) throws {
        (self.settings, self.life) = (settings, life)
        (self.clock, begun) = (clock, clock.now)
        attempts = CameraTrial(life.means, clock: clock)
        card = try DiskThread(name: "settings")
        ring = try settings.shown.ring
    }

    func report() async throws -> EyesReport {
        let configuration = try settings.shown
        let shape = life.now?.camera.shape ?? configuration.shape
        let byteCount = shape.blockCount * PictureShape.blockSize
        var report = EyesReport(
            version: RoostVersion.text,
            processID: getpid(),
            uptimeSeconds: begun.duration(to: clock.now) / .seconds(1),
            ring: (ring, byteCount, shape.slotCount),
            retentionDays: configuration.retentionDays
        )
        report.settingsTrouble = settings.trouble
        guard settings.inUse.configuration != nil else {
            report.isOff = true
            return report
        }
        if !configuration.records { report.takesPictures = false }
        let lack = configuration.cover.lack?.description
        report.lastTrouble = lack
        if let choice = configuration.camera?.choice {
            report.wantedCamera = "\(choice)"
            report.camera = CameraNode.first(choice)?.report
        }
        guard let now = life.now else { return report }
        report.live = now.camera.live?.report()
        let counts = now.watcher.counts
        report.takenCount = counts.motions.taken
        report.leftOutCount = counts.motions.leftOut
        report.maskedCount = counts.motions.masked
        report.waitingCount = counts.motions.waiting
        report.lastTrouble = lack ?? counts.motions.trouble
        report.ringTrouble = counts.ringTrouble
        report.stationTrouble = counts.stationTrouble
        report.lacks = counts.motions.lacks.all
        (report.pictureCount, report.newest) = (counts.pictureCount, counts.newest)
        return report
    }

    func delete(_ pictures: PictureChoice) async throws -> Int {
        let isMeant: @Sendable (UInt64) -> Bool = { number in
            switch pictures {
            case .one(let one): number == one
            case .allUpTo(let last): number <= last
            }
        }
        do {
            if let watcher = life.now?.watcher { return try await watcher.delete(isMeant) }
            return try await card.run { [ring] in
                try PictureWriterLock.change(ring, shape: nil) { ring throws(StorageError) in
                    var count = 0
                    for record in ring.records where isMeant(record.number) {
                        if try ring.delete(record.number) { count += 1 }
                    }
                    return count
                }
            }
        } catch StorageError.absent {
            return 0
        } catch let error as StorageError {
            throw ControlFailure(code: .store, message: "\(error)")
        } catch let error as LinuxError {
            throw ControlFailure(code: .busy, message: "\(error)")
        }
    }

    // MARK: - Settings

    func settings() async throws -> CameraSettingsReport {
        settings.report(cameras: CameraNode.cameras())
    }

    func change(_ question: ChangeCamera) async throws {
        try await card.run { [settings] in try settings.change(question) }
    }

    func undo(_ question: UndoCamera) async throws {
        try await card.run { [settings] in try settings.undo(question) }
    }

    func exported() async throws -> ExportedFile { try settings.exported() }

    func backup() async throws -> BackupPartReport { try settings.backup() }

    func restore(_ question: RestorePart) async throws -> RestoreReport {
        try await card.run { [settings] in try settings.restore(question) }
    }

    func trial(_ question: TryCamera) async throws -> CameraTrialReport {
        try await attempts.run(try settings.tried(question.settings))
    }

    func piece(_ question: GetTriedPicture) async throws -> TriedPicturePiece {
        try attempts.piece(question)
    }
}
