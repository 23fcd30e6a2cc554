import Core
import SQLite
import Testing

@testable import PowerCut

@Suite struct FileImageTests {
    @Test func holdsWhatAnArrayHolds() {
        var dice = SplitMix64(seed: 1)
        var (image, array) = (FileImage(), [UInt8]())
        for _ in 0..<300 {
            if Int.random(in: 0..<5, using: &dice) == 0 {
                let count = Int.random(in: 0..<20_000, using: &dice)
                let missing = max(0, count - array.count)
                array = array.prefix(count) + Array(repeating: 0, count: missing)
                image.resize(count)
            } else {
                let offset = Int.random(in: 0..<12_000, using: &dice)
                let byte = UInt8.random(in: 1...255, using: &dice)
                let bytes = Array(repeating: byte, count: .random(in: 1..<9_000, using: &dice))
                let missing = max(0, offset + bytes.count - array.count)
                array += Array(repeating: 0, count: missing)
                array.replaceSubrange(offset..<offset + bytes.count, with: bytes)
                image.write(bytes, at: offset)
            }
            #expect(image.bytes == array)
            #expect(image == FileImage(array))
        }
    }

    @Test func tellsImagesApart() {
        let images: [FileImage] = [[], [0], [0, 0], [1], [0, 1], [1, 0]]
        #expect(Set(images.map(\.digest)).count == images.count)
    }

    @Test func knowsWhatARecordedProgramDidToItsFolder() throws {
        let folder = try ScratchFolder()
        try folder.fill(["a.db": [], "gone": [1, 2]])
        let recording = PowerCutRecording(folder: folder.path)
        let connection = try Connection(folder.path + "/a.db", vfs: PowerCutRecording.vfs)
        try connection.setJournalMode(.wal)
        try connection.execute("CREATE TABLE t AS SELECT zeroblob(20000) AS a")
        try connection.execute("DELETE FROM t")
        try connection.execute("VACUUM")
        try connection.close()
        folder.apply(recording.operations)
        #expect(folder.isAsKnown())
        try folder.fill(["a.db": [1, 2, 3], "b": [4]])
        #expect(folder.isAsKnown())
        folder.apply([.write("b", offset: 0, bytes: [5])])
        #expect(!folder.isAsKnown())
    }
}
