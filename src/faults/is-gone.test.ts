/** Proves of causes in objects that other right answers count as well, and that another wrong one does not. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, FaultTarget, ObjectsView, Scene, SystemView } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
import { loadFault } from './index.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
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
}

const isGone = async (
  { fault, system, target, params = {}, state = {} }: Asked,
  now: readonly ApiObject[],
): Promise<boolean> => {
  const baseline = toView(system.objects)
  const scene: Scene = {
    ...{ system, target, params, state, facts: {} },
    ...{ baseline, injected: baseline, now: toView(now) },
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
