import Core
import Glibc
import HardwareIO
import Testing

@testable import LinuxIO

/// On real sockets of this machine.
@Suite struct HTTPListenerTests {
    private func ask(
        path: String = "/value",
        _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse?
    ) throws -> [Result<HTTPResponse, any Error>] {
        let loop = try EventLoop()
        return try loop.run {
            let listener = try HTTPListener(address: [127, 0, 0, 1], port: 0, on: loop)
            defer { listener.close() }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await listener.run(answer) }
                defer { group.cancelAll() }
                let target = try #require(HTTPTarget("http://127.0.0.1:\(listener.port)\(path)"))
                var results: [Result<HTTPResponse, any Error>] = []
                for _ in 0..<2 {
                    do {
                        let until = loop.clock.now.advanced(by: .milliseconds(300))
                        let fetcher = LinuxHTTP(on: loop)
                        results.append(.success(try await fetcher.get(target, until: until)))
                    } catch { results.append(.failure(error)) }
                }
                return results
            }
        }
    }

    @Test func answersOneClientAfterTheOther() throws {
        let results = try ask { request in
            HTTPResponse(status: 200, body: Array("\(request.method) \(request.path)".utf8))
        }
        let expected = HTTPResponse(status: 200, body: Array("GET /value".utf8))
        #expect(try results.map { try $0.get() } == [expected, expected])
    }

    @Test func saysNothingWhenItIsTold() throws {
        for result in try ask({ _ in nil }) {
            guard case .failure(let error) = result, case .timedOut? = error as? HTTPError else {
                Issue.record("\(result)")
                continue
            }
        }
    }

    @Test func saysThatAPortIsTaken() throws {
        let loop = try EventLoop()
        let first = try HTTPListener(address: [127, 0, 0, 1], port: 0, on: loop)
        defer { first.close() }
        #expect(throws: LinuxError.system(call: "bind", errno: EADDRINUSE, path: nil)) {
            _ = try HTTPListener(address: [127, 0, 0, 1], port: first.port, on: loop)
        }
    }
}
