/** A topology is understood with what it does not say, and its mistakes are told where they are. */
import { describe, expect, it } from 'vitest'
import { parseTopology } from './parse-topology.ts'

const TEN_LINES = `system: tiny
services:
  front:
    endpoints:
      GET /:
        steps: [{call: back GET /time, as: time}]
        reply: '"It is " + time.now'
  back:
    endpoints:
      GET /time: {reply: '{"now": isoTime(now())}'}
`

/** A topology of one service under test, beside others to call. */
const around = (service: string): string => `system: test
services:
  cart:
${service.replace(/^/gm, '    ').trimEnd()}
  orders:
    endpoints:
      GET /orders/{id}: {reply: request.params.id}
      POST /orders:
      ANY /files/{rest...}:
  prices: {wire: grpc, endpoints: {GetPrice: {reply: 1}}}
  redis-cart: {wire: redis}
  queue: {wire: amqp}
`

const mistakesOf = (text: string): string[] => {
  try {
    parseTopology(text, 'topology.yaml')
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

describe('ten lines', () => {
  const topology = parseTopology(TEN_LINES, 'topology.yaml')
  const { front, back } = topology.services

  it('are a whole system', () => {
    expect(topology).toMatchObject({
      system: 'tiny',
      namespace: 'tiny',
      entryPoints: [{ name: 'front', service: 'front', port: 8080, path: '/' }],
    })
    expect(front?.behaviour).toMatchObject({ wire: 'http', listen: '8080', upstreams: { back: {} } })
    expect(back?.deploy).toMatchObject({
      image: 'tiny/back:1.0.0',
      ports: [8080],
      labels: { app: 'back' },
      readinessProbe: { tcpSocket: { port: 8080 } },
      services: [{ name: 'back', spec: { selector: { app: 'back' }, ports: [{ port: 8080 }] } }],
    })
  })

  it('have a good older release, and bad ones whose tags tell nothing', () => {
    expect(
      Object.entries(back?.deploy.releases ?? {}).map(([tag, { defects }]) => [tag, defects?.[0]?.kind]),
    ).toEqual([
      ['0.9.0', undefined],
      ['1.0.1', 'hot-loop'],
      ['1.0.2', 'leak'],
      ['1.0.3', 'crash'],
      ['1.0.4', 'slow'],
      ['1.0.5', 'wrong-port'],
      ['1.0.6', 'failing-endpoint'],
    ])
  })
})

describe('what a service says', () => {
  it('goes over its templates, which are merged deeply', () => {
    const { services } = parseTopology(
      `system: test
templates:
  any: {logFormat: plain, deploy: {env: {A: '1', B: '1'}, sidecars: [{name: one, image: a}]}}
  go: {template: any, wire: grpc, rpc: shop.Cart, deploy: {env: {B: '2', PORT: 7070}}}
services:
  cart: {template: go, listen: int(env.PORT), endpoints: {Get: }, deploy: {env: {A: '3'}, sidecars: [{name: two, image: a}]}}
`,
      'topology.yaml',
    )
    expect(services.cart?.behaviour).toMatchObject({ wire: 'grpc', rpc: 'shop.Cart', logFormat: 'plain' })
    expect(services.cart?.deploy).toMatchObject({
      env: { A: '3', B: '2', PORT: '7070' },
      sidecars: [{ name: 'two' }],
      ports: [7070],
    })
  })

  it('may be in a file of its own', () => {
    const others = { back: { file: 'services/back.yaml', text: 'endpoints: {GET /time: {reply: tome}}' } }
    const front = `${TEN_LINES.slice(0, TEN_LINES.indexOf('  back:'))}`
    expect(() => parseTopology(front, 'topology.yaml', others)).toThrow(
      'services/back.yaml:1: endpoints."GET /time".reply uses "tome", which nothing has set by then',
    )
    expect(() => parseTopology(TEN_LINES, 'topology.yaml', others)).toThrow(
      'services/back.yaml:1: it is a second service "back"',
    )
  })

  it('can be that it has no readiness probe, and releases of its own', () => {
    const { services } = parseTopology(
      around('deploy: {image: shop/cart:v2.1, readinessProbe: false, releases: {v2.0: }}'),
      'topology.yaml',
    )
    expect(services.cart?.deploy.readinessProbe).toBeUndefined()
    expect(services.cart?.deploy).toMatchObject({ image: 'shop/cart:v2.1', releases: { 'v2.0': {} } })
  })
})

describe('mistakes', () => {
  it.each<[string, string, string]>([
    ['an unknown field', 'colour: red', '4: services.cart.colour is not known'],
    [
      'an unknown service',
      'start:\n- {query: redis-crat, redis: [1]}',
      '5: services.cart.start[0].query names "redis-crat", which is no service; did you mean "redis-cart"?',
    ],
    [
      'a path that is not served',
      'start:\n- call: orders GET /order/x',
      '5: services.cart.start[0].call asks "orders" for GET /order/x, which it does not serve',
    ],
    [
      'a method that is not served',
      'start: [{call: prices GetPrise}]',
      '4: services.cart.start[0].call asks "prices" for GetPrise, which it does not serve; did you mean "GetPrice"?',
    ],
    ['a path to RPC', 'start: [{call: prices GET /x}]', 'needs a bare method, for "prices" speaks grpc'],
    [
      'a method to HTTP',
      'start: [{call: orders Get}]',
      'needs a method and a path, for "orders" speaks http',
    ],
    [
      'a call to a store',
      'start: [{call: redis-cart Get}]',
      'calls "redis-cart", which speaks redis: use "query"',
    ],
    [
      'the wrong words',
      'start: [{query: redis-cart, sql: SELECT 1}]',
      'start[0].sql does not fit "redis-cart"',
    ],
    ['two commands', 'start: [{query: redis-cart, sql: a, mongo: b}]', 'must have one of sql, redis'],
    [
      'a value that is missing',
      'start: [{call: "orders GET /orders/{id}"}]',
      'needs a value for {id} in "path"',
    ],
    [
      'a value too many',
      'start: [{call: orders GET /orders/1, path: {id: "1"}}]',
      'start[0].path.id has no place {id}',
    ],
    [
      'places without values',
      'start: [{query: db, sql: SELECT ?}]\nupstreams: {db: }',
      'start[0].query names "db", which is no service',
    ],
    [
      'a dead upstream',
      'upstreams: {orders: {dead: true}}\nstart: [{call: orders POST /orders}]',
      'says is dead',
    ],
    ['an unknown upstream', 'upstreams: {order: }', 'upstreams.order names "order", which is no service'],
    ['a registry that is none', 'register: {in: orders}', 'needs a service that speaks nacos or consul'],
    ['a broker that is none', 'consumes: {q: {from: orders, steps: []}}', 'needs a service that speaks amqp'],
    ['a proxy to RPC', 'start: [{proxy: prices}]', 'needs a service that speaks http'],
    [
      'an expression',
      'listen: int(env.PORT',
      '4: services.cart.listen cannot be read: column 13 of `int(env.PORT`: expected ")", found the end',
    ],
    [
      'a name',
      'endpoints: {GET /: {reply: requst.path}}',
      'uses "requst", which nothing has set by then; did you mean "request"?',
    ],
    ['a name too early', 'start: [{log: late}, {set: {late: 1}}]', 'start[0].log uses "late"'],
    ['an element outside', 'start: [{each: "[1]", log: it}, {log: it}]', 'start[1].log uses "it"'],
    ['a step of no kind', 'start: [{log: 1, do: []}]', 'start[0] must have one of call, query, proxy'],
    ['a field of a step', 'start: [{do: [{log: 1, colour: 2}]}]', 'start[0].do[0].colour is not known'],
    [
      'a name of a sibling that runs at the same time',
      'start: [{parallel: [{set: {x: 1}}, {log: x}]}]',
      'start[0].parallel[1].log uses "x"',
    ],
    ['a name that is taken', 'start: [{set: {env: 1}}]', 'start[0].set.env is "env", which has a meaning'],
    ['a word as a name', 'start: [{set: {in: 1}}]', 'start[0].set.in is no good name'],
    ['memory elsewhere', 'start: [{query: memry, memory: [1]}]', 'start[0].query must be memory'],
    ['a brace too few', 'endpoints: {"GET /{a": }', 'has "{a", which is neither text nor {name}'],
    ['a rest in the middle', 'endpoints: {"GET /{a...}/b": }', 'can have {name...} only at its end'],
    ['a parameter twice', 'endpoints: {"GET /{a}/{a}": }', 'has {a} twice'],
    ['a store that serves', 'wire: redis\nendpoints: {Get: }', 'endpoints cannot be served by redis'],
    ['a route', 'endpoints: {/x: }', 'endpoints."/x" must be a method and a path'],
    ['two routes', 'endpoints: {"GET /x/{a}": , "GET /x/{b}": }', 'takes the same requests as "GET /x/{a}"'],
    ['an RPC method', 'wire: grpc\nendpoints: {GET /x: }', 'must be a bare method: "GetCart"'],
    [
      'a defect',
      'deploy: {releases: {v2: {defects: [{kind: slow-loop}]}}}',
      'defects[0].kind must be one of',
    ],
    [
      'an endpoint of a defect',
      'deploy: {releases: {v2: {defects: [{kind: failing-endpoint, endpoint: GET /x}]}}}',
      'names "GET /x", which is no endpoint',
    ],
    ['a template of no name', 'template: {a: b}', 'template must be the name of a template'],
    ['a port too high', 'deploy: {ports: [70000]}', 'deploy.ports[0] must be at most 65535, not 70000'],
    ['a digest', 'deploy: {image: "a@sha256:0"}', 'deploy.image must be the name of an image, with a tag'],
    [
      'ports of a Service',
      'deploy: {services: [{name: a, spec: {ports: 80}}]}',
      'deploy.services[0].spec.ports must be a list, not 80',
    ],
    ['half a reference', 'deploy: {env: {A: {secret: s}}}', 'deploy.env.A.key is missing'],
    ['a template', 'template: go', 'services.cart.template names "go", which is no template'],
    ['a port', 'listen: config.port', 'gives no port, 1 to 65535, from the environment alone'],
    [
      'a Service twice',
      'deploy: {services: [{name: orders, spec: {ports: []}}]}',
      'has a Service "orders", as "cart" has',
    ],
  ])('%s', (_, service, expected) => {
    expect(mistakesOf(around(service)).join('\n')).toContain(expected)
  })

  it('of templates are told once, and where they stand', () => {
    const text = (template: string): string => `system: test
templates:
${template}
services:
  a: {template: one}
  b: {template: one}
`
    expect(mistakesOf(text('  one: {wire: tcp}'))).toEqual([
      expect.stringMatching(/^topology\.yaml:3: templates\.one\.wire must be one of http, grpc/),
    ])
    expect(mistakesOf(text('  one: {template: two}\n  two: {template: one}'))).toEqual([
      'topology.yaml:4: templates.two.template "one" leads back to itself',
    ])
  })

  it('of entry points', () => {
    const text = (entry: string): string => `${TEN_LINES}entryPoints: [${entry}]\n`
    expect(mistakesOf(text('{name: a, service: frnt, port: 8080}'))).toEqual([
      'topology.yaml:11: entryPoints[0].service names "frnt", which is no Service; did you mean "front"?',
    ])
    expect(mistakesOf(text('{name: a, service: front, port: 80}'))).toEqual([
      'topology.yaml:11: entryPoints[0].port is 80, and the Service "front" has 8080',
    ])
  })

  it('in the head', () => {
    expect(mistakesOf('system: Big\nabout: small.\nservices: {}')).toEqual([
      'topology.yaml:1: system must have small letters, digits and - only',
      'topology.yaml:2: about must begin with a capital, and not end with a full stop',
    ])
    expect(mistakesOf('system: test')).toEqual(['topology.yaml:1: it has no services'])
    expect(mistakesOf(`${TEN_LINES}namespace: A_b`)).toEqual([
      'topology.yaml:11: namespace must have small letters, digits and - only',
    ])
    expect(mistakesOf(`${TEN_LINES}objects: [{apiVersion: v1, kind: Secret}]`)).toEqual([
      'topology.yaml:11: objects[0].metadata is missing',
    ])
    expect(mistakesOf(`system: test\nservices: {${'a'.repeat(64)}: {}}`)[0]).toContain(
      'Kubernetes does not take',
    )
    expect(mistakesOf('system: test\nservices: {A_b: }')[0]).toContain('services.A_b must be a map')
  })
})
