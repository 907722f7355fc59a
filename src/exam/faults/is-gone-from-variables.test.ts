/**
 * Tests that faults in environment variables also accept correct fixes other than the reference fix,
 * but no partial fixes.
 */
import { describe, expect, it } from 'vitest'
import { type ApiObject, JUDGING_RULES } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadFault } from './index.ts'
import { type Container, isGone, setVariable, withContainer } from './testing/is-gone.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const tickets = createSystemView(await loadSystem('train-ticket'))
const hotel = createSystemView(await loadSystem('hotel-reservation'))

describe('a wrong address', () => {
  const target = {
    service: 'frontend',
    variable: 'CART_SERVICE_ADDR',
    upstream: 'cartservice',
    value: 'cartservice:7070',
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
  ])('of %s is repaired by %s: %s', async (fault, value, holds) => {
    const now = withContainer(boutique, 'frontend', setVariable('CART_SERVICE_ADDR', value))
    expect(await isGone({ fault, system: boutique, target }, now)).toBe(holds)
  })

  it('is repaired by a later duplicate with the correct value: the kubelet uses the last one', async () => {
    const now = withContainer(boutique, 'frontend', (container) => {
      setVariable('CART_SERVICE_ADDR', 'another:7070')(container)
      container.env!.push({ name: 'CART_SERVICE_ADDR', value: 'cartservice:7070' })
    })
    expect(await isGone({ fault: 'address-wrong', system: boutique, target }, now)).toBe(true)
  })
})

describe('an address that reaches the upstream in another way', () => {
  const CLUSTER_ADDRESS = '10.96.7.7'
  const target = {
    service: 'frontend',
    variable: 'CART_SERVICE_ADDR',
    upstream: 'cartservice',
    value: 'cartservice:7070',
  }
  const toService = (name: string, spec: object): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec,
  })
  const ports = [{ port: 7070, targetPort: 'grpc' }]
  const selector = { app: 'cartservice' }
  const services = [
    toService('cartservice', { selector, ports, clusterIP: CLUSTER_ADDRESS }),
    toService('cart-leader', {
      selector: { ...selector, role: 'leader' },
      ports: [{ port: 80, targetPort: 7070 }],
    }),
    toService('cart-pods', { selector, ports, clusterIP: 'None' }),
    toService('cart-and-others', { selector: { tier: 'back' }, ports }),
    toService('cart-empty', { selector: { app: 'cart' }, ports }),
    toService('cart-fixed', { ports }),
  ]
  const toPod = (name: string, labels: object): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { containers: [{ name: 'server', ports: [{ name: 'grpc', containerPort: 7070 }] }] },
  })
  const pods = [
    toPod('cart-1', { ...selector, role: 'leader', tier: 'back' }),
    toPod('cart-2', { ...selector, tier: 'back' }),
    toPod('ad-1', { app: 'adservice', tier: 'back' }),
  ]
  const isOther = ({ kind, metadata }: ApiObject): boolean =>
    kind !== 'Service' || metadata.name !== 'cartservice'
  const baseline = [...boutique.objects.filter(isOther), ...services]
  const judge = (
    value: string,
    { added = [] as ApiObject[], rules = JUDGING_RULES, fault = 'address-wrong' } = {},
  ) => {
    const changed = withContainer(boutique, 'frontend', setVariable('CART_SERVICE_ADDR', value))
    const now = [...changed.filter(isOther), ...services, ...pods, ...added]
    return isGone({ fault, system: boutique, target, baseline, rules }, now)
  }

  it.each([
    ['the cluster IP', `${CLUSTER_ADDRESS}:7070`, true],
    ['the full name with a dot', `cartservice.${boutique.namespace}.svc.cluster.local.:7070`, true],
    ['a Service of one of the pods, with another port', 'cart-leader:80', true],
    ['a headless Service', `cart-pods.${boutique.namespace}:7070`, true],
    ['another cluster IP', '10.96.7.8:7070', false],
    ['a short name with a dot', 'cartservice.:7070', false],
    ['another port of the cluster IP', `${CLUSTER_ADDRESS}:7071`, false],
    ['another port of a headless Service', 'cart-pods:7071', false],
    ['a Service with other pods', 'cart-and-others:7070', false],
    ['a Service without pods', 'cart-empty:7070', false],
    ['a Service without a selector', 'cart-fixed:7070', false],
    ['no port', 'cartservice', false],
  ])('is judged by the endpoints to which it leads: %s', async (_, value, holds) => {
    expect(await judge(value)).toBe(holds)
    expect(await judge(value, { fault: 'port-wrong' })).toBe(holds)
  })

  it.each([
    ['host and port', '$(CARTSERVICE_SERVICE_HOST):$(CARTSERVICE_SERVICE_PORT)', true],
    ['host', '$(CARTSERVICE_SERVICE_HOST):7070', true],
    ['link', '$(CARTSERVICE_PORT_7070_TCP_ADDR):$(CARTSERVICE_PORT_7070_TCP_PORT)', true],
    ['another port', '$(CARTSERVICE_SERVICE_HOST):7071', false],
    ['a headless Service', '$(CART_PODS_SERVICE_HOST):7070', false],
    ['no Service', '$(CART_SERVICE_HOST):7070', false],
    ['an escaped reference', '$$(CARTSERVICE_SERVICE_HOST):7070', false],
  ])('may refer to the variables of Services, as the kubelet expands them: %s', async (_, value, holds) => {
    expect(await judge(value)).toBe(holds)
    expect(await judge(value, { rules: 6 })).toBe(false)
  })

  it('does not refer to a variable of a Service that the container declares itself, or that the pod disables', async () => {
    const value = '$(CARTSERVICE_SERVICE_HOST):7070'
    const judgeWith = (change: Parameters<typeof withContainer>[2]) => {
      const changed = withContainer(boutique, 'frontend', (container, podSpec) => {
        setVariable('CART_SERVICE_ADDR', value)(container)
        change(container, podSpec)
      })
      const now = [...changed.filter(isOther), ...services, ...pods]
      return isGone({ fault: 'address-wrong', system: boutique, target, baseline }, now)
    }
    expect(await judgeWith(() => {})).toBe(true)
    const declared = { name: 'CARTSERVICE_SERVICE_HOST', value: 'nowhere' }
    expect(await judgeWith((container) => container.env?.unshift(declared))).toBe(false)
    const disable = (_: unknown, podSpec: Record<string, unknown>): void => {
      podSpec.enableServiceLinks = false
    }
    expect(await judgeWith(disable)).toBe(false)
  })

  it('must use a Service that existed before the fault, and is compared as text in older records', async () => {
    const added = [toService('cartservice-svc', { selector, ports })]
    expect(await judge('cartservice-svc:7070', { added })).toBe(false)
    expect(await judge('cart-pods:7070', { rules: 5 })).toBe(false)
    expect(await judge('cartservice:7070', { rules: 5 })).toBe(true)
  })
})

