/** Tests that causes are judged by the values that pods read and by allowed calls, not by object names. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, CauseSnapshot, SystemView } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadFault } from './index.ts'
import { type Container, isGone, setVariable, withContainer, withObject } from './testing/is-gone.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const hotel = createSystemView(await loadSystem('hotel-reservation'))
const tickets = createSystemView(await loadSystem('train-ticket'))

const find = (system: SystemView, kind: string, name: string): ApiObject =>
  system.objects.find((object) => object.kind === kind && object.metadata.name === name)!

const renamed = (object: ApiObject, name: string, change: object = {}): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, name },
  ...change,
})

describe('a corrected ConfigMap under a new name', async () => {
  const [target] = (await loadFault('config-value-wrong')).targets(hotel)
  const { service, map, file, path } = target as unknown as Record<string, string>
  const goneCase = { fault: 'config-value-wrong', system: hotel, target: target! }
  const deployed = find(hotel, 'ConfigMap', map!) as ApiObject & { data: Record<string, string> }
  const values = JSON.parse(deployed.data[file!]!) as Record<string, unknown>
  const withValue = (value: unknown): object => ({
    data: { ...deployed.data, [file!]: JSON.stringify({ ...values, [path!]: value }) },
  })
  const wrong = renamed(deployed, map!, withValue('nowhere:1'))

  /** The objects of the system, in which the service mounts another ConfigMap instead. */
  const objectsMounting = (name: string): readonly ApiObject[] =>
    withContainer(hotel, service!, (_container, podSpec) => {
      for (const volume of podSpec.volumes as { configMap?: { name: string } }[])
        if (volume.configMap !== undefined && volume.configMap.name === map) volume.configMap.name = name
    }).filter((object) => object !== deployed)

  it('is accepted next to the wrong one, or instead of it', async () => {
    const versioned = renamed(deployed, `${map}-7f9c2d`)
    expect(await isGone(goneCase, [...objectsMounting(versioned.metadata.name), wrong, versioned])).toBe(true)
    expect(await isGone(goneCase, [...objectsMounting(versioned.metadata.name), versioned])).toBe(true)
  })

  it('is not accepted if pods do not read it, or if it is wrong or incomplete', async () => {
    const versioned = renamed(deployed, `${map}-7f9c2d`)
    expect(await isGone(goneCase, [...objectsMounting(map!), wrong, versioned])).toBe(false)
    const { metadata } = versioned
    for (const data of [{}, { [file!]: JSON.stringify({ [path!]: values[path!] }) }])
      expect(
        await isGone(goneCase, [
          ...objectsMounting(metadata.name),
          renamed(versioned, metadata.name, { data }),
        ]),
      ).toBe(false)
    expect(await isGone(goneCase, [...objectsMounting(metadata.name), wrong])).toBe(false)
    expect(
      await isGone(goneCase, [
        ...objectsMounting(metadata.name),
        renamed(versioned, metadata.name, withValue('nowhere:1')),
      ]),
    ).toBe(false)
  })
})

describe('a Secret under a new name', async () => {
  const [target] = (await loadFault('secret-missing')).targets(tickets)
  const { service, secret } = target as unknown as Record<string, string>
  const deployed = find(tickets, 'Secret', secret!)
  const goneCase = { system: tickets, target: target! }

  /** The objects of the system, in which the service refers to another Secret instead. */
  const objectsReading = (name: string): readonly ApiObject[] =>
    withContainer(tickets, service!, (container) => {
      const text = JSON.stringify(container).replaceAll(`"name":"${secret}"`, `"name":"${name}"`)
      Object.assign(container, JSON.parse(text) as Container)
    }).filter((object) => object !== deployed)

  it.each(['secret-missing', 'secret-key-missing', 'secret-value-wrong'])(
    'repairs %s if pods read it and it has the former values',
    async (fault) => {
      const readers = tickets.workloads.filter(({ podSpec }) =>
        JSON.stringify(podSpec).includes(`"${secret}"`),
      )
      expect(readers.map((workload) => workload.service)).toEqual([service])
      const versioned = renamed(deployed, 'login-k2h5')
      expect(await isGone({ fault, ...goneCase }, [...objectsReading('login-k2h5'), versioned])).toBe(true)
      expect(await isGone({ fault, ...goneCase }, [...objectsReading(secret!), versioned])).toBe(false)
      const empty = renamed(versioned, 'login-k2h5', { data: {}, stringData: {} })
      expect(await isGone({ fault, ...goneCase }, [...objectsReading('login-k2h5'), empty])).toBe(false)
    },
  )

  it('cannot be replaced by plain text in the template', async () => {
    const values = (deployed as { stringData?: Record<string, string> }).stringData ?? {}
    const now = objectsReading(secret!).map((object) => object)
    const plain = withContainer({ ...tickets, objects: now } as SystemView, service!, (container) => {
      container.envFrom = []
      for (const [name, value] of Object.entries(values)) setVariable(name, value)(container)
    })
    expect(await isGone({ fault: 'secret-missing', ...goneCase }, plain)).toBe(false)
  })
})

