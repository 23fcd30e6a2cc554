import Glibc
import LinuxPlatform
import TestSupport
import Testing

@testable import Profiles

@Suite struct StationFilesTests {
    /// Opening a pipe for reading waits for a writer: `--check` never came back.
    @Test func aPipeOrAFolderIsNoConfiguration() throws {
        let folder = try TestFolder()
        let pipe = folder.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, folder.path] {
            let error = #expect(throws: ConfigurationError.self) {
                try StationFiles(path: path).read()
            }
            let told = try #require(error)
            #expect(told.file == path && told.problems.count == 1)
            #expect("\(told)".contains("name a file"))
        }
    }
}
