import Glibc
import LinuxPlatform
import Profiles
import Testing

@Suite struct StationFilesTests {
    /// To open a pipe for reading waits for somebody who writes: `--check` never came back.
    @Test func aPipeOrAFolderIsNoConfiguration() throws {
        var template = Array("/tmp/roost-files-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
        let pipe = "\(folder)/pipe"
        defer {
            unlink(pipe)
            rmdir(folder)
        }
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, folder] {
            let error = #expect(throws: ConfigurationError.self) {
                try StationFiles(path: path).read()
            }
            let told = try #require(error)
            #expect(told.file == path && told.problems.count == 1)
            #expect("\(told)".contains("name a file"))
        }
    }
}
