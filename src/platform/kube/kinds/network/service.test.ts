/** Tests Services: defaults, validation, updates and load balancer status. */
import type { LoadBalancerIngress, Service, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '#kit'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { services } from './service.ts'

const draftService = (spec: ServiceSpec): Stored<Service> => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default', uid: '1', resourceVersion: '1', creationTimestamp: '' },
  spec,
  status: {},
})

/** Returns a Service as the API server creates it, with defaults. */
const createService = (spec: ServiceSpec): Stored<Service> => {
  const draft = draftService(spec)
  services.defaults!(draft)
  services.prepareCreate!(draft, { now: 0 })
  return draft
}

const errorsOf = (object: Stored<Service>, old?: Stored<Service>): string[] =>
  errorTexts(services.validate!(object, old))

describe('Service defaults', () => {
  it('depend on the type', () => {
    expect(createService({ ports: [{ port: 80 }], selector: { app: 'web' } }).spec).toEqual({
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      selector: { app: 'web' },
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    })
    expect(createService({ type: 'LoadBalancer', ports: [{ port: 80 }] }).spec).toMatchObject({
      externalTrafficPolicy: 'Cluster',
      allocateLoadBalancerNodePorts: true,
    })
    expect(createService({ type: 'ExternalName', externalName: 'a.b' }).spec).toEqual({
      type: 'ExternalName',
      externalName: 'a.b',
      sessionAffinity: 'None',
    })
    expect(createService({ clusterIP: 'None' }).spec).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    })
    expect(createService({ sessionAffinity: 'ClientIP' }).spec.sessionAffinityConfig).toEqual({
      clientIP: { timeoutSeconds: 10_800 },
    })
  })
})

describe('Service validation', () => {
  it.each<[ServiceSpec, string[]]>([
    [{}, ['spec.ports: Required value']],
    [{ clusterIP: 'None' }, []],
    [{ type: 'ExternalName' }, ['spec.externalName: Required value']],
    [
      { type: 'Wrong', ports: [{ port: 1 }] },
      [
        'spec.type: Unsupported value: "Wrong": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    [
      { ports: [{ port: 0, targetPort: 1 }] },
      ['spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    ],
    [
      { ports: [{ port: 80, targetPort: 'too_long' }] },
      [
        'spec.ports[0].targetPort: Invalid value: "too_long": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      ],
    ],
    [
      { ports: [{ port: 80 }, { port: 81 }] },
      ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
    ],
    [
      {
        ports: [
          { name: 'a', port: 80 },
          { name: 'a', port: 81 },
        ],
      },
      ['spec.ports[1].name: Duplicate value: "a"'],
    ],
    [
      { ports: [{ port: 80, nodePort: 30000 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      { ports: [{ port: 80, protocol: 'ICMP' }] },
      ['spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'],
    ],
    [
      { ports: [{ port: 80 }], externalTrafficPolicy: 'Local' },
      [
        'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
      ],
    ],
    [
      { ports: [{ port: 80 }], clusterIP: 'x' },
      [
        'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
    [
      { type: 'NodePort', clusterIP: 'None', ports: [{ port: 80 }] },
      ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services'],
    ],
  ])('returns the errors of %j', (spec, expected) => {
    expect(errorsOf(createService(spec))).toEqual(expected)
  })
})

describe('Service updates', () => {
  const stored = deepFreeze({
    ...createService({
      type: 'NodePort',
      selector: { a: 'b' },
      ports: [{ name: 'http', port: 80, nodePort: 30_001 }],
    }),
  })
  const old = deepFreeze({
    ...stored,
    spec: { ...stored.spec, clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'] },
  })

  const updateOld = (spec: ServiceSpec): Stored<Service> => {
    const draft = draftService(spec)
    services.defaults!(draft)
    services.prepareUpdate!(draft, old, { now: 0 })
    return draft
  }

  it('keep allocated values that the client omits', () => {
    const { spec } = updateOld({
      type: 'NodePort',
      selector: { a: 'c' },
      ports: [{ name: 'http', port: 8080 }],
    })
    expect(spec).toMatchObject({ clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'] })
    expect(spec.ports![0]).toMatchObject({ port: 8080, nodePort: 30_001 })
  })

  it('drop node ports if the new type does not use them', () => {
    const next = updateOld({
      ...old.spec,
      ports: [{ name: 'http', port: 80, nodePort: 30_001 }],
      type: 'ClusterIP',
    })
    expect(next.spec.ports![0]).not.toHaveProperty('nodePort')
    expect(next.spec).not.toHaveProperty('externalTrafficPolicy')
    expect(errorsOf(next, old)).toEqual([])
  })

  it('must not change the cluster IP', () => {
    const next = updateOld({ ...old.spec, clusterIP: '10.96.0.10' })
    expect(errorsOf(next, old)).toEqual([
      'spec.clusterIPs[0]: Invalid value: []string{"10.96.0.10"}: may not change once set',
    ])
  })
})

describe('load balancer status', () => {
  const withIngress = (ingress: LoadBalancerIngress[], type = 'LoadBalancer'): Stored<Service> => {
    const draft = { ...draftService({ type }), status: deepFreeze({ loadBalancer: { ingress } }) }
    services.completeStatus!(draft)
    return draft
  }
  const statusErrorsOf = (object: Stored<Service>): string[] =>
    errorTexts(services.validateStatus!(object, object))

  it('defaults ipMode to VIP', () => {
    const { status } = withIngress([
      { ip: '1.2.3.4' },
      { ip: '1.2.3.5', ipMode: 'Proxy' },
      { hostname: 'a.io' },
    ])
    expect(status.loadBalancer).toEqual({
      ingress: [{ ip: '1.2.3.4', ipMode: 'VIP' }, { ip: '1.2.3.5', ipMode: 'Proxy' }, { hostname: 'a.io' }],
    })
  })

  it('rejects invalid addresses, host names and modes', () => {
    expect(statusErrorsOf(withIngress([{ ip: '1.2.3.4' }, { hostname: 'a.io' }]))).toEqual([])
    expect(
      statusErrorsOf(
        withIngress([{ ip: 'x' }, { hostname: '1.2.3.4', ipMode: 'VIP' }, { ip: '::1', ipMode: 'A' }]),
      ),
    ).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'status.loadBalancer.ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set',
      'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
      'status.loadBalancer.ingress[2].ipMode: Unsupported value: "A": supported values: "Proxy", "VIP"',
    ])
    expect(statusErrorsOf(withIngress([{ ip: '1.2.3.4' }], 'ClusterIP'))).toEqual([
      'status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is LoadBalancer',
    ])
  })
})
