import Glibc
import TestSupport
import Testing

@testable import ProvisioningIO

/// Files in a folder of the dashboard that a root service opens.
@Suite struct UpdateSourceTests {
    @Test func opensARegularFileAlone() throws {
        let folder = try TestFolder()
        let file = folder.path("new.update")
        try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
        try #require(symlink("/etc/hostname", folder.path("link")) == 0)
        try #require(symlink("/dev/zero", folder.path("device")) == 0)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let bytes: [UInt8] = [1, 2, 3]
        #expect(write(descriptor, bytes, bytes.count) == 3)
        close(descriptor)
        #expect(try UpdateSource(path: file).next() == bytes)
        for (name, words) in [
            ("pipe", "is no file but a pipe"), ("link", "is a link"), ("device", "is a link"),
            ("", "is a folder"),
        ] {
            let error = #expect(throws: UpdateError.self) {
                _ = try UpdateSource(path: folder.path(name))
            }
            #expect(error?.description.contains(words) == true, "\(name)")
        }
        let device = #expect(throws: UpdateError.self) { _ = try UpdateSource(path: "/dev/zero") }
        #expect(device?.description.contains("is no file") == true)
    }
}
