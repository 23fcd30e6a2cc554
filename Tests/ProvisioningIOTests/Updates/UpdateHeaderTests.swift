import Core
import Testing

@testable import ProvisioningIO

@Suite struct UpdateHeaderTests {
    private let manifest = SignedUpdate.manifest(
        root: [UInt8](repeating: 1, count: 8_192),
        payload: [1, 2, 3]
    )

    @Test func readsWhatTheImageWrites() throws {
        let head = SignedUpdate.head(manifest)
        let header = try #require(try UpdateHeader(head + [9, 9]))
        #expect(header.byteCount == head.count)
        let (found, key) = try header.manifest(trusting: [SignedUpdate.key()])
        #expect(key == SignedUpdate.key().id)
        #expect(found.board == "rpi-arm64" && found.layout == 1 && found.storeSchema == 4)
        #expect(found.version == "0.2.0+git5" && found.minimumFrom == "0.0.0")
        #expect(found.payload.size == 3 && found.root.size == 8_192)
    }

    /// Made by `openssl genpkey -algorithm ed25519`, `openssl pkey -pubout` and
    /// `openssl pkeyutl -sign -rawin`, as scripts/image calls them.
    @Test func knowsTheKeysAndSignaturesOfOpenSSL() throws {
        let key = try #require(UpdateKey(pem: Self.pem))
        #expect(key.id == Self.id)
        let head = try #require(try UpdateHeader(Array(Self.head.utf8)))
        #expect(head.signatures.map(\.key) == [Self.id])
        #expect(key.signed(head.manifestBytes, head.signatures[0].bytes))
        #expect(!key.signed(head.manifestBytes + [0x20], head.signatures[0].bytes))
    }

    @Test func asksForMoreUntilTheManifestIsThere() throws {
        let head = SignedUpdate.head(manifest)
        for count in 0..<head.count {
            #expect(try UpdateHeader(Array(head.prefix(count))) == nil)
        }
    }

    @Test func takesOneTrustedSignatureOfSeveral() throws {
        let secrets = [SignedUpdate.otherSecret, SignedUpdate.secret]
        let header = try #require(try UpdateHeader(SignedUpdate.head(manifest, secrets)))
        #expect(try header.manifest(trusting: [SignedUpdate.key()]).key == SignedUpdate.key().id)
    }

    @Test func refusesAnotherKeyAndAChangedManifest() throws {
        let header = try #require(try UpdateHeader(SignedUpdate.head(manifest)))
        let other = SignedUpdate.key(SignedUpdate.otherSecret)
        #expect(
            throws: UpdateError.untrusted(keys: [SignedUpdate.key().id], trusted: [other.id])
        ) { try header.manifest(trusting: [other]) }
        #expect(throws: UpdateError.untrusted(keys: [SignedUpdate.key().id], trusted: [])) {
            try header.manifest(trusting: [])
        }
        let head = SignedUpdate.head(manifest)
        let first = head.count - manifest.count - 1
        for index in stride(from: first + 1, to: head.count - 1, by: 7) {
            var changed = head
            changed[index] ^= 1
            // A changed line end ends the manifest early, and its signature with it.
            guard let header = try? UpdateHeader(changed) else { continue }
            #expect(throws: UpdateError.wrongSignature(key: SignedUpdate.key().id)) {
                try header.manifest(trusting: [SignedUpdate.key()])
            }
        }
    }

    @Test(arguments: [
        "", "X", "ROOST-UPDATE-2\n", "ROOST-UPDATE-1\n{}\n", "ROOST-UPDATE-1\nrsa a b\n",
        "ROOST-UPDATE-1\ned25519 0123456789abcdef AAAA\n",
        "ROOST-UPDATE-1\n" + String(repeating: "x", count: 20_000),
        "\u{1F}\u{8B}ROOST-UPDATE-1\n",
    ])
    func namesWhatIsNoUpdate(_ text: String) throws {
        guard !text.isEmpty else { return #expect(try UpdateHeader([]) == nil) }
        #expect(throws: UpdateError.self) { try UpdateHeader(Array(text.utf8)) }
    }

    @Test(arguments: [
        ["board": "7"], ["layout": "1.5"], ["version": #""""#], ["storeSchema": "-1"],
        ["payload": "{}"], ["root": #"{"size":8192,"sha256":"abc"}"#], ["version": #""a\nb""#],
        [
            "root":
                #"{"size":8193,"sha256":""#
                + #"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}"#
        ],
    ])
    func namesTheFieldAtFault(_ change: [String: String]) throws {
        let manifest = SignedUpdate.manifest(root: [], payload: [1], change)
        let error = #expect(throws: UpdateError.self) { try UpdateManifest(manifest) }
        let field = try #require(change.keys.first)
        #expect("\(try #require(error))".contains(field))
    }

    @Test func neverTrapsOnChance() {
        var random = SplitMix64(seed: 17)
        let head = SignedUpdate.head(manifest)
        for _ in 0..<3_000 {
            var bytes = Array(head.prefix(Int.random(in: 0...head.count, using: &random)))
            for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            let header = try? UpdateHeader(bytes)
            _ = try? header?.manifest(trusting: [SignedUpdate.key()])
            _ = try? UpdateManifest(bytes)
            _ = UpdateKey(pem: String(decoding: bytes, as: UTF8.self))
        }
    }

    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAOGG63Dryg6DobOpiVU926dgvM1mzlwhn0oWje5gi2Ug=
        -----END PUBLIC KEY-----

        """
    private static let id = "26070ae7defa03e5"
    private static let head =
        "ROOST-UPDATE-1\ned25519 \(id) "
        + "kd5cZF2eCqOFDlI9Uc57tZZswcVIb7L09k1oZQ6QjpLv"
        + "kvqTFTlku5C093cUHqBuP5fp/o0HKDkB2OvRe+a2CQ=="
        + "\n{\"board\":\"rpi-arm64\"}\n"
}
