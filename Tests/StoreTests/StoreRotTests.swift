import Glibc
import TestSupport
import Testing

@testable import PowerCutWorkloads

/// A fixed choice of what `scripts/check rot` plays.
@Suite struct StoreRotTests {
    /// Prime strides, so that bits and places take turns.
    @Test(arguments: [
        (StoreRot.Kind.header, 29), (.page, 41), (.cut, 97), (.log, 61), (.refusal, 11),
    ])
    func damageCostsWhatLayOnIt(_ kind: StoreRot.Kind, _ stride: Int) throws {
        let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        let rot = try StoreRot(seed: 1, root: root)
        #expect(rot.count(of: kind) > stride)
        let places = Array(Swift.stride(from: 0, to: rot.count(of: kind), by: stride))
        for place in Exhaustive.some(Exhaustive.rottenPlaces, of: places) {
            let replay = "scripts/check rot --seed 1 --kind \(kind) --from \(place) --count 1"
            #expect(throws: Never.self, "\(replay)") { try rot.play(kind, place) }
        }
    }

    /// A table without its first page loses everything.
    @Test func theFirstPageOfEachTableCostsWhatLayOnIt() throws {
        let rot = try StoreRot(seed: 1, root: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
        let roots = try rot.roots()
        #expect(roots.count > 10)
        for place in Exhaustive.some(Exhaustive.rottenPlaces, of: roots) {
            let replay = "scripts/check rot --seed 1 --kind page --from \(place) --count 1"
            #expect(throws: Never.self, "\(replay)") { try rot.play(.page, place) }
        }
    }

    /// The last pages of the file are its reserve: without them it is as it was.
    @Test func aFileWithoutItsReserveLosesNothing() throws {
        let rot = try StoreRot(seed: 1, root: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
        let count = rot.count(of: .cut)
        let places = Array(Swift.stride(from: count - 60, to: count, by: 13))
        for place in Exhaustive.some(Exhaustive.rottenPlaces, of: places) {
            let replay = "scripts/check rot --seed 1 --kind cut --from \(place) --count 1"
            #expect(throws: Never.self, "\(replay)") { try rot.play(.cut, place) }
        }
    }
}
