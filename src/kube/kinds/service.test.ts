import type { LoadBalancerIngress, Service, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../kit/index.ts'
import type { Stored } from '../meta/index.ts'
import { services } from './service.ts'

const service = (spec: ServiceSpec): Stored<Service> => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default', uid: '1', resourceVersion: '1', creationTimestamp: '' },
  spec,
  status: {},
})

/** As the write path would have it: defaulted and prepared. */
const created = (spec: ServiceSpec): Stored<Service> => {
  const draft = service(spec)
  services.defaults!(draft)
  services.prepareCreate!(draft, { now: 0 })
  return draft
}

const findings = (object: Stored<Service>, old?: Stored<Service>): string[] =>
  services.validate!(object, old).map(({ field, message }) => `${field}: ${message}`)

describe('defaults of Services', () => {
  it('follow the type', () => {
    expect(created({ ports: [{ port: 80 }], selector: { app: 'web' } }).spec).toEqual({
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      selector: { app: 'web' },
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    })
    expect(created({ type: 'LoadBalancer', ports: [{ port: 80 }] }).spec).toMatchObject({
      externalTrafficPolicy: 'Cluster',
      allocateLoadBalancerNodePorts: true,
    })
    expect(created({ type: 'ExternalName', externalName: 'a.b' }).spec).toEqual({
      type: 'ExternalName',
      externalName: 'a.b',
      sessionAffinity: 'None',
    })
    expect(created({ clusterIP: 'None' }).spec).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    })
    expect(created({ sessionAffinity: 'ClientIP' }).spec.sessionAffinityConfig).toEqual({
      clientIP: { timeoutSeconds: 10_800 },
    })
  })
})

describe('validation of Services', () => {
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
  ])('%j', (spec, expected) => {
    expect(findings(created(spec))).toEqual(expected)
  })
})

describe('updates of Services', () => {
  const stored = deepFreeze({
    ...created({
      type: 'NodePort',
      selector: { a: 'b' },
      ports: [{ name: 'http', port: 80, nodePort: 30_001 }],
    }),
  })
  const old = deepFreeze({
    ...stored,
    spec: { ...stored.spec, clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'] },
  })

  const updated = (spec: ServiceSpec): Stored<Service> => {
    const draft = service(spec)
    services.defaults!(draft)
    services.prepareUpdate!(draft, old, { now: 0 })
    return draft
  }

  it('keep what was allocated where the client says nothing of it', () => {
    const { spec } = updated({
      type: 'NodePort',
      selector: { a: 'c' },
      ports: [{ name: 'http', port: 8080 }],
    })
    expect(spec).toMatchObject({ clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'] })
    expect(spec.ports![0]).toMatchObject({ port: 8080, nodePort: 30_001 })
  })

  it('drop node ports with the type that needed them', () => {
    const next = updated({
      ...old.spec,
      ports: [{ name: 'http', port: 80, nodePort: 30_001 }],
      type: 'ClusterIP',
    })
    expect(next.spec.ports![0]).not.toHaveProperty('nodePort')
    expect(next.spec).not.toHaveProperty('externalTrafficPolicy')
    expect(findings(next, old)).toEqual([])
  })

  it('may not change the address', () => {
    const next = updated({ ...old.spec, clusterIP: '10.96.0.10' })
    expect(findings(next, old)).toEqual([
      'spec.clusterIPs[0]: Invalid value: []string{"10.96.0.10"}: may not change once set',
    ])
  })
})

describe('what a load balancer reports', () => {
  const reported = (ingress: LoadBalancerIngress[], type = 'LoadBalancer'): Stored<Service> => {
    const draft = { ...service({ type }), status: deepFreeze({ loadBalancer: { ingress } }) }
    services.completeStatus!(draft)
    return draft
  }
  const statusFindings = (object: Stored<Service>): string[] =>
    services.validateStatus!(object, object).map(({ field, message }) => `${field}: ${message}`)

  it('is an address of its own unless it says otherwise', () => {
    const { status } = reported([{ ip: '1.2.3.4' }, { ip: '1.2.3.5', ipMode: 'Proxy' }, { hostname: 'a.io' }])
    expect(status.loadBalancer).toEqual({
      ingress: [{ ip: '1.2.3.4', ipMode: 'VIP' }, { ip: '1.2.3.5', ipMode: 'Proxy' }, { hostname: 'a.io' }],
    })
  })

  it('must be addresses and names of hosts', () => {
    expect(statusFindings(reported([{ ip: '1.2.3.4' }, { hostname: 'a.io' }]))).toEqual([])
    expect(
      statusFindings(
        reported([{ ip: 'x' }, { hostname: '1.2.3.4', ipMode: 'VIP' }, { ip: '::1', ipMode: 'A' }]),
      ),
    ).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'status.loadBalancer.ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set',
      'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
      'status.loadBalancer.ingress[2].ipMode: Unsupported value: "A": supported values: "Proxy", "VIP"',
    ])
    expect(statusFindings(reported([{ ip: '1.2.3.4' }], 'ClusterIP'))).toEqual([
      'status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is LoadBalancer',
    ])
  })
})
