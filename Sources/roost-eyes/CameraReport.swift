import Camera
import ControlProtocol
import Core
import Eyes
import Glibc
import HardwareIO
import LinuxIO

/// Answers clients of `roost-eyes`: reports its state and deletes pictures.
struct CameraReport: EyesService {
    private let configuration: EyesConfiguration
    private let watcher: MotionWatcher
    private let camera: CardCamera
    private let clock: any NodeClock
    private let begun: MonotonicInstant

    init(
        _ configuration: EyesConfiguration,
        _ watcher: MotionWatcher,
        _ camera: CardCamera,
        clock: any NodeClock
    ) {
        (self.configuration, self.watcher, self.camera) = (configuration, watcher, camera)
        (self.clock, begun) = (clock, clock.now)
    }

    func report() async -> EyesReport {
        let shape = configuration.shape
        let byteCount = shape.blockCount * PictureShape.blockSize
        var report = EyesReport(
            version: RoostVersion.text,
            processID: getpid(),
            uptimeSeconds: begun.duration(to: clock.now) / .seconds(1),
            ring: (configuration.ring, byteCount, shape.slotCount),
            retentionDays: configuration.retentionDays
        )
        report.live = camera.live?.report()
        if let choice = configuration.camera?.choice {
            report.wantedCamera = "\(choice)"
            report.camera = CameraNode.first(choice)?.report
        }
        let counts = watcher.counts
        report.takenCount = counts.motions.taken
        report.leftOutCount = counts.motions.leftOut
        report.maskedCount = counts.motions.masked
        report.waitingCount = counts.motions.waiting
        report.lastTrouble = counts.motions.trouble
        report.ringTrouble = counts.ringTrouble
        report.stationTrouble = counts.stationTrouble
        report.lacks = counts.motions.lacks.all
        (report.pictureCount, report.newest) = (counts.pictureCount, counts.newest)
        return report
    }

    func delete(_ pictures: PictureChoice) async throws -> Int {
        do {
            return try await watcher.delete { number in
                switch pictures {
                case .one(let one): number == one
                case .allUpTo(let last): number <= last
                }
            }
        } catch let error as StorageError {
            throw ControlFailure(code: .store, message: "\(error)")
        } catch let error as LinuxError {
            throw ControlFailure(code: .busy, message: "\(error)")
        }
    }
}