describe('the maximum number of connections of a database', () => {
  const target = { service: 'tsdb-mysql' }
  it.each([
    ['4', false],
    ['50', false],
    ['151', true],
    ['400', true],
    ['1000000', false],
  ])('of %s is accepted: %s', async (value, holds) => {
    const [firstTarget] = (await loadFault('pool-too-small')).targets(tickets)
    expect(firstTarget).toEqual(target)
    const variable = /get\(env, "(\w+)"/.exec(
      tickets.topology!.services['tsdb-mysql']!.behaviour.store!.maxConnections!,
    )![1]!
    const now = withContainer(tickets, 'tsdb-mysql', setVariable(variable, value))
    expect(await isGone({ fault: 'pool-too-small', system: tickets, target }, now)).toBe(holds)
  })
})

/** Returns a change of a container: sets the variables, at the end of its list, and removes the undefined ones. */
const setVariables =
  (values: Readonly<Record<string, string | undefined>>) =>
  (container: Container): void => {
    const others = (container.env ?? []).filter(({ name }) => !(name in values))
    const added = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value }],
    )
    container.env = [...others, ...added]
  }

describe('calls with retries', () => {
  const goneCase = { fault: 'retry-storm', system: hotel, target: { service: 'search' } }
  it.each<[string | undefined, string | undefined, boolean]>([
    ['10', '0', true],
    [undefined, undefined, true],
    ['5', '0', true],
    ['2.5', '2', true],
    ['10', '12', false],
    [undefined, '24', false],
    ['0.002', undefined, false],
    ['0.002', '0', false],
    ['86400', '0', false],
    ['5s', '0', false],
    ['', '0', false],
    ['10', '0.5', false],
  ])('with a timeout of %s s and %s retries are accepted: %s', async (timeout, retries, holds) => {
    const now = withContainer(hotel, 'search', setVariables({ GRPC_TIMEOUT: timeout, GRPC_RETRIES: retries }))
    expect(await isGone(goneCase, now)).toBe(holds)
  })

  it.each<[string, object[]]>([
    ['a wrong duplicate after the correct value', [{ value: '10' }, { value: '0.002' }]],
    ['a value from a ConfigMap', [{ valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } }]],
  ])('are not accepted with %s', async (_description, entries) => {
    const now = withContainer(hotel, 'search', (container) => {
      setVariables({ GRPC_TIMEOUT: undefined })(container)
      for (const entry of entries) container.env!.push({ name: 'GRPC_TIMEOUT', ...entry })
    })
    expect(await isGone(goneCase, now)).toBe(false)
  })
})

describe('the time to live of a cache', () => {
  it.each<[string | undefined, boolean]>([
    ['3600', true],
    [undefined, true],
    ['0', true],
    ['600', true],
    ['2592000', true],
    ['2592001', false],
    ['3600000', false],
    ['-1', false],
    ['1', false],
    ['1h', false],
  ])('of %s s is accepted: %s', async (seconds, holds) => {
    const now = withContainer(hotel, 'rate', setVariables({ MEMC_TTL: seconds }))
    expect(await isGone({ fault: 'cache-disabled', system: hotel, target: { service: 'rate' } }, now)).toBe(
      holds,
    )
  })
})

it('a volume is compared independently of the order of its fields', async () => {
  const [target] = (await loadFault('volume-full')).targets(hotel)
  const volumesWith = (change: (volume: object) => object) =>
    withContainer(hotel, target!.service, (_container, podSpec) => {
      podSpec.volumes = (podSpec.volumes as object[]).map(change)
    })
  const reversed = volumesWith((volume) => Object.fromEntries(Object.entries(volume).reverse()))
  const small = volumesWith(({ name }: { name?: string }) => ({ name, emptyDir: { medium: 'Memory' } }))
  const goneCase = { fault: 'volume-full', system: hotel, target: target! }
  expect(await isGone(goneCase, reversed)).toBe(true)
  expect(await isGone(goneCase, small)).toBe(false)
})
