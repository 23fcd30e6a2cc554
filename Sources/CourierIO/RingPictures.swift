import Camera
import Core
import HardwareIO
import LinuxIO
import RoostCourier

/// Reader of the pictures of motions in the ring on the card.
package struct RingPictures: PictureSource {
    private let path: String
    private let disk: DiskThread
    private let boot: BootID?

    package init(path: String, on disk: DiskThread) {
        (self.path, self.disk) = (path, disk)
        boot = BootID(MachineFacts.read().bootID)
    }

    package func picture(
        of sensor: String,
        after instant: MonotonicInstant
    ) async throws -> Result<NoticePicture, NoticePictureError> {
        do {
            return try await disk.run { [self] in .success(try find(sensor, instant)) }
        } catch let error as NoticePictureError {
            return .failure(error)
        } catch let error as LinuxError {
            return .failure(NoticePictureError(.unreadable("\(error)")))
        }
    }

    private func find(_ sensor: String, _ instant: MonotonicInstant) throws -> NoticePicture {
        do {
            let ring = try PictureFile.read(path)
            let found = ring.records.first { record in
                // An instant of an earlier boot cannot be compared.
                let isOfThisBoot = record.stamp == nil || record.stamp?.boot == boot
                return record.isOf(sensor) && isOfThisBoot && record.instant >= instant
            }
            guard let found, let bytes = try ring.picture(found) else {
                throw NoticePictureError(.notTaken)
            }
            return NoticePicture(name: found.name, bytes: bytes)
        } catch StorageError.absent {
            throw NoticePictureError(.noCamera)
        } catch let error as StorageError {
            throw NoticePictureError(.unreadable("\(error)"))
        }
    }
}
