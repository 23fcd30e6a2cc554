import HTTPTypes

/// The script of Debian's package that draws QR codes, for the page First steps.
///
/// Without the package the page shows an address in place of the code.
package struct QRCodeRoute: Sendable {
    private static let name = "qrcode.js"

    /// The script; nil where the package is not installed.
    private let file: StaticFiles.File?

    package init(folder: String = "/usr/share/javascript/qrcode-generator") {
        file = StaticFiles.files([Self.name], in: folder)?[Self.name]
    }

    package var route: Route {
        Route(.get, "/qrcode.js", .anyone) { _ in
            guard let file else {
                throw Problem.notFound("install the package node-qrcode-generator")
            }
            return WebResponse(
                headers: [.contentType: file.type, .cacheControl: "max-age=86400"],
                body: .bytes(file.bytes)
            )
        }
    }
}
