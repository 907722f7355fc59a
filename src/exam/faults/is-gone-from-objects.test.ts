/** Tests that faults in objects such as Services accept correct fixes other than the reference, but no partial ones. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadFault } from './index.ts'
import { isGone, judgeGone, withContainer, withObject } from './testing/is-gone.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const simple = createSystemView(await loadSystem('simple-micro'))
const hotel = createSystemView(await loadSystem('hotel-reservation'))
const tickets = createSystemView(await loadSystem('train-ticket'))
const configFault = await loadFault('config-value-wrong')

describe('a target port', () => {
  const goneCase = {
    fault: 'target-port-wrong',
    system: boutique,
    target: { service: 'cartservice', object: 'cartservice' },
  }
  it.each([
    [7070, true],
    [7071, false],
    [9, false],
  ])('of %s is accepted: %s', async (targetPort, holds) => {
    const now = withObject(boutique, 'Service', 'cartservice', ({ spec }) => {
      ;(spec as { ports: { targetPort?: unknown }[] }).ports[0]!.targetPort = targetPort
    })
    expect(await isGone(goneCase, now)).toBe(holds)
  })

  it('is not accepted if the Service does not exist', async () => {
    const now = boutique.objects.filter(({ kind }) => kind !== 'Service')
    expect(await isGone(goneCase, now)).toBe(false)
  })
})

describe('the maximum of an autoscaler', () => {
  const goneCase = {
    fault: 'autoscaler-ceiling',
    system: simple,
    target: { service: 'hello-service' },
    params: { podCpu: 40 },
    state: { name: 'hello-service', ceiling: 1 },
  }
  const smallPods = withContainer(simple, 'hello-service', (container) => {
    container.resources = { limits: { cpu: '40m' }, requests: { cpu: '40m' } }
  })
  const cpuMetric = (target: object): object => ({ type: 'Resource', resource: { name: 'cpu', target } })
  const autoscaler = (spec: object, name = 'hello-service'): ApiObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'hello-service' },
      metrics: [cpuMetric({ type: 'Utilization', averageUtilization: 25 })],
      minReplicas: 1,
      maxReplicas: 1,
      ...spec,
    },
  })
  const injected = [...smallPods, autoscaler({})]
  const missing = { kind: 'Deployment', name: 'missing' }
  const raised = (target: object, scaleUp?: object): ApiObject =>
    autoscaler({ maxReplicas: 8, metrics: [cpuMetric(target)], ...(scaleUp && { behavior: { scaleUp } }) })
  const withReplicas = (replicas: number): readonly ApiObject[] =>
    smallPods.map((object) =>
      object.kind === 'Deployment' && object.metadata.name === 'hello-service'
        ? { ...object, spec: { ...(object.spec as object), replicas } }
        : object,
    )
  it.each<[string, boolean, readonly ApiObject[]]>([
    ['is raised', true, [...smallPods, autoscaler({ minReplicas: 4, maxReplicas: 8 })]],
    ['is unchanged', false, injected],
    [
      'is raised, but the autoscaler scales a workload that does not exist',
      false,
      [...smallPods, autoscaler({ maxReplicas: 2, scaleTargetRef: missing })],
    ],
    ['is raised without metrics', false, [...smallPods, autoscaler({ maxReplicas: 8, metrics: [] })]],
    ['is raised with another utilisation', true, [...smallPods, raised({ averageUtilization: 60 })]],
    ['is raised with an average value', true, [...smallPods, raised({ averageValue: '20m' })]],
    ['is raised with an unreachable utilisation', false, [...smallPods, raised({ averageUtilization: 400 })]],
    [
      'is raised with scale-up disabled',
      false,
      [...smallPods, raised({ averageUtilization: 60 }, { selectPolicy: 'Disabled' })],
    ],
    [
      'is raised with fast scale-up',
      true,
      [...smallPods, raised({ averageUtilization: 60 }, { stabilizationWindowSeconds: 0 })],
    ],
    [
      'is raised in an autoscaler of another name',
      true,
      [...smallPods, autoscaler({ maxReplicas: 8 }, 'mine')],
    ],
    ['is the same in an autoscaler of another name', false, [...smallPods, autoscaler({}, 'mine')]],
    [
      'is the same in an autoscaler of another name, with many pods',
      false,
      [...withReplicas(4), autoscaler({}, 'mine')],
    ],
    [
      'is unchanged next to an autoscaler with a higher maximum',
      false,
      [...injected, autoscaler({ maxReplicas: 8 }, 'mine')],
    ],
    [
      'is unchanged next to an autoscaler of another workload',
      false,
      [...injected, autoscaler({ maxReplicas: 8, scaleTargetRef: missing }, 'mine')],
    ],
    [
      'is removed next to an autoscaler of another workload',
      false,
      [...smallPods, autoscaler({ maxReplicas: 8, scaleTargetRef: missing }, 'mine')],
    ],
    [
      'is raised next to an autoscaler of another workload',
      true,
      [...smallPods, autoscaler({ maxReplicas: 8 }), autoscaler({ scaleTargetRef: missing }, 'mine')],
    ],
    ['is removed with small pods', false, smallPods],
    ['is removed with many small pods', true, withReplicas(4)],
    ['is removed with too few small pods', false, withReplicas(3)],
    ['is unchanged with many small pods', false, [...withReplicas(4), autoscaler({})]],
    ['is removed with the former pods', true, simple.objects],
    [
      'is unchanged, and the autoscaler scales a workload that does not exist, next to the former pods',
      false,
      [...simple.objects, autoscaler({ scaleTargetRef: missing })],
    ],
  ])('is no longer a fault in an older record if it %s: %s', async (_description, holds, now) => {
    expect(await isGone({ ...goneCase, injected, rules: 2 }, now)).toBe(holds)
  })

  const readyPods = (replicas: number, readyReplicas = replicas): readonly ApiObject[] =>
    withReplicas(replicas).map((object) =>
      object.kind === 'Deployment'
        ? { ...object, status: { readyReplicas, updatedReplicas: replicas } }
        : object,
    )
  /** Of all requests of a pod: its sidecar is idle. */
  const REACHABLE = { averageUtilization: 35 }
  const UNREACHABLE = { averageUtilization: 99 }

  it.each<[string, readonly ApiObject[]]>([
    ['is raised, and pods were added', [...readyPods(4), raised(REACHABLE)]],
    ['is reached by added pods', [...readyPods(8), raised(REACHABLE)]],
    [
      'is raised with an average value, and pods were added',
      [...readyPods(4), raised({ averageValue: '20m' })],
    ],
    [
      'is raised with a higher minimum',
      [...readyPods(4), autoscaler({ minReplicas: 4, maxReplicas: 8, metrics: [] })],
    ],
    [
      'belongs to another autoscaler that has added pods',
      [...readyPods(4), autoscaler({ maxReplicas: 8 }, 'mine')],
    ],
    ['is removed with many small pods', readyPods(4)],
    ['is removed with the former pods', simple.objects],
    ['is unchanged with the former pods', [...simple.objects, autoscaler({})]],
  ])('is no longer a fault if it %s', async (_description, now) => {
    expect(await judgeGone({ ...goneCase, injected }, now)).toMatchObject({ holds: true })
  })

  it.each<[string, readonly ApiObject[]]>([
    ['is raised, and pods will be added', [...readyPods(1), raised(REACHABLE)]],
    ['is raised, and added pods are starting', [...readyPods(4, 1), raised(REACHABLE)]],
    [
      'is raised with a short window',
      [...readyPods(1), raised(REACHABLE, { stabilizationWindowSeconds: 60 })],
    ],
    [
      'is raised with a higher minimum',
      [...readyPods(1), autoscaler({ minReplicas: 4, maxReplicas: 8, metrics: [] })],
    ],
  ])('is a pending repair if it %s', async (_description, now) => {
    expect(await judgeGone({ ...goneCase, injected }, now)).toMatchObject({ holds: false, isPending: true })
  })

  it.each<[string, readonly ApiObject[]]>([
    ['is unchanged', [...readyPods(1), autoscaler({})]],
    ['is unchanged with many small pods', [...readyPods(4), autoscaler({})]],
    ['is raised with an unreachable utilisation', [...readyPods(1), raised(UNREACHABLE)]],
    ['is raised with an unreachable utilisation and many small pods', [...readyPods(4), raised(UNREACHABLE)]],
    ['is raised without metrics', [...readyPods(1), autoscaler({ maxReplicas: 8, metrics: [] })]],
    ['is raised with scale-up disabled', [...readyPods(1), raised(REACHABLE, { selectPolicy: 'Disabled' })]],
    [
      'is raised with a long window',
      [...readyPods(1), raised(REACHABLE, { stabilizationWindowSeconds: 3600 })],
    ],
    [
      'is raised, but the autoscaler scales a workload that does not exist',
      [...readyPods(4), autoscaler({ maxReplicas: 8, scaleTargetRef: missing })],
    ],
    ['is removed with too few small pods', readyPods(3)],
    [
      'is raised with a utilisation that an idle sidecar prevents',
      [...readyPods(4), raised({ averageUtilization: 50 })],
    ],
    [
      'is raised with a minimum that does not suffice, and pods were added',
      [...readyPods(4), autoscaler({ minReplicas: 2, maxReplicas: 8, metrics: [] })],
    ],
  ])('is still a fault if it %s', async (_description, now) => {
    expect(await judgeGone({ ...goneCase, injected }, now)).toMatchObject({ holds: false, isPending: false })
  })
})