describe('a variable from a ConfigMap', () => {
  const target = {
    service: 'frontend',
    variable: 'CART_SERVICE_ADDR',
    upstream: 'cartservice',
    value: 'cartservice:7070',
  }
  const addressesMap = (value: string): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'addresses' },
    data: { CART_SERVICE_ADDR: value, CART_HOST: value.split(':')[0] },
  })
  const withEnv = (...env: object[]): readonly ApiObject[] =>
    withContainer(boutique, 'frontend', (container) => {
      const others = container.env!.filter(({ name }) => name !== target.variable)
      container.env = [...others, ...(env as { name: string }[])]
    })
  const reference = (key: string): object => ({ valueFrom: { configMapKeyRef: { name: 'addresses', key } } })
  it.each([
    ['cartservice:7070', true],
    ['cartservice-svc:7070', false],
  ])('with the value %s repairs a wrong address: %s', async (value, holds) => {
    const goneCase = { fault: 'address-wrong', system: boutique, target }
    const byKey = withEnv({ name: target.variable, ...reference('CART_SERVICE_ADDR') })
    expect(await isGone(goneCase, [...byKey, addressesMap(value)])).toBe(holds)
    const composed = withEnv(
      { name: 'CART_HOST', ...reference('CART_HOST') },
      { name: target.variable, value: '$(CART_HOST):7070' },
    )
    expect(await isGone(goneCase, [...composed, addressesMap(value)])).toBe(holds)
    expect(await isGone(goneCase, byKey)).toBe(false)
  })

  it('also repairs other settings', async () => {
    const agesMap = (value: string): ApiObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'ages' },
      data: { JWT_MAX_AGE: value },
    })
    const [expired] = (await loadFault('token-expired')).targets(tickets)
    const goneCase = { fault: 'token-expired', system: tickets, target: expired! }
    const now = withContainer(tickets, expired!.service, (container) => {
      container.envFrom = [...((container.envFrom ?? []) as object[]), { configMapRef: { name: 'ages' } }]
    })
    expect(await isGone(goneCase, [...now, agesMap('3600')])).toBe(true)
    expect(await isGone(goneCase, [...now, agesMap('0')])).toBe(false)
  })
})

describe('a target port by name', () => {
  it('is accepted if a container declares the name', async () => {
    const goneCase = {
      fault: 'target-port-wrong',
      system: boutique,
      target: { service: 'cartservice', object: 'cartservice' },
    }
    const byName = (name: string): readonly ApiObject[] =>
      withObject(boutique, 'Service', 'cartservice', ({ spec }) => {
        ;(spec as { ports: { targetPort?: unknown }[] }).ports[0]!.targetPort = name
      })
    const withName = withContainer({ ...boutique, objects: byName('cart') }, 'cartservice', (container) => {
      container.ports = [{ containerPort: 7070, name: 'cart' }]
    })
    expect(await isGone(goneCase, withName)).toBe(true)
    expect(await isGone(goneCase, byName('nothing'))).toBe(false)
  })
})

describe('a quota under a new name', () => {
  const quota = (name: string, pods: string): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name },
    spec: { hard: { pods } },
  })
  const pods = ['a', 'b', 'c'].map(
    (name): ApiObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } }),
  )
  it.each<[string, ApiObject[], boolean]>([
    ['is accepted if it has room', [quota('pods', '10')], true],
    ['is not accepted if it rejects pods', [quota('pods', '2')], false],
    [
      'is not accepted next to the quota of the fault',
      [quota('namespace-quota', '2'), quota('pods', '9')],
      false,
    ],
  ])('%s', async (_name, now, holds) => {
    const target = { service: 'frontend' }
    const goneCase = { fault: 'quota-exhausted', system: boutique, target, baseline: pods }
    expect(await isGone(goneCase, now)).toBe(holds)
  })
})

describe('the evidence about a policy', () => {
  const policy = (cidr: string): ApiObject => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'cartservice-ingress' },
    spec: {
      podSelector: { matchLabels: { app: 'cartservice' } },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ ipBlock: { cidr } }] }],
    },
  })
  const node: ApiObject = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-1' },
    spec: { podCIDR: '10.244.1.0/24' },
  }
  const judge = async (cidr: string) => {
    const objects = [...boutique.objects, node, policy(cidr)]
    const view = (list: readonly ApiObject[]): CauseSnapshot['now'] => ({
      get: (kind, name) => list.find((object) => object.kind === kind && object.metadata.name === name),
      list: (kind) => list.filter((object) => object.kind === kind),
    })
    const baseline = view([...boutique.objects, node])
    const target = { service: 'cartservice' }
    const rest = { system: boutique, target, params: {}, state: {}, facts: {} }
    const fault = await loadFault('network-policy-denies')
    return fault.isGone({ ...rest, baseline, injected: baseline, now: view(objects) })
  }
  it('does not report a call as denied if an address block admits it', async () => {
    expect(await judge('10.244.0.0/16')).toEqual({ holds: true, evidence: 'policies deny no calls' })
    const partialResult = await judge('10.244.1.7/32')
    expect(partialResult.holds).toBe(false)
    expect(partialResult.evidence).toContain(
      'policies allow calls from frontend to cartservice only at some of the addresses that their pods may have',
    )
    expect((await judge('192.168.0.0/16')).evidence).toContain(
      'policies deny calls from frontend to cartservice',
    )
  })
})
