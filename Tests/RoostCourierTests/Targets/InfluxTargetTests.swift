import Core
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct InfluxTargetTests {
    private static let token = Secret("influx-token-1")

    private func target(_ interface: InfluxTarget.Interface) -> InfluxTarget {
        let format = LineProtocol(tags: ["station": "balcony"])
        return InfluxTarget(url: "http://influx:8086/", interface, format)
    }

    private var two: InfluxTarget {
        target(.two(organisation: "my home", bucket: "air", token: Self.token))
    }

    @Test func writesEachByte() {
        let write = two.write(TargetFixture.batch(TargetFixture.dust(), TargetFixture.dust(1)))
        let text = String(decoding: write.body, as: UTF8.self)
        #expect(
            text == """
                roost,device=dust,station=balcony pm10=20.5,pm25=12.3 1795321800000
                roost,device=dust,station=balcony pm10=20.5,pm25=12.3 1795322100000

                """
        )
        #expect(
            write.url.revealed
                == "http://influx:8086/api/v2/write?org=my%20home&bucket=air&precision=ms"
        )
        #expect(!write.dryRun.contains("influx-token"))
        #expect(write.dryRun.contains("Authorization: Token •••\n"))
    }

    @Test func escapesAndLeavesOut() {
        let format = LineProtocol(
            measurement: "my air",
            tags: ["station": "a, b=c\\", "room": ""],
            hasFlags: true
        )
        let values: [(Quantity, Outcome)] = [
            (.pm25, .value(12.30, .humid)), (.pm10, .noData(.unplugged)), (.co2, .value(415)),
        ]
        let sample = TargetFixture.sample(0, "du st", values)
        #expect(
            format.line(sample)
                == "my\\ air,device=du\\ st,station=a\\,\\ b\\=c/ co2=415,pm25=12.3,q=\"humid\" "
                + "1795321800000\n"
        )
        #expect(format.line(TargetFixture.sample(0, "d", [(.pm25, .noData(.stuck))])) == nil)
        #expect(two.leavesOut(TargetFixture.sample(0, "d", [(.pm25, .noData(.stuck))])) == .noValue)
        #expect(two.leavesOut(TargetFixture.dust()) == nil)
    }

    @Test func storesEachPointOnceHoweverOftenItIsSent() throws {
        let server = InfluxServer(.two, token: "influx-token-1")
        let target = two
        let batch = TargetFixture.batch(TargetFixture.dust(), TargetFixture.dust(1))
        let faults: [NetworkFault?] = [.answerLost, nil]
        let names = try TargetFixture.deliver(batch, to: target, server, at: "influx:8086", faults)
        #expect(names == ["unknown", "delivered"])
        #expect(server.stored.count == 2)
        let fields = server.stored["roost,device=dust,station=balcony 1795321800000"]
        #expect(fields == ["pm25": "12.3", "pm10": "20.5"])
    }

    @Test func judgesAnswers() throws {
        let target = target(.two(organisation: "o", bucket: "b", token: Secret("wrong")))
        let server = InfluxServer(.two, token: "right")
        let faults: [NetworkFault?] = [
            nil, .status(400, retryAfterSeconds: nil), .status(503, retryAfterSeconds: 7),
            .status(200, retryAfterSeconds: nil), .captivePortal, .refused, .wrongCertificate,
        ]
        let batch = TargetFixture.batch(TargetFixture.dust())
        let names = try TargetFixture.deliver(batch, to: target, server, at: "influx:8086", faults)
        let expected = ["hold", "refused", "later", "foreign", "foreign", "later", "hold"]
        #expect(names == expected)
    }

    @Test func versionOneSaysWhoItIs() throws {
        let target = target(.one(database: "air", user: "me", password: Secret("pw")))
        let write = target.write(TargetFixture.batch(TargetFixture.dust()))
        #expect(write.url.revealed == "http://influx:8086/write?db=air&precision=ms")
        #expect(write.fields.first?.value.revealed == "Basic bWU6cHc=")
        #expect(!write.dryRun.contains("bWU6cHc="))
        let server = InfluxServer(.one)
        let batch = TargetFixture.batch(TargetFixture.dust())
        let names = try TargetFixture.deliver(batch, to: target, server, at: "influx:8086", [nil])
        #expect(names == ["delivered"])
        #expect(server.stored.count == 1)
    }
}
