import Glibc
import TestSupport
import Testing

@testable import CourierIO
@testable import LinuxIO
@testable import RoostCourier

/// A script stands in for avahi-browse; what the real one prints is in `AvahiServicesTests`.
@Suite struct AvahiBrowserTests {
    private static func search(
        _ script: String,
        limit: Duration = .seconds(20)
    ) throws -> StationSearch {
        let folder = try TestFolder()
        let program = folder.path("avahi-browse")
        let file = try #require(fopen(program, "w"))
        fputs("#!/bin/sh\n\(script)\n", file)
        fclose(file)
        chmod(program, 0o755)
        return try EventLoop().run {
            try await AvahiBrowser(program, limit: limit).browse("_mqtt._tcp")
        }
    }

    @Test func givesWhatTheProgramPrints() throws {
        let found = try Self.search("echo \"$*\"")
        let words = "--resolve --parsable --terminate --no-db-lookup _mqtt._tcp\n"
        #expect(String(decoding: found.output, as: UTF8.self) == words)
        #expect(found.ownAddresses.contains("127.0.0.1"))
    }

    @Test func addressesAreAskedOfTheProgramBeside() throws {
        let folder = try TestFolder()
        let browser = AvahiBrowser(folder.path("avahi-browse"))
        let none = try EventLoop().run { try await browser.resolve(["attic.local"]) }
        #expect(none.isEmpty)
        let file = try #require(fopen(folder.path("avahi-resolve"), "w"))
        fputs("#!/bin/sh\necho \"$*\"\nexit 1\n", file)
        fclose(file)
        chmod(folder.path("avahi-resolve"), 0o755)
        let found = try EventLoop().run { try await browser.resolve(["a.local", "b.local"]) }
        #expect(String(decoding: found, as: UTF8.self) == "-4 --name -- a.local b.local\n")
    }

    @Test func aProgramThatIsNotThereIsSaidSo() throws {
        #expect(throws: StationSearchError.noProgram) {
            try EventLoop().run { try await AvahiBrowser("/no/avahi-browse").browse("_mqtt._tcp") }
        }
    }

    @Test func aProgramThatFailsIsSaidSo() throws {
        do {
            _ = try Self.search("exit 3")
            Issue.record("it did not fail")
        } catch StationSearchError.failed(let words) {
            #expect(words.contains("ended with 3"))
        }
    }

    @Test func anEndlessOutputHasABound() throws {
        let found = try Self.search("head -c 300000 /dev/zero")
        #expect(found.output.count == AvahiServices.byteMax)
    }

    @Test func aProgramThatHangsIsEnded() throws {
        for script in ["sleep 3600 & wait", "exec >&-; sleep 3600", "trap '' TERM; sleep 3600"] {
            #expect(throws: StationSearchError.self) {
                try Self.search(script, limit: .milliseconds(200))
            }
        }
    }
}
