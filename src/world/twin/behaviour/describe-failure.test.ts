/** Tests that failure messages read like those of the libraries that the originals use. */
import { describe, expect, it } from 'vitest'
import { CallFailure } from '#world/twin/ports'
import { describeFailure } from './describe-failure.ts'

const http = { peer: 'ts-order-service', operation: 'POST /api/v1/orders', protocol: 'http' }
const grpc = { peer: 'cartservice', operation: 'hipstershop.CartService/GetCart', protocol: 'grpc' }
const sql = { peer: 'tsdb-mysql', operation: 'SELECT orders', protocol: 'mysql' }

const refused = new CallFailure('refused', 'connect ECONNREFUSED 10.0.0.1:80')
const timedOut = new CallFailure('timeout', 'no answer within 100 ms')

describe('describeFailure', () => {
  it('imitates Spring', () => {
    expect(describeFailure('spring', { ...http, failure: refused })).toBe(
      'org.springframework.web.client.ResourceAccessException: I/O error on POST request for "http://ts-order-service/api/v1/orders": Connection refused (Connection refused); nested exception is java.net.ConnectException: Connection refused (Connection refused)',
    )
    const answer = new CallFailure('answer', '404: [{}]', 404)
    expect(describeFailure('spring', { ...http, failure: answer })).toBe(
      'org.springframework.web.client.HttpClientErrorException: 404: [{}]',
    )
    const unregistered = new CallFailure('name', 'No instances available for ts-order-service')
    expect(describeFailure('spring', { ...http, failure: unregistered })).toBe(
      'java.lang.IllegalStateException: No instances available for ts-order-service',
    )
    const denied = new CallFailure('login', "Access denied for user 'ts'")
    expect(describeFailure('spring', { ...sql, failure: denied })).toBe(
      "Unable to acquire JDBC Connection of tsdb-mysql for SELECT orders; nested exception is java.sql.SQLException: Access denied for user 'ts'",
    )
    const missingTable = new CallFailure('answer', "Table 'ts.orders' doesn't exist")
    expect(describeFailure('spring', { ...sql, failure: missingTable })).toMatch(
      /^could not execute statement SELECT orders/,
    )
  })

  it('imitates Go, nginx and Thrift', () => {
    expect(describeFailure('go-json', { ...grpc, failure: timedOut })).toContain(
      'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    )
    expect(describeFailure('zerolog', { ...http, failure: refused })).toContain(
      'failed: dial tcp 10.0.0.1:80: connect: connection refused',
    )
    const unknownHost = new CallFailure('name', 'getaddrinfo ENOTFOUND cart.shop')
    expect(describeFailure('go-json', { ...http, failure: unknownHost })).toContain(
      'failed: dial tcp: lookup cart.shop: no such host',
    )
    const reason =
      'connection error: desc = "transport: dial tcp 10.0.0.1:80: connect ECONNREFUSED 10.0.0.1:80"'
    expect(describeFailure('go-json', { ...grpc, failure: new CallFailure('refused', reason) })).toContain(
      'code = Unavailable desc = connection error: desc = "transport: dial tcp 10.0.0.1:80: connect: connection refused"',
    )
    const notFound = new CallFailure('answer', 'no such product', 5)
    expect(describeFailure('zerolog', { ...grpc, failure: notFound })).toContain(
      'code = NotFound desc = no such product',
    )
    expect(describeFailure('nginx', { ...http, failure: refused })).toContain('(111: Connection refused)')
    expect(describeFailure('thrift', { ...grpc, protocol: 'thrift', failure: refused })).toMatch(
      /^Failed to connect cartservice-client/,
    )
  })

  it('names the peer and the reason in the plain format', () => {
    expect(describeFailure('plain', { ...grpc, failure: timedOut })).toBe(
      'hipstershop.CartService/GetCart of cartservice failed: no answer within 100 ms',
    )
  })
})
