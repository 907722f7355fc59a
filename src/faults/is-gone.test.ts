/** Proves of causes in objects that other right answers count as well, and that another wrong one does not. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, FaultTarget, ObjectsView, Scene, SystemView } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
import { loadFault } from './index.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const simple = createSystemView(await loadSystem('simple-micro'))
const tickets = createSystemView(await loadSystem('train-ticket'))
const [tokenReader] = (await loadFault('token-expired')).targets(tickets)

const toView = (objects: readonly ApiObject[]): ObjectsView => ({
  get: (kind, name) => objects.find((one) => one.kind === kind && one.metadata.name === name),
  list: (kind) => objects.filter((one) => one.kind === kind),
})

type Container = Record<string, unknown> & { env?: { name: string; value?: string }[] }

/** The deployed objects with the first container of one service changed. */
const withContainer = (
  system: SystemView,
  service: string,
  change: (container: Container, podSpec: Record<string, unknown>) => void,
): readonly ApiObject[] =>
  system.objects.map((object) => {
    if (object !== system.workloadOf(service).manifest) return object
    const copy = structuredClone(object)
    const { spec } = (copy.spec as { template: { spec: { containers: Container[] } } }).template
    change(spec.containers[0]!, spec)
    return copy
  })

const setVariable =
  (name: string, value: string) =>
  (container: Container): void => {
    container.env = [...(container.env ?? []).filter((one) => one.name !== name), { name, value }]
  }

const withObject = (
  system: SystemView,
  kind: string,
  name: string,
  change: (object: ApiObject) => void,
): readonly ApiObject[] =>
  system.objects.map((object) => {
    if (object.kind !== kind || object.metadata.name !== name) return object
    const copy = structuredClone(object)
    change(copy)
    return copy
  })

interface Asked {
  readonly fault: string
  readonly system: SystemView
  readonly target: FaultTarget
  readonly params?: Record<string, number | string>
  readonly state?: Record<string, unknown>
  readonly facts?: Record<string, unknown>
  readonly injected?: readonly ApiObject[]
  /** As the system is deployed where absent. */
  readonly baseline?: readonly ApiObject[]
}

const isGone = async (
  { fault, system, target, params = {}, state = {}, facts = {}, injected, baseline }: Asked,
  now: readonly ApiObject[],
): Promise<boolean> => {
  const before = toView(baseline ?? system.objects)
  const scene: Scene = {
    ...{ system, target, params, state, facts },
    ...{ baseline: before, injected: injected === undefined ? before : toView(injected), now: toView(now) },
  }
  return (await loadFault(fault)).isGone(scene).holds
}

describe('a wrong address', () => {
  const target = {
    ...{ service: 'frontend', variable: 'CART_SERVICE_ADDR' },
    ...{ upstream: 'cartservice', value: 'cartservice:7070' },
  }
  it.each([
    ['address-wrong', 'cartservice:7070', true],
    ['address-wrong', `cartservice.${boutique.namespace}.svc.cluster.local:7070`, true],
    ['address-wrong', `cartservice.${boutique.namespace}:7070`, true],
    ['address-wrong', 'cartservice-svc:7070', false],
    ['address-wrong', 'cartservice.staging:7070', false],
    ['address-wrong', 'another:7070', false],
    ['port-wrong', 'cartservice:7070', true],
    ['port-wrong', 'cartservice:7079', false],
  ])('%s: %s', async (fault, value, holds) => {
    const now = withContainer(boutique, 'frontend', setVariable('CART_SERVICE_ADDR', value))
    expect(await isGone({ fault, system: boutique, target }, now)).toBe(holds)
  })
})

describe('a limit that was squeezed', () => {
  const asked = {
    ...{ fault: 'limits-squeezed', system: boutique },
    target: { service: 'cartservice', resource: 'cpu' },
  }
  const deployed = boutique.workloadOf('cartservice').podSpec.containers[0]!.resources!.limits!
  const milli = Number.parseInt(deployed.cpu!, 10)
  it.each([
    [`${milli}m`, true],
    [String(milli / 1000), true],
    [`${1.5 * milli}m`, true],
    [`${5 * milli}m`, false],
    [`${milli - 1}m`, false],
    [undefined, false],
  ])('is back at %s: %s', async (cpu, holds) => {
    const now = withContainer(boutique, 'cartservice', (container) => {
      container.resources = { limits: { ...deployed, cpu } }
    })
    expect(await isGone(asked, now)).toBe(holds)
  })
})

