import Core

/// A form with a file (`multipart/form-data`), as browsers send one.
///
/// - Source: RFC 7578, *Returning Values from Forms: multipart/form-data*.
struct FormData {
    /// Content type `multipart/form-data` with its boundary.
    let type: String
    let body: [UInt8]

    /// - Parameters:
    ///   - fields: Names and values; names are a preset's.
    ///   - file: The name of the file's field.
    init(_ fields: [(String, String)], file: String, _ picture: NoticePicture) {
        // Made from the file's hash, so that neither the file nor a text contains it by chance.
        let hash = CourierCrypto.sha256(picture.bytes)
        let boundary = "roost-" + Hexadecimal.text(Array(hash.prefix(16)))
        type = "multipart/form-data; boundary=\(boundary)"
        let texts = fields.map { name, value in
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        let head =
            texts.joined()
            + "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(file)\"; "
            + "filename=\"\(picture.name)\"\r\nContent-Type: image/jpeg\r\n\r\n"
        body = Array(head.utf8) + picture.bytes + Array("\r\n--\(boundary)--\r\n".utf8)
    }
}
