/** Proves of causes in objects beside workloads that other right answers count as well, and that half of one does not. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
import { isGone, withContainer, withObject } from './ask-is-gone.ts'
import { loadFault } from './index.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const simple = createSystemView(await loadSystem('simple-micro'))
const hotel = createSystemView(await loadSystem('hotel-reservation'))
const tickets = createSystemView(await loadSystem('train-ticket'))
const configured = await loadFault('config-value-wrong')

describe('a target port', () => {
  const asked = {
    fault: 'target-port-wrong',
    system: boutique,
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

describe('the ceiling of an autoscaler', () => {
  const asked = {
    fault: 'autoscaler-ceiling',
    system: simple,
    target: { service: 'hello-service' },
    params: { podCpu: 40 },
    state: { name: 'hello-service', ceiling: 1 },
  }
  const cut = withContainer(simple, 'hello-service', (container) => {
    container.resources = { limits: { cpu: '40m' }, requests: { cpu: '40m' } }
  })
  const cpu = (target: object): object => ({ type: 'Resource', resource: { name: 'cpu', target } })
  const autoscaler = (spec: object, name = 'hello-service'): ApiObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'hello-service' },
      metrics: [cpu({ type: 'Utilization', averageUtilization: 25 })],
      minReplicas: 1,
      maxReplicas: 1,
      ...spec,
    },
  })
  const injected = [...cut, autoscaler({})]
  const nobody = { kind: 'Deployment', name: 'nobody' }
  const raised = (target: object, scaleUp?: object): ApiObject =>
    autoscaler({ maxReplicas: 8, metrics: [cpu(target)], ...(scaleUp && { behavior: { scaleUp } }) })
  const many = (replicas: number): readonly ApiObject[] =>
    cut.map((one) =>
      one.kind === 'Deployment' && one.metadata.name === 'hello-service'
        ? { ...one, spec: { ...(one.spec as object), replicas } }
        : one,
    )
  it.each<[string, boolean, readonly ApiObject[]]>([
    ['is raised', true, [...cut, autoscaler({ minReplicas: 4, maxReplicas: 8 })]],
    ['is left', false, injected],
    ['is raised over nobody', false, [...cut, autoscaler({ maxReplicas: 2, scaleTargetRef: nobody })]],
    ['is raised, and nothing measured', false, [...cut, autoscaler({ maxReplicas: 8, metrics: [] })]],
    ['is raised, and another use of CPU wanted', true, [...cut, raised({ averageUtilization: 60 })]],
    ['is raised, and a use in cores wanted', true, [...cut, raised({ averageValue: '20m' })]],
    ['is raised, and a use wanted that nobody reaches', false, [...cut, raised({ averageUtilization: 400 })]],
    [
      'is raised, and may not add',
      false,
      [...cut, raised({ averageUtilization: 60 }, { selectPolicy: 'Disabled' })],
    ],
    [
      'is raised, and adds at once',
      true,
      [...cut, raised({ averageUtilization: 60 }, { stabilizationWindowSeconds: 0 })],
    ],
    ['is replaced by one of another name', true, [...cut, autoscaler({ maxReplicas: 8 }, 'mine')]],
    ['is replaced by one as low', false, [...cut, autoscaler({}, 'mine')]],
    ['is replaced by one as low over many pods', false, [...many(4), autoscaler({}, 'mine')]],
    ['is left beside one that is higher', false, [...injected, autoscaler({ maxReplicas: 8 }, 'mine')]],
    [
      'is left beside one of another workload',
      false,
      [...injected, autoscaler({ maxReplicas: 8, scaleTargetRef: nobody }, 'mine')],
    ],
    [
      'is gone beside one of another workload',
      false,
      [...cut, autoscaler({ maxReplicas: 8, scaleTargetRef: nobody }, 'mine')],
    ],
    [
      'is raised beside one of another workload',
      true,
      [...cut, autoscaler({ maxReplicas: 8 }), autoscaler({ scaleTargetRef: nobody }, 'mine')],
    ],
    ['is gone, and the pods small', false, cut],
    ['is gone, and the pods small and many', true, many(4)],
    ['is gone, and the pods small and too few', false, many(3)],
    ['is left, and the pods small and many', false, [...many(4), autoscaler({})]],
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
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'p' },
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

  it('is answered by the label, for which nobody outside the scope must be touched', async () => {
    const fault = await loadFault('network-policy-denies')
    for (const target of fault.targets(boutique)) {
      const label = { [`${target.service}-client`]: 'true' }
      const admitting = policy({
        podSelector: { matchLabels: { app: target.service } },
        ingress: [{ from: [{ podSelector: { matchLabels: label } }] }],
      })
      const { services } = fault.scope!({ system: boutique, target, params: { admits: 'labelled' } })
      const labelled = boutique.workloads.map(({ service, manifest }) => {
        const copy = structuredClone(manifest)
        const { template } = copy.spec as { template: { metadata: { labels: object } } }
        if (services.includes(service)) Object.assign(template.metadata.labels, label)
        return copy
      })
      const asked = { fault: fault.name, system: boutique, target }
      expect(await isGone(asked, [...boutique.objects, admitting]), target.service).toBe(false)
      expect(await isGone(asked, [...labelled, admitting]), target.service).toBe(true)
    }
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
  ])('counts %j: %s', async (hard, holds) => {
    const asked = { fault: 'quota-exhausted', system: simple, target: { service: 'time-service' } }
    expect(await isGone({ ...asked, baseline: pods }, [quota(hard)])).toBe(holds)
  })

  const range = (...limits: object[]): ApiObject => ({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'container-limits' },
    spec: { limits },
  })
  it.each<[object[], boolean]>([
    [[{ type: 'Container', max: { cpu: '8' } }], true],
    [[{ type: 'Container', max: { cpu: '8' }, default: { cpu: '8' }, defaultRequest: { cpu: '8' } }], true],
    [[], true],
    [[{ type: 'Container', max: { cpu: '1m' } }], false],
    [[{ type: 'Container', max: { cpu: '8', memory: '1Mi' } }], false],
    [[{ type: 'Container', max: { cpu: '8' }, min: { cpu: '7' } }], false],
  ])('limits %j: %s', async (limits, holds) => {
    const state = { rule: { limits: [{ type: 'Container', max: { cpu: '50m' } }] } }
    const asked = { fault: 'limit-range', system: boutique, target: { service: 'cartservice' }, state }
    expect(await isGone(asked, [...boutique.objects, range(...limits)])).toBe(holds)
  })
})

describe('a Service that was changed', () => {
  const target = { service: 'cartservice', object: 'cartservice' }
  const changed = (spec: object): readonly ApiObject[] =>
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
  ])('%j is right: %s', async (spec, holds) => {
    for (const fault of ['selector-empty', 'target-port-wrong'])
      expect(await isGone({ fault, system: boutique, target }, changed(spec))).toBe(holds)
  })

  it('does not find the pods of others', async () => {
    const everybody = boutique.objects.map((object) => {
      const { template } = (object.spec ?? {}) as { template?: { metadata?: { labels?: object } } }
      if (template?.metadata?.labels === undefined) return object
      const copy = structuredClone(object)
      Object.assign((copy.spec as any).template.metadata.labels, { tier: 'shop' })
      return copy
    })
    const asked = { fault: 'selector-empty', system: { ...boutique, objects: everybody }, target }
    const now = everybody.map((object) =>
      object.kind === 'Service' && object.metadata.name === 'cartservice'
        ? { ...object, spec: { ...(object.spec as object), selector: { tier: 'shop' } } }
        : object,
    )
    expect(await isGone(asked, now)).toBe(false)
  })
})

describe('a value in a ConfigMap', () => {
  const [target] = configured.targets(hotel)
  const { map, file, path } = target as unknown as { map: string; file: string; path: string }
  const deployed = hotel.objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === map,
  ) as ApiObject & { data: Record<string, string> }
  const asked = { fault: 'config-value-wrong', system: hotel, target: target! }
  const withText = (text: string): readonly ApiObject[] =>
    withObject(hotel, 'ConfigMap', map, (object) => {
      object.data = { ...deployed.data, [file]: text }
    })
  it('is right with everything around it', async () => {
    const all = JSON.parse(deployed.data[file]!) as Record<string, unknown>
    expect(await isGone(asked, hotel.objects)).toBe(true)
    expect(await isGone(asked, withText(JSON.stringify(all)))).toBe(true)
    expect(await isGone(asked, withText(JSON.stringify({ ...all, [path]: 'nowhere:1' })))).toBe(false)
    expect(await isGone(asked, withText(JSON.stringify({ [path]: all[path] })))).toBe(false)
    // No value of JSON at all.
    for (const mistake of ['1.2.3', '"a\\d"'])
      expect(await isGone(asked, withText(`{"${path}": ${mistake}}`))).toBe(false)
  })
})

describe('the rights of a user of a database', () => {
  const asked = { fault: 'login-revoked', system: tickets, target: { service: 'tsdb-mysql' } }
  it.each([
    [true, 'GRANT ALL', true],
    [true, 'GRANT SELECT', false],
    [false, '', false],
  ])('allowed %s with %s: %s', async (allowed, rights, holds) => {
    const state = { pod: 'a', rights: 'GRANT ALL' }
    expect(await isGone({ ...asked, state, facts: { allowed, rights } }, [])).toBe(holds)
  })
})

describe('a claim that is held to one write a second', () => {
  const target = { service: 'mongodb-reservation', volume: '/data/db', claim: 'reservation-pvc' }
  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ['1', false],
    ['3', false],
    ['none', false],
    ['3000', true],
  ])('is held to %s, and that is right: %s', async (limit, holds) => {
    expect((await loadFault('slow-volume')).targets(hotel)).toEqual([target])
    const now = withObject(hotel, 'PersistentVolumeClaim', 'reservation-pvc', (object) => {
      const annotations = limit === undefined ? {} : { 'csi.storage/write-iops': limit }
      object.metadata = { name: 'reservation-pvc', annotations }
    })
    expect(await isGone({ fault: 'slow-volume', system: hotel, target }, now)).toBe(holds)
  })
})
