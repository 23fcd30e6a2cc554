import Core
import Profiles

/// Parser of the targets in `courier.json` that receive files.
enum FileKinds {
    /// Options that every target of files has.
    private struct Shared {
        let periods: [FilePeriod]
        let naming: FileNaming
        let prefix: String
    }

    /// Reads a bucket's name, which becomes a part of the URL.
    private static func bucket(_ reader: inout EntryReader) -> String? {
        guard let name = reader.object.required("bucket") else { return nil }
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "-._".utf8.contains(byte)
        }
        let isEnded = name.first?.isPunctuation == false && name.last?.isPunctuation == false
        guard isPlain, isEnded, !name.contains(".."), (3...222).contains(name.utf8.count) else {
            reader.object.problem(
                "bucket",
                "expected a bucket's name of a…z, 0…9, -, . and _, found \"\(name)\""
            )
            return nil
        }
        return name
    }

    static func google(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let bucket = bucket(&reader)
        let account = reader.secret("account")
        let url = reader.optionalURL("url")
        let shared = shared(&reader)
        guard let bucket, let account, let shared else { return nil }
        return { materials in
            let file = try materials.secrets.secret(account)
            guard let account = GoogleAccount(file) else {
                throw SecretError(
                    account,
                    "the secret \(account) is no key of a service account: store the JSON file "
                        + "that Google made for it"
                )
            }
            let target = GoogleStorageTarget(
                bucket: bucket,
                account,
                url: url.map { MaskedText($0) } ?? GoogleStorageTarget.standardURL,
                clock: materials.clock,
                trust: common.trust
            )
            return .files(work(target, shared, common))
        }
    }

    static func objectStore(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let name = bucket(&reader)
        let region = reader.object.required("region")
        let accessKey = reader.object.required("accessKey")
        let secretKey = reader.secret("secretKey")
        let url = reader.optionalURL("url")
        let isInPath = reader.object.bool("pathStyle")
        let shared = shared(&reader)
        guard let name, let region, let accessKey, let secretKey, let shared else { return nil }
        return { materials in
            let bucket = ObjectStoreTarget.Bucket(
                name,
                region: region,
                endpoint: url,
                isInPath: isInPath
            )
            var target = ObjectStoreTarget(
                bucket,
                accessKey: accessKey,
                secretKey: try materials.secrets.secret(secretKey)
            )
            target.trust = common.trust
            return .files(work(target, shared, common))
        }
    }

    static func webDAV(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let url = reader.url("url")
        let user = reader.object.string("user")
        let password = reader.secret("password", isRequired: user != nil)
        let shared = shared(&reader)
        guard let url, let shared else { return nil }
        return { materials in
            var target = WebDAVTarget(
                url: MaskedText(url),
                user: user,
                password: try password.map(materials.secrets.secret)
            )
            target.trust = common.trust
            return .files(work(target, shared, common))
        }
    }

    private static func work(
        _ target: any FileTarget,
        _ shared: Shared,
        _ common: TargetOptions
    ) -> FileWork {
        var work = FileWork(
            target,
            periods: shared.periods,
            naming: shared.naming,
            prefix: shared.prefix
        )
        (work.hasBacklog, work.ageLimit) = (common.hasBacklog, common.ageLimit)
        if let pace = common.pace { work.pace = max(pace, work.pace) }
        return work
    }

    private static func shared(_ reader: inout EntryReader) -> Shared? {
        reader.object.leaveOut(["streams", "batchSeconds", "timeoutSeconds"])
        let periods = periods(&reader)
        let names = reader.object.string("names", in: FileNaming.allCases.map(\.rawValue))
        reader.object.record(usual: ["names": FileNaming.seed.rawValue])
        let naming = reader.object.value("names") == nil ? .seed : names.flatMap(FileNaming.init)
        let folder = folder(&reader)
        guard let naming, let folder else { return nil }
        return Shared(periods: periods, naming: naming, prefix: folder)
    }

    private static func periods(_ reader: inout EntryReader) -> [FilePeriod] {
        let known = FilePeriod.allCases.map(\.rawValue)
        let texts = reader.texts("periods", in: known, limit: known.count)
        if case .array([])? = reader.object.value("periods") {
            let all = known.joined(separator: ", ")
            reader.object.problem("periods", "expected at least one of \(all)")
        }
        return texts.isEmpty ? FilePeriod.allCases : texts.compactMap(FilePeriod.init)
    }

    /// Reads a folder: empty, or with a slash at its end.
    private static func folder(_ reader: inout EntryReader) -> String? {
        guard let text = reader.object.string("folder") else {
            return reader.object.value("folder") == nil ? "" : nil
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPath = parts.allSatisfy { !["", ".", ".."].contains($0) }
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && text.utf8.count <= 200
        guard isPath, isPlain else {
            reader.object.problem(
                "folder",
                "expected a path like air/balcony, without / at its ends"
            )
            return nil
        }
        return text + "/"
    }
}
