import Testing

@testable import CourierIO
@testable import RoostCourier

/// Compares libcurl's signature of an S3 object with that of botocore 1.44.
@Suite struct ObjectSignatureTests {
    @Test func signsAnUploadAsBotocoreDoes() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "PM2.5,12.3\r\n")
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let status = try onLoop { network in
            let bytes = Array("PM2.5,12.3\r\n".utf8)
            let file = try await OutboxFile(path: "hourly/Sun Nov  6 07:49:04 2022.csv") { number in
                number == 0 ? bytes : nil
            }
            let target = ObjectStoreTarget(
                .init(
                    "air",
                    region: "eu-central-1",
                    endpoint: "http://127.0.0.1:\(server.port)",
                    isInPath: nil
                ),
                accessKey: "AKIDEXAMPLE",
                secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
            )
            var request = target.upload(file)
            // These fields differ from run to run.
            request.fields += [
                .init("Host", "files.example"), .init("User-Agent", "roost-test"),
                .init("X-Amz-Date", "20261122T043000Z"),
            ]
            let stream = FileStream(file, count: file.size)
            return try await network.upload(request, size: file.size) { try await stream.next() }
                .status
        }
        #expect(status == 200)
        let signature = "479c77a1f4d10e28cfd3d24f8f3b4f7514ba8bf6d1d943f754190b8ce9eca364"
        #expect(server.received.contains("Signature=\(signature)\r\n"), "\(server.received)")
        let scope = "Credential=AKIDEXAMPLE/20261122/eu-central-1/s3/aws4_request"
        #expect(server.received.contains(scope))
    }
}