describe('a Secret', () => {
  const secret = (data: object): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    data,
  })
  const target = { service: 'cartservice', secret: 'login', key: 'PASSWORD' }
  const validData = { USER: 'sha256:a', PASSWORD: 'sha256:b' }
  const withClient = withContainer(boutique, 'cartservice', (container) => {
    container.envFrom = [{ secretRef: { name: 'login' } }]
  })
  const goneCase = { system: boutique, target, baseline: [...withClient, secret(validData)] }
  it.each(['secret-missing', 'secret-key-missing', 'secret-value-wrong'])(
    'of %s must have its former values',
    async (fault) => {
      expect(await isGone({ fault, ...goneCase }, [...withClient, secret(validData)])).toBe(true)
      const isGoneWith = (data: object) => isGone({ fault, ...goneCase }, [...withClient, secret(data)])
      expect(await isGoneWith({ ...validData, MORE: 'sha256:d' })).toBe(true)
      expect(await isGoneWith({ ...validData, PASSWORD: 'sha256:c' })).toBe(false)
      expect(await isGoneWith({ PASSWORD: 'sha256:b' })).toBe(false)
      expect(await isGone({ fault, ...goneCase }, withClient)).toBe(false)
    },
  )
})

describe('a rule of the namespace', () => {
  const pods = ['a', 'b', 'c'].map(
    (name): ApiObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } }),
  )
  const quota = (hard: object): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'namespace-quota' },
    spec: { hard },
  })
  it.each([
    [{ pods: '3' }, true],
    [{ pods: '2' }, false],
    [{}, true],
    [{ pods: '30', 'requests.cpu': '1m' }, false],
  ])('is accepted with the quota %j: %s', async (hard, holds) => {
    const goneCase = { fault: 'quota-exhausted', system: simple, target: { service: 'time-service' } }
    expect(await isGone({ ...goneCase, baseline: pods }, [quota(hard)])).toBe(holds)
  })

  const deployment = (replicas: number, strategy?: object): ApiObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { replicas, strategy },
  })
  const rolling = (maxSurge: number | string): object => ({
    type: 'RollingUpdate',
    rollingUpdate: { maxSurge },
  })
  it.each([
    ['no strategy', deployment(1), 4],
    ['a share of its replicas', deployment(5, rolling('25%')), 5],
    ['a number of pods', deployment(1, rolling(3)), 6],
    ['no additional pod', deployment(1, rolling(0)), 3],
    ['the strategy Recreate', deployment(1, { type: 'Recreate' }), 3],
  ])('must leave room for the rollout of a Deployment with %s', async (_, workload, room) => {
    const goneCase = {
      fault: 'quota-exhausted',
      system: simple,
      target: { service: 'time-service' },
      baseline: [...pods, workload],
    }
    expect(await isGone(goneCase, [quota({ pods: String(room) })])).toBe(true)
    expect(await isGone(goneCase, [quota({ pods: String(room - 1) })])).toBe(false)
    expect(await isGone({ ...goneCase, rules: 4 }, [quota({ pods: '3' })])).toBe(true)
  })
})

