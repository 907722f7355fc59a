/** Tests the defaults of a topology, and the locations of the mistakes that are reported. */
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

/** Returns a topology with this service as `cart`, and other services that it can call. */
const withCart = (service: string): string => `system: test
services:
  cart:
${service.replace(/^/gm, '    ').trimEnd()}
  orders:
    endpoints:
      GET /orders/{id}: {reply: request.params.id}
      POST /orders:
      ANY /files/{rest...}:
  prices: {protocol: grpc, endpoints: {GetPrice: {reply: 1}}}
  redis-cart: {protocol: redis}
  queue: {protocol: amqp}
`

const mistakesOf = (text: string): string[] => {
  try {
    parseTopology(text, 'topology.yaml')
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

describe('a topology of ten lines', () => {
  const topology = parseTopology(TEN_LINES, 'topology.yaml')
  const { front, back } = topology.services

  it('is a complete system', () => {
    expect(topology).toMatchObject({
      system: 'tiny',
      namespace: 'tiny',
      entryPoints: [{ name: 'front', service: 'front', port: 8080, path: '/' }],
    })
    expect(front?.behaviour).toMatchObject({ protocol: 'http', listen: '8080', upstreams: { back: {} } })
    expect(back?.deploy).toMatchObject({
      image: 'tiny/back:1.0.0',
      ports: [8080],
      labels: { app: 'back' },
      readinessProbe: { tcpSocket: { port: 8080 } },
      services: [{ name: 'back', spec: { selector: { app: 'back' }, ports: [{ port: 8080 }] } }],
    })
  })

  it('has a good older release, and bad ones whose tags reveal nothing', () => {
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

describe('a service', () => {
  it('overrides its templates, which are merged deeply', () => {
    const { services } = parseTopology(
      `system: test
templates:
  any: {logFormat: plain, deploy: {env: {A: '1', B: '1'}, sidecars: [{name: one, image: a}]}}
  go: {template: any, protocol: grpc, rpc: shop.Cart, deploy: {env: {B: '2', PORT: 7070}}}
services:
  cart: {template: go, listen: int(env.PORT), endpoints: {Get: }, deploy: {env: {A: '3'}, sidecars: [{name: two, image: a}]}}
`,
      'topology.yaml',
    )
    expect(services.cart?.behaviour).toMatchObject({ protocol: 'grpc', rpc: 'shop.Cart', logFormat: 'plain' })
    expect(services.cart?.deploy).toMatchObject({
      env: { A: '3', B: '2', PORT: '7070' },
      sidecars: [{ name: 'two' }],
      ports: [7070],
    })
  })

  it('can be in a separate file', () => {
    const serviceFiles = {
      back: { file: 'services/back.yaml', text: 'endpoints: {GET /time: {reply: tome}}' },
    }
    const front = `${TEN_LINES.slice(0, TEN_LINES.indexOf('  back:'))}`
    expect(() => parseTopology(front, 'topology.yaml', serviceFiles)).toThrow(
      'services/back.yaml:1: endpoints."GET /time".reply uses "tome", which is not defined here',
    )
    expect(() => parseTopology(TEN_LINES, 'topology.yaml', serviceFiles)).toThrow(
      'services/back.yaml:1: the document defines the service "back", which the topology already defines',
    )
  })

  it('can disable its readiness probe and declare releases', () => {
    const { services } = parseTopology(
      withCart('deploy: {image: shop/cart:v2.1, readinessProbe: false, releases: {v2.0: }}'),
      'topology.yaml',
    )
    expect(services.cart?.deploy.readinessProbe).toBeUndefined()
    expect(services.cart?.deploy).toMatchObject({ image: 'shop/cart:v2.1', releases: { 'v2.0': {} } })
  })
})

describe('mistakes', () => {
  it('say where a misplaced field of a service belongs', () => {
    expect(() => parseTopology('system: shop\nendpoints: {}\nservices: {a: }', 'topology.yaml')).toThrow(
      'topology.yaml:2: endpoints is not a known field here; it belongs under "services.NAME"',
    )
  })

  it.each<[string, string, string]>([
    ['an unknown field', 'colour: red', '4: services.cart.colour is not a known field'],
    [
      'a field of "deploy"',
      'replicas: 2',
      '4: services.cart.replicas is not a known field here; it belongs under "deploy"',
    ],
    [
      'a field of another part of the service',
      'deploy: {cpuMs: 2}',
      '4: services.cart.deploy.cpuMs is not a known field here; it belongs under "work"',
    ],
    [
      'a field of the service in "deploy"',
      'deploy: {endpoints: {}}',
      '4: services.cart.deploy.endpoints is not a known field here; it belongs next to "deploy"',
    ],
    [
      'a field of the topology in a service',
      'entryPoints: []',
      '4: services.cart.entryPoints is not a known field here; it belongs next to "services"',
    ],
    [
      'a field that belongs in either of two places',
      'cpu: 100m',
      'services.cart.cpu is not a known field here; it belongs under "deploy.resources.requests" or under "deploy.resources.limits"',
    ],
    [
      'a mistyped field',
      'endpionts: {}',
      '4: services.cart.endpionts is not a known field; did you mean "endpoints"?',
    ],
    [
      'a field of another kind of step',
      'start: [{log: 1, timeout: 2}]',
      'start[0].timeout is not a known field of this kind',
    ],
    [
      'a mistyped field of a step',
      'start: [{call: orders POST /orders, sned: 1}]',
      'start[0].sned is not a known field; did you mean "send"?',
    ],
    [
      'a field of a step in its endpoint',
      'endpoints: {GET /: {call: orders POST /orders}}',
      'endpoints."GET /".call is not a known field here; it belongs under "steps[]"',
    ],
    [
      'an unknown service',
      'start:\n- {query: redis-crat, redis: [1]}',
      '5: services.cart.start[0].query names "redis-crat", which is not a service; did you mean "redis-cart"?',
    ],
    [
      'a path that is not served',
      'start:\n- call: orders GET /order/x',
      '5: services.cart.start[0].call calls GET /order/x, which "orders" does not serve',
    ],
    [
      'a method that is not served',
      'start: [{call: prices GetPrise}]',
      '4: services.cart.start[0].call calls GetPrise, which "prices" does not serve; did you mean "GetPrice"?',
    ],
    [
      'a path for an RPC service',
      'start: [{call: prices GET /x}]',
      'needs a method name, because "prices" speaks grpc',
    ],
    [
      'a method name for an HTTP service',
      'start: [{call: orders Get}]',
      'needs a method and a path, because "orders" speaks http',
    ],
    [
      'a call to a store',
      'start: [{call: redis-cart Get}]',
      'calls "redis-cart", which speaks redis: use "query"',
    ],
    [
      'a command of another store',
      'start: [{query: redis-cart, sql: SELECT 1}]',
      'start[0].sql is not a command of "redis-cart"',
    ],
    ['two commands', 'start: [{query: redis-cart, sql: a, mongo: b}]', 'must have one of sql, redis'],
    [
      'a missing path value',
      'start: [{call: "orders GET /orders/{id}"}]',
      'needs a value for {id} in "path"',
    ],
    [
      'an unused path value',
      'start: [{call: orders GET /orders/1, path: {id: "1"}}]',
      'start[0].path.id has no placeholder {id}',
    ],
    [
      'a query of an undeclared store',
      'start: [{query: db, sql: SELECT ?}]\nupstreams: {db: }',
      'start[0].query names "db", which is not a service',
    ],
    [
      'a dead upstream',
      'upstreams: {orders: {dead: true}}\nstart: [{call: orders POST /orders}]',
      'declares dead',
    ],
    ['an unknown upstream', 'upstreams: {order: }', 'upstreams.order names "order", which is not a service'],
    [
      'a registry that is an ordinary service',
      'register: {in: orders}',
      'needs a service that speaks nacos or consul',
    ],
    [
      'a broker that is an ordinary service',
      'consumes: {q: {from: orders, steps: []}}',
      'needs a service that speaks amqp',
    ],
    ['a proxy to an RPC service', 'start: [{proxy: prices}]', 'needs a service that speaks http'],
    [
      'an invalid expression',
      'listen: int(env.PORT',
      '4: services.cart.listen is not a valid expression: column 13 of `int(env.PORT`: expected ")", found the end',
    ],
    [
      'an undefined name',
      'endpoints: {GET /: {reply: requst.path}}',
      'uses "requst", which is not defined here; did you mean "request"?',
    ],
    ['a name used before it is set', 'start: [{log: late}, {set: {late: 1}}]', 'start[0].log uses "late"'],
    ['an element outside its loop', 'start: [{each: "[1]", log: it}, {log: it}]', 'start[1].log uses "it"'],
    ['a step of two kinds', 'start: [{log: 1, do: []}]', 'start[0] must have one of call, query, proxy'],
    [
      'an unknown field of a step',
      'start: [{do: [{log: 1, colour: 2}]}]',
      'start[0].do[0].colour is not a known field',
    ],
    [
      'a name that another parallel step sets',
      'start: [{parallel: [{set: {x: 1}}, {log: x}]}]',
      'start[0].parallel[1].log uses "x"',
    ],
    ['a reserved name', 'start: [{set: {env: 1}}]', 'start[0].set.env is "env", which is a reserved name'],
    [
      'a keyword as a name',
      'start: [{set: {in: 1}}]',
      'start[0].set.in is not a valid name: must not be a reserved word',
    ],
    [
      'a memory command for another store',
      'start: [{query: memry, memory: [1]}]',
      'start[0].query must be "memory"',
    ],
    ['an unclosed brace', 'endpoints: {"GET /{a": }', 'has "{a", which is neither text nor {name}'],
    [
      'a rest parameter in the middle',
      'endpoints: {"GET /{a...}/b": }',
      'can have {name...} only at its end',
    ],
    ['a duplicate parameter', 'endpoints: {"GET /{a}/{a}": }', 'has {a} twice'],
    ['endpoints of a store', 'protocol: redis\nendpoints: {Get: }', 'endpoints cannot be served by redis'],
    ['an invalid route', 'endpoints: {/x: }', 'endpoints."/x" must be a method and a path'],
    [
      'overlapping routes',
      'endpoints: {"GET /x/{a}": , "GET /x/{b}": }',
      'matches the same requests as "GET /x/{a}"',
    ],
    ['an invalid RPC method', 'protocol: grpc\nendpoints: {GET /x: }', 'must be a method name: "GetCart"'],
    [
      'an unknown defect',
      'deploy: {releases: {v2: {defects: [{kind: slow-loop}]}}}',
      'defects[0].kind must be one of',
    ],
    [
      'an unknown endpoint of a defect',
      'deploy: {releases: {v2: {defects: [{kind: failing-endpoint, endpoint: GET /x}]}}}',
      'names "GET /x", which is not an endpoint',
    ],
    ['a template that is not a name', 'template: {a: b}', 'template must be the name of a template'],
    ['a port above 65535', 'deploy: {ports: [70000]}', 'deploy.ports[0] must be at most 65535, not 70000'],
    [
      'an image digest',
      'deploy: {image: "a@sha256:0"}',
      'deploy.image must be the name of an image, with a tag',
    ],
    [
      'invalid ports of a Service',
      'deploy: {services: [{name: a, spec: {ports: 80}}]}',
      'deploy.services[0].spec.ports must be a list, not 80',
    ],
    ['an incomplete reference', 'deploy: {env: {A: {secret: s}}}', 'deploy.env.A.key is missing'],
    ['an unknown template', 'template: go', 'services.cart.template names "go", which is not a template'],
    [
      'a port that depends on a file',
      'listen: config.port',
      'does not evaluate to a port, 1 to 65535, from the environment alone',
    ],
    [
      'a duplicate Service',
      'deploy: {services: [{name: orders, spec: {ports: []}}]}',
      'has a Service "orders", which "cart" also has',
    ],
  ])('are reported for %s', (_, service, expected) => {
    expect(mistakesOf(withCart(service)).join('\n')).toContain(expected)
  })

  it('are reported once for templates, at their location', () => {
    const withTemplates = (templates: string): string => `system: test
templates:
${templates}
services:
  a: {template: one}
  b: {template: one}
`
    expect(mistakesOf(withTemplates('  one: {protocol: tcp}'))).toEqual([
      expect.stringMatching(/^topology\.yaml:3: templates\.one\.protocol must be one of http, grpc/),
    ])
    expect(mistakesOf(withTemplates('  one: {template: two}\n  two: {template: one}'))).toEqual([
      'topology.yaml:4: templates.two.template "one" includes itself',
    ])
  })

  it('are reported in entry points', () => {
    const withEntryPoint = (entry: string): string => `${TEN_LINES}entryPoints: [${entry}]\n`
    expect(mistakesOf(withEntryPoint('{name: a, service: frnt, port: 8080}'))).toEqual([
      'topology.yaml:11: entryPoints[0].service names "frnt", which is not a Service; did you mean "front"?',
    ])
    expect(mistakesOf(withEntryPoint('{name: a, service: front, port: 80}'))).toEqual([
      'topology.yaml:11: entryPoints[0].port is 80, but the Service "front" has 8080',
    ])
  })

  it('are reported in the fields of the topology itself', () => {
    expect(mistakesOf('system: Big\nabout: small.\nservices: {}')).toEqual([
      'topology.yaml:1: system must consist of lower-case letters, digits and -, start with a letter and not end with -',
      'topology.yaml:2: about must start with a capital letter and not end with a full stop',
    ])
    expect(mistakesOf('system: test')).toEqual(['topology.yaml:1: the document has no services'])
    expect(mistakesOf(`${TEN_LINES}namespace: A_b`)).toEqual([
      'topology.yaml:11: namespace must consist of lower-case letters, digits and -, start with a letter and not end with -',
    ])
    expect(mistakesOf(`${TEN_LINES}objects: [{apiVersion: v1, kind: Secret}]`)).toEqual([
      'topology.yaml:11: objects[0].metadata is missing',
    ])
    expect(mistakesOf(`system: test\nservices: {${'a'.repeat(64)}: {}}`)[0]).toContain(
      'not valid in Kubernetes',
    )
    expect(mistakesOf('system: test\nservices: {A_b: }')[0]).toContain('services.A_b must be a map')
  })
})