describe('a claim that is missing', () => {
  const asked = { fault: 'claim-missing', system: boutique, target: { service: 'cartservice' } }
  const claiming = withContainer(boutique, 'cartservice', (_container, podSpec) => {
    podSpec.volumes = [{ name: 'data-volume', persistentVolumeClaim: { claimName: 'cartservice-data' } }]
  })
  const claim = (name: string): ApiObject => ({
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
    metadata: { name, namespace: boutique.namespace },
  })

  it('is still missed, unless the template does without or somebody makes it', async () => {
    expect(await isGone(asked, claiming)).toBe(false)
    expect(await isGone(asked, [...claiming, claim('another')])).toBe(false)
    expect(await isGone(asked, [...claiming, claim('cartservice-data')])).toBe(true)
    expect(await isGone(asked, boutique.objects)).toBe(true)
  })
})

describe('a target port', () => {
  const asked = {
    ...{ fault: 'target-port-wrong', system: boutique },
    target: { service: 'cartservice', object: 'cartservice' },
  }
  it.each([
    [7070, true],
    [7071, false],
    [9, false],
  ])('of %s is right: %s', async (targetPort, holds) => {
    const now = withObject(boutique, 'Service', 'cartservice', ({ spec }) => {
      ;(spec as { ports: { targetPort?: unknown }[] }).ports[0]!.targetPort = targetPort
    })
    expect(await isGone(asked, now)).toBe(holds)
  })

  it('is not right where the Service is gone', async () => {
    const now = boutique.objects.filter(({ kind }) => kind !== 'Service')
    expect(await isGone(asked, now)).toBe(false)
  })
})

describe('the greatest age of tokens', () => {
  it.each([
    ['1', false],
    ['2', false],
    ['3600', true],
    ['86400', true],
    ['3153600000', false],
  ])('of %s s is right: %s', async (seconds, holds) => {
    const now = withContainer(tickets, tokenReader!.service, setVariable('JWT_MAX_AGE', seconds))
    expect(await isGone({ fault: 'token-expired', system: tickets, target: tokenReader! }, now)).toBe(holds)
  })
})

describe('a probe that asks in the wrong way', () => {
  const asked = {
    ...{ fault: 'liveness-kills', system: boutique, target: { service: 'frontend' } },
    params: { way: 'port', period: 1 },
  }
  const { livenessProbe, ports } = boutique.workloadOf('frontend').podSpec.containers[0]! as unknown as {
    livenessProbe: { httpGet: { path: string; port: number } }
    ports: readonly { containerPort: number }[]
  }
  const own = ports[0]!.containerPort
  it.each([
    [livenessProbe, true],
    [{ ...livenessProbe, periodSeconds: 15 }, true],
    [{ ...livenessProbe, periodSeconds: 3600 }, false],
    [{ ...livenessProbe, failureThreshold: 1000 }, false],
    [{ httpGet: { ...livenessProbe.httpGet, path: '/static/icons/Hipster_Favicon.ico' } }, false],
    [{ exec: { command: ['true'] }, periodSeconds: 3600 }, false],
    [{ tcpSocket: { port: own } }, false],
    [{ tcpSocket: { port: Math.max(8080, own) + 1 }, periodSeconds: 3600 }, false],
    [undefined, false],
  ])('%j is right: %s', async (probe, holds) => {
    const now = withContainer(boutique, 'frontend', (container) => {
      container.livenessProbe = probe
    })
    expect(await isGone(asked, now)).toBe(holds)
  })

  it.each([
    [undefined, true],
    [{ tcpSocket: { port: 8080 } }, false],
    [{ exec: { command: ['true'] } }, false],
  ])('%j is right where there was none: %s', async (probe, holds) => {
    const service = tickets.workloads.find(
      ({ podSpec }) => podSpec.containers[0]!.livenessProbe === undefined && podSpec.containers[0]!.ports,
    )!.service
    const now = withContainer(tickets, service, (container) => {
      container.livenessProbe = probe
    })
    const target = { service }
    expect(await isGone({ ...asked, system: tickets, target }, now)).toBe(holds)
  })
})