describe('a changed Service', () => {
  const target = { service: 'cartservice', object: 'cartservice' }
  const withServiceSpec = (spec: object): readonly ApiObject[] =>
    withObject(boutique, 'Service', 'cartservice', (object) => {
      object.spec = { ...(object.spec as object), ...spec }
    })
  const { ports } = boutique.objects.find(
    ({ kind, metadata }) => kind === 'Service' && metadata.name === 'cartservice',
  )!.spec as { ports: readonly object[] }
  it.each<[object, boolean]>([
    [{}, true],
    [{ clusterIP: '10.96.1.2' }, true],
    [{ clusterIP: 'None' }, false],
    [{ type: 'NodePort' }, false],
    [{ publishNotReadyAddresses: true }, false],
    [{ ports: ports.map((port) => ({ ...port, nodePort: 30000 })) }, true],
    [{ ports: [...ports, { name: 'more', port: 1 }] }, false],
  ])('with %j is accepted: %s', async (spec, holds) => {
    for (const fault of ['selector-empty', 'target-port-wrong'])
      expect(await isGone({ fault, system: boutique, target }, withServiceSpec(spec))).toBe(holds)
  })

  it('must not select pods of other services', async () => {
    const relabelled = boutique.objects.map((object) => {
      const { template } = (object.spec ?? {}) as { template?: { metadata?: { labels?: object } } }
      if (template?.metadata?.labels === undefined) return object
      const copy = structuredClone(object)
      Object.assign((copy.spec as any).template.metadata.labels, { tier: 'shop' })
      return copy
    })
    const goneCase = { fault: 'selector-empty', system: { ...boutique, objects: relabelled }, target }
    const now = relabelled.map((object) =>
      object.kind === 'Service' && object.metadata.name === 'cartservice'
        ? { ...object, spec: { ...(object.spec as object), selector: { tier: 'shop' } } }
        : object,
    )
    expect(await isGone(goneCase, now)).toBe(false)
  })
})

