import ControlProtocol
import Core
import Testing

@testable import Eyes

@Suite struct LivePictureMachineTests {
    private typealias Facts = LivePictureMachine.Facts
    private static let limit: Duration = .seconds(10)

    private static func at(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
    }

    /// A machine whose program runs since second 100.
    private static func running() -> LivePictureMachine {
        var machine = LivePictureMachine(limit: limit)
        _ = machine.step(Facts(followerCount: 1), at: at(100))
        machine.frame(at: at(100))
        return machine
    }

    @Test func theFirstStartsItAndTheLastStopsIt() {
        var machine = LivePictureMachine(limit: Self.limit)
        #expect(machine.step(Facts(followerCount: 0), at: Self.at(100)) == [])
        #expect(machine.nextLook(after: Self.at(100)) == nil)
        #expect(machine.report(nil).state == .ready)
        #expect(machine.step(Facts(followerCount: 1), at: Self.at(101)) == [.start])
        #expect(machine.report(nil).state == .starting)
        machine.frame(at: Self.at(102))
        #expect(machine.report(nil).state == .running)
        #expect(machine.step(Facts(followerCount: 3), at: Self.at(103)) == [])
        #expect(machine.step(Facts(followerCount: 0), at: Self.at(104)) == [.stop])
        #expect(machine.step(Facts(followerCount: 0), at: Self.at(105)) == [])
        #expect(machine.report(nil).state == .ready)
    }

    @Test func aCameraRestsBetweenTwoStarts() {
        var machine = Self.running()
        #expect(machine.step(Facts(followerCount: 0), at: Self.at(101)) == [.stop])
        #expect(machine.step(Facts(followerCount: 1), at: Self.at(101.5)) == [])
        #expect(machine.report(nil).state == .starting)
        #expect(machine.nextLook(after: Self.at(101.5)) == Self.at(102))
        #expect(machine.step(Facts(followerCount: 1), at: Self.at(102)) == [.start])
    }

    @Test func aPictureOfAMotionGoesFirst() {
        var machine = LivePictureMachine(limit: Self.limit)
        let busy = Facts(followerCount: 1, isCameraFree: false)
        #expect(machine.step(busy, at: Self.at(100)) == [])
        #expect(machine.step(busy, at: Self.at(120)) == [])
        #expect(machine.step(Facts(followerCount: 1), at: Self.at(121)) == [.start])
        // But not for ever.
        machine = LivePictureMachine(limit: Self.limit)
        _ = machine.step(busy, at: Self.at(100))
        let why = "a picture of a motion holds the camera"
        let gone = LivePictureReport(.gone, why: why)
        #expect(machine.step(busy, at: Self.at(160)) == [.refuse(gone)])
    }

    @Test func aBoundOrAMaskEndsItAndKeepsItAway() {
        for state in [LivePictureReport.State.masked, .hot, .memory] {
            var machine = Self.running()
            let refusal = LivePictureReport(state, why: "so")
            let facts = Facts(followerCount: 2, refusal: refusal)
            #expect(machine.step(facts, at: Self.at(101)) == [.stop, .refuse(refusal)])
            #expect(machine.report(refusal).state == state)
            #expect(machine.step(facts, at: Self.at(103)) == [.refuse(refusal)])
            #expect(machine.step(Facts(followerCount: 1), at: Self.at(105)) == [.start])
        }
    }

    @Test func aProgramWithoutPicturesIsEnded() {
        var machine = LivePictureMachine(limit: Self.limit)
        let one = Facts(followerCount: 1)
        _ = machine.step(one, at: Self.at(100))
        #expect(machine.nextLook(after: Self.at(109.5)) == Self.at(110))
        #expect(machine.step(one, at: Self.at(109.9)) == [])
        let never = LivePictureReport(.gone, why: "no picture within \(Self.limit)")
        #expect(machine.step(one, at: Self.at(110)) == [.stop, .refuse(never)])
        #expect(machine.report(nil) == never)
        machine = Self.running()
        let silence = LivePictureMachine.silenceMax
        let silent = LivePictureReport(.gone, why: "no picture for \(silence)")
        #expect(machine.step(one, at: Self.at(105)) == [.stop, .refuse(silent)])
        // The next one that gives a picture ends the trouble.
        _ = machine.step(one, at: Self.at(106))
        machine.frame(at: Self.at(107))
        _ = machine.step(Facts(followerCount: 0), at: Self.at(108))
        #expect(machine.report(nil).state == .ready)
    }

    @Test func aProgramThatEndsIsSaid() {
        var machine = Self.running()
        let gone = LivePictureReport(.gone, why: "it ended")
        #expect(machine.fail("it ended", at: Self.at(101)) == [.stop, .refuse(gone)])
        #expect(!machine.isProgramUp)
        // A late frame starts nothing.
        machine.frame(at: Self.at(101))
        #expect(machine.report(nil) == gone)
    }
}
