import ArgumentParser
import ClientSupport
import Glibc
import TestSupport
import Testing

@testable import roost

@Suite struct ProvisionCommandTests {
    @Test func aBootPartitionThatCannotBeReadIsNotEmpty() throws {
        let folder = try TestFolder()
        let boot = folder.path("boot")
        try #require(symlink(boot, boot) == 0)
        func message(_ path: String) throws -> String {
            let command = try ProvisionCommand.parse(["--folder", path, "--root", folder.path])
            return try #require(#expect(throws: ClientFailure.self) { try command.run() }).message
        }
        #expect(try message(boot).contains("no files there") == false)
        #expect(try message(folder.path("gone")).contains("no files there"))
    }
}
