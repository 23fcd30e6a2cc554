import Camera
import Core
import HardwareIO
import SimulationKit

/// The camera of a machine, with its faults, and the ring on the machine's card.
///
/// Unchecked: one simulation is one thread.
struct WorldCamera: MotionCamera, @unchecked Sendable {
    private struct Failure: Error, CustomStringConvertible { let description: String }

    /// How long a picture takes, and how long it may.
    private static let exposure: Duration = .seconds(1)
    private static let limit: Duration = .seconds(20)

    let machine: Machine

    let absence = "no such camera is plugged in"

    func isThere() -> Bool? { !isHit(by: .cameraAbsent) }

    private func isHit(by kind: FaultKind) -> Bool {
        guard machine.world.isOpen(kind, at: machine.now) else { return false }
        machine.world.fire(kind)
        return true
    }

    func picture() async throws -> [UInt8] {
        guard !isHit(by: .cameraAbsent) else { throw Failure(description: absence) }
        let isSlow = isHit(by: .cameraSlow)
        try await machine.clock.sleep(for: isSlow ? Self.limit : Self.exposure)
        guard !isSlow else { throw Failure(description: "no picture within \(Self.limit)") }
        guard !isHit(by: .cameraFails) else { throw Failure(description: "no JPEG") }
        let album = machine.world.album
        let wall = machine.clock.wallReading?.wall ?? WallTime(nanoseconds: 0)
        let seconds = Int(wall.nanoseconds / 1_000_000_000)
        album.isLastMasked = EyesLives.masks.holds(at: seconds, isSure: true)
        return album.next()
    }

    func changeRing<Value: Sendable>(
        asFound: Bool,
        _ body: @escaping @Sendable (PictureRing) throws(StorageError) -> Value
    ) async throws -> Value {
        let (world, album) = (machine.world, machine.world.album)
        while world.stalledUntil > machine.now {
            try await machine.clock.sleep(for: machine.now.duration(to: world.stalledUntil))
        }
        try Task.checkCancellation()
        guard !machine.isDead else { throw CancellationError() }
        album.card.faults = faults
        let ring =
            try asFound
            ? PictureRing(asFound: album.card) : PictureRing(album.card, shape: Album.shape)
        let value = try body(ring)
        if let record = value as? PictureRecord {
            if album.isLastMasked {
                world.records.eyes.faults.append("a picture was kept in a masked time")
            }
            if world.planted == .lostPictures { _ = try ring.delete(record.number) }
            world.records.eyes.kept.append(
                EyesRecords.Kept(
                    number: record.number,
                    picture: album.givenCount,
                    at: machine.now
                )
            )
        }
        return value
    }

    private var faults: SimulatedBlockStorage.Faults {
        let (world, now) = (machine.world, machine.now)
        var faults = SimulatedBlockStorage.Faults()
        faults.isFull = world.isOpen(.cardFull, at: now)
        faults.isReadOnly = world.isOpen(.cardReadOnly, at: now)
        if world.isOpen(.cardError, at: now) || world.isOpen(.failingWrites, at: now) {
            faults.badBlocks = Set(0..<Album.shape.blockCount)
        }
        return faults
    }
}
