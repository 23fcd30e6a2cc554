import ArgumentParser
import ClientSupport
import FileIO
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

    @Test func eachConfigurationIsCheckedByItsProgram() throws {
        let folder = try TestFolder()
        for name in ["boot", "run"] { mkdir(folder.path(name), 0o755) }
        func said(_ texts: [String: String]) throws -> String {
            for (name, text) in texts {
                try Files.replace(folder.path("boot/\(name)"), with: Array(text.utf8), mode: 0o644)
            }
            let command = try ProvisionCommand.parse([
                "--folder", folder.path("boot"), "--root", folder.path,
            ])
            try command.run()
            return Files.text(folder.path("boot/roost-said.txt"), limit: 1 << 16) ?? ""
        }
        let wrong = try said([
            "roost.json": #"{ "stroe": {} }"#, "courier.json": #"{ "tagrets": [] }"#,
            "eyes.json": #"{ "comand": [] }"#,
        ])
        for (file, word) in [("roost", "stroe"), ("courier", "tagrets"), ("eyes", "comand")] {
            let lines = wrong.split(separator: "\r\n").filter { $0.hasPrefix("\(file).json: ") }
            #expect(lines.contains { $0.contains(word) }, "\(wrong)")
        }
        let right = try said([
            "roost.json": "{}", "courier.json": #"{ "targets": [] }"#,
            "eyes.json": #"{ "command": ["true"] }"#,
        ])
        #expect(right.contains("All is well."), "\(right)")
        #expect(try Files.names(in: folder.path("etc/roost")).contains("courier.json"))
    }
}
