import Testing

@testable import RoostWeb

@Suite struct PasswordTests {
    @Test(arguments: [
        "password1234", "P@ssw0rd2026!", "passwordpassword", "iloveyou12345", "123456789012",
        "qwertyuiop[]", "aaaaaaaaaaaa", "abcdefghijklm", "letmein-2026", "short", "1q2w3e4r5t6y",
        "balcony-12345", "anna@example", "ababababababab", "987654321098",
        "anna@example.org", "Anna.Balcony1", "balcony@example",
    ])
    func refusesWhatIsTriedFirst(password: String) {
        let known = ["Anna", "anna@example.org", "balcony"]
        #expect(PasswordRule.objection(password, .owner, known: known) != nil)
    }

    @Test(arguments: [
        "seven-Kettles-hum", "correct pony battery", "xK9#mQ2$vL7p", "Grüße aus Meran im Mai",
        "日本語のとても長い合言葉です", "tea.in.the.attic",
    ])
    func takesOthers(password: String) {
        #expect(PasswordRule.objection(password, .owner, known: ["Anna", "balcony"]) == nil)
    }

    @Test func asksOwnersForMore() {
        #expect(PasswordRule.objection("hum-ket-42", .member, known: []) == nil)
        #expect(PasswordRule.objection("hum-ket-42", .owner, known: []) != nil)
        let long = String(repeating: "abcdefgh-ijk ", count: 30)
        #expect(PasswordRule.objection(long, .owner, known: []) != nil)
    }

    @Test func hashesWithTheParametersOfTheDesign() throws {
        let kept = try PasswordHash.argon2id.hash("seven-Kettles-hum")
        #expect(kept.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(PasswordHash.argon2id.verify("seven-Kettles-hum", kept))
        #expect(!PasswordHash.argon2id.verify("seven-Kettles-hug", kept))
        #expect(try PasswordHash.argon2id.hash("seven-Kettles-hum") != kept)
    }

    /// A text that Argon2 cannot read would answer at once, and so tell unknown addresses apart.
    @Test func computesAlsoForNobody() {
        let fields = PasswordHash.ofNobody.split(separator: "$")
        #expect(fields.prefix(3) == ["argon2id", "v=19", "m=19456,t=2,p=1"])
        #expect(PasswordHash.isComputed(PasswordHash.ofNobody))
        #expect(!PasswordHash.isComputed("plain"))
    }
}
