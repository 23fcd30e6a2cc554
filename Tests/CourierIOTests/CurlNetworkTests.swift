import CourierIO
import Testing

@Suite struct CurlNetworkTests {}
