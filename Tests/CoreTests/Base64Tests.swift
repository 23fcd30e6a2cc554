import Core
import Testing

@Suite struct Base64Tests {
    @Test func isWrittenAndReadInBothAlphabets() {
        // RFC 4648, section 10.
        let vectors = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foobar": "Zm9vYmFy"]
        for (plain, text) in vectors {
            #expect(Base64.text(Array(plain.utf8)) == text)
            #expect(Base64.bytes(text) == Array(plain.utf8))
        }
        #expect(Base64.url([0xfb, 0xff]) == "-_8")
        #expect(Base64.bytes("-_8") == [0xfb, 0xff])
        #expect(Base64.bytes("+/8=") == [0xfb, 0xff])
        #expect(Base64.bytes("A") == nil)
        #expect(Base64.bytes("Zm 9v") == nil)
    }

    @Test func hexadecimalDigitsAreWrittenSmallAndReadInBothSizes() {
        #expect(Hexadecimal.text([0, 10, 255]) == "000aff")
        #expect(Hexadecimal.bytes("0aFf") == [10, 255])
        #expect(Hexadecimal.bytes("0") == nil)
        #expect(Hexadecimal.bytes("0g") == nil)
    }
}