describe('batch work that takes the nodes', () => {
  const { podSpec } = boutique.workloadOf('cartservice')
  const wanted = Number.parseInt(podSpec.containers[0]!.resources!.requests!.cpu!, 10)
  const asked = {
    ...{
      fault: 'node-pressure',
      system: boutique,
      target: { service: 'cartservice' },
      params: { spare: 20 },
    },
    state: { shards: [0, 1].map((index) => ({ name: `report-${index}`, node: `n${index}`, cpu: 7970 })) },
  }
  const shard = (name: string, node: string | undefined, cpu: number, replicas = 1): ApiObject => ({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
    spec: {
      replicas,
      template: {
        spec: {
          ...(node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }),
          containers: [{ name: 'report', image: 'a', resources: { requests: { cpu: `${cpu}m` } } }],
        },
      },
    },
  })
  it.each<[string, boolean, ApiObject[]]>([
    ['deleted', true, []],
    ['left', false, [shard('report-0', 'n0', 7970), shard('report-1', 'n1', 7970)]],
    ['a thousandth smaller', false, [shard('report-0', 'n0', 7969), shard('report-1', 'n1', 7969)]],
    ['as small as needed', true, [shard('report-0', 'n0', 7970), shard('report-1', 'n1', 7970 - wanted)]],
    ['scaled to nothing', true, [shard('report-0', 'n0', 7970, 0), shard('report-1', 'n1', 7970, 0)]],
    ['made again by another name', false, [shard('more', undefined, 7970)]],
  ])('is %s: %s', async (_what, holds, newcomers) => {
    const now = withContainer(boutique, 'cartservice', (container) => {
      container.resources = { requests: { cpu: '1m' } }
    })
    expect(await isGone(asked, [...now, ...newcomers])).toBe(holds)
  })
})

describe('the ceiling of an autoscaler', () => {
  const asked = {
    ...{ fault: 'autoscaler-ceiling', system: simple, target: { service: 'hello-service' } },
    state: { name: 'hello-service', ceiling: 1 },
  }
  const cut = withContainer(simple, 'hello-service', (container) => {
    container.resources = { limits: { cpu: '40m' }, requests: { cpu: '40m' } }
  })
  const autoscaler = (spec: object): ApiObject => ({
    ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'hello-service' } },
    spec: {
      ...{ scaleTargetRef: { kind: 'Deployment', name: 'hello-service' }, metrics: [{ type: 'Resource' }] },
      ...{ minReplicas: 1, maxReplicas: 1, ...spec },
    },
  })
  const injected = [...cut, autoscaler({})]
  const nobody = { kind: 'Deployment', name: 'nobody' }
  it.each<[string, boolean, readonly ApiObject[]]>([
    ['is raised', true, [...cut, autoscaler({ minReplicas: 4, maxReplicas: 8 })]],
    ['is left', false, injected],
    ['is raised over nobody', false, [...cut, autoscaler({ maxReplicas: 2, scaleTargetRef: nobody })]],
    ['is raised, and nothing measured', false, [...cut, autoscaler({ maxReplicas: 8, metrics: [] })]],
    ['is gone, and the pods small', false, cut],
    ['is gone with the small pods', true, simple.objects],
    [
      'is left over nobody beside large pods',
      false,
      [...simple.objects, autoscaler({ scaleTargetRef: nobody })],
    ],
  ])('%s: %s', async (_what, holds, now) => {
    expect(await isGone({ ...asked, injected }, now)).toBe(holds)
  })
})

describe('a policy that denies', () => {
  const asked = { fault: 'network-policy-denies', system: simple, target: { service: 'time-service' } }
  const policy = (spec: object): ApiObject => ({
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'p' } },
    spec: { podSelector: { matchLabels: { app: 'time-service' } }, policyTypes: ['Ingress'], ...spec },
  })
  const ofCaller = { podSelector: { matchLabels: { app: 'hello-service' } }, policyTypes: ['Egress'] }
  it.each<[string, boolean, readonly ApiObject[]]>([
    ['gone', true, []],
    ['there', false, [policy({ ingress: [] })]],
    ['one for everybody', true, [policy({ ingress: [{}] })]],
    ['turned around', false, [policy({ policyTypes: ['Egress'], egress: [] })]],
    ['put over the caller instead', false, [policy({ ...ofCaller, egress: [] })]],
  ])('is %s: %s', async (_what, holds, policies) => {
    expect(await isGone(asked, [...simple.objects, ...policies])).toBe(holds)
  })
})

describe('a Secret', () => {
  const secret = (data: object): ApiObject => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data },
  })
  const target = { service: 'cartservice', secret: 'login', key: 'PASSWORD' }
  const right = { USER: 'sha256:a', PASSWORD: 'sha256:b' }
  const asked = { system: boutique, target, baseline: [secret(right)] }
  it.each(['secret-missing', 'secret-key-missing', 'secret-value-wrong'])(
    'of %s has what it had',
    async (fault) => {
      expect(await isGone({ fault, ...asked }, [secret(right)])).toBe(true)
      expect(await isGone({ fault, ...asked }, [secret({ ...right, MORE: 'sha256:d' })])).toBe(true)
      expect(await isGone({ fault, ...asked }, [secret({ ...right, PASSWORD: 'sha256:c' })])).toBe(false)
      expect(await isGone({ fault, ...asked }, [secret({ PASSWORD: 'sha256:b' })])).toBe(false)
      expect(await isGone({ fault, ...asked }, [])).toBe(false)
    },
  )
})
