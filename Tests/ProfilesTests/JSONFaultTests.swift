import Profiles
import Testing

@Suite struct JSONFaultTests {
    @Test func namesLineAndColumn() {
        #expect(JSONFault.faultIndex(in: Array("{\n x".utf8)) == 3)
    }
}