describe('a value in a ConfigMap', () => {
  const [target] = configFault.targets(hotel)
  const { map, file, path } = target as unknown as { map: string; file: string; path: string }
  const deployed = hotel.objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === map,
  ) as ApiObject & { data: Record<string, string> }
  const goneCase = { fault: 'config-value-wrong', system: hotel, target: target! }
  const withText = (text: string): readonly ApiObject[] =>
    withObject(hotel, 'ConfigMap', map, (object) => {
      object.data = { ...deployed.data, [file]: text }
    })
  it('is accepted only with all other values unchanged', async () => {
    const values = JSON.parse(deployed.data[file]!) as Record<string, unknown>
    expect(await isGone(goneCase, hotel.objects)).toBe(true)
    expect(await isGone(goneCase, withText(JSON.stringify(values)))).toBe(true)
    expect(await isGone(goneCase, withText(JSON.stringify({ ...values, [path]: 'nowhere:1' })))).toBe(false)
    expect(await isGone(goneCase, withText(JSON.stringify({ [path]: values[path] })))).toBe(false)
    // Not valid JSON.
    for (const mistake of ['1.2.3', '"a\\d"'])
      expect(await isGone(goneCase, withText(`{"${path}": ${mistake}}`))).toBe(false)
  })
})

describe('the permissions of a database user', () => {
  const goneCase = { fault: 'login-revoked', system: tickets, target: { service: 'tsdb-mysql' } }
  it.each([
    [true, 'GRANT ALL', true],
    [true, 'GRANT SELECT', false],
    [false, '', false],
  ])('are accepted if the login is allowed (%s) with the rights %j: %s', async (allowed, rights, holds) => {
    const state = { pod: 'a', rights: 'GRANT ALL' }
    expect(await isGone({ ...goneCase, state, facts: { allowed, rights } }, [])).toBe(holds)
  })
})

describe('a claim that is limited to one write per second', () => {
  const target = { service: 'mongodb-reservation', volume: '/data/db', claim: 'reservation-pvc' }
  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ['1', false],
    ['3', false],
    ['none', false],
    ['3000', true],
  ])('with the limit %s is accepted: %s', async (limit, holds) => {
    expect((await loadFault('slow-volume')).targets(hotel)).toEqual([target])
    const now = withObject(hotel, 'PersistentVolumeClaim', 'reservation-pvc', (object) => {
      const annotations = limit === undefined ? {} : { 'csi.storage/write-iops': limit }
      object.metadata = { name: 'reservation-pvc', annotations }
    })
    expect(await isGone({ fault: 'slow-volume', system: hotel, target }, now)).toBe(holds)
  })
})
