/** The life of pods on a node, compared with what a real kubelet reported in the same cases. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PodSpec, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { configMaps, leases, nodes, pods, secrets } from '../kinds/index.ts'
import type { ContainerModel, ImageModel } from '../runtimes/index.ts'
import { createTestNode, type TestNode } from './testing/create-test-node.ts'

const fixture = <T>(name: string): T =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')) as T
const real = fixture<Record<string, { spec: PodSpec; status: PodStatus }>>('pods.json')

const exits = (exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error', afterMs = 0) => ({
  exit: { afterMs, exitCode, reason },
})
const NO_FILE =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/nonexistent": stat /nonexistent: no such file or directory: unknown'
const REFUSED =
  'failed to pull and unpack image "127.0.0.1:1/nope:1": failed to resolve reference "127.0.0.1:1/nope:1": failed to do request: Head "http://127.0.0.1:1/v2/nope/manifests/1": dial tcp 127.0.0.1:1: connect: connection refused'

/** What busybox does in the pods of the fixtures. */
const behaviours: Record<string, ContainerModel> = {
  badcmd: { startError: NO_FILE },
  crash: exits(3),
  oom: exits(137, 'OOMKilled'),
  done: exits(0),
  notready: {
    stop: 'ignores',
    probe: ({ kind, action }) =>
      kind === 'liveness' && action.type === 'tcp'
        ? { ok: false, output: `dial tcp ${action.host}:${action.port}: connect: connection refused` }
        : { ok: false, output: '' },
  },
}
const images: Record<string, ImageModel> = {
  'busybox:local': { present: true, run: ({ pod }) => behaviours[pod.metadata.name] ?? {} },
  '127.0.0.1:1/nope:1': { pullError: REFUSED, pullMs: 5 },
}

/** Hides what differs between two runs: times, identities, addresses. */
const comparable = (status: PodStatus): unknown =>
  JSON.parse(
    JSON.stringify(status)
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (time) => (time.startsWith('"1970') ? time : '"time"'))
      .replaceAll(/containerd:\/\/[0-9a-f]{64}/g, 'container')
      .replaceAll(/"imageID":"[^"]+"/g, '"imageID":"image"')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uid')
      .replaceAll(/10\.244\.0\.\d+/g, 'address'),
  )

const runFixture = (name: string): TestNode => {
  const node = createTestNode(images)
  node.run(name, real[name]!.spec)
  return node
}

describe('statuses and events are those of the real kubelet', () => {
  const reaches = (name: string, done: (status: PodStatus) => boolean): TestNode => {
    const node = runFixture(name)
    expect(node.clock.advanceUntil(() => done(node.pod(name).status), 300_000)).toBe(true)
    node.clock.advance(0)
    expect(comparable(node.pod(name).status)).toEqual(comparable(real[name]!.status))
    return node
  }
  const restarts = (status: PodStatus) => status.containerStatuses?.[0]?.restartCount ?? 0
  const waitingReason = (status: PodStatus) => status.containerStatuses?.[0]?.state?.waiting?.reason

  it('running', () => {
    const { eventsOf } = reaches('ds', ({ phase }) => phase === 'Running')
    expect(eventsOf('ds')).toEqual([
      'Normal Pulled Container image "busybox:local" already present on machine',
      'Normal Created Created container: c',
      'Normal Started Started container c',
    ])
  })

  it('completed after an init container', () => {
    const { eventsOf } = reaches('done', ({ phase }) => phase === 'Succeeded')
    expect(eventsOf('done').filter((event) => event.includes('Started'))).toEqual([
      'Normal Started Started container i',
      'Normal Started Started container c',
    ])
  })

  it('crashing: ended, before the kubelet calls it a crash loop', () => {
    const { eventsOf, pod } = reaches(
      'crash',
      (status) => restarts(status) === 3 && status.containerStatuses?.[0]?.state?.terminated !== undefined,
    )
    const { uid } = pod('crash').metadata
    expect(eventsOf('crash')).toContain('Normal Started Started container c (x4)')
    expect(eventsOf('crash').at(-1)).toMatch(
      `Warning BackOff Back-off restarting failed container c in pod crash_default(${uid})`,
    )
  })

  it('OOMKilled', () => {
    reaches(
      'oom',
      (status) => restarts(status) === 3 && status.containerStatuses?.[0]?.state?.terminated !== undefined,
    )
  })

  it('a command that does not exist', () => {
    const { eventsOf } = reaches(
      'badcmd',
      (status) => restarts(status) === 3 && waitingReason(status) === 'RunContainerError',
    )
    expect(eventsOf('badcmd')).toContain(`Warning Failed Error: ${NO_FILE} (x4)`)
  })

  it('ImagePullBackOff', () => {
    const { eventsOf, clock } = reaches('badimage', (status) => waitingReason(status) === 'ImagePullBackOff')
    clock.advance(40_000)
    expect(eventsOf('badimage').map((event) => event.replace(/ \(x\d\)/, ''))).toEqual([
      'Normal Pulling Pulling image "127.0.0.1:1/nope:1"',
      `Warning Failed Failed to pull image "127.0.0.1:1/nope:1": ${REFUSED}`,
      'Warning Failed Error: ErrImagePull',
      'Normal BackOff Back-off pulling image "127.0.0.1:1/nope:1"',
      'Warning Failed Error: ImagePullBackOff',
    ])
    expect(eventsOf('badimage')[0]).toMatch(/\(x3\)$/)
  })

  it('CreateContainerConfigError, until the config map is there', () => {
    const { eventsOf, client, clock, pod } = reaches(
      'badcm',
      (status) => waitingReason(status) === 'CreateContainerConfigError',
    )
    expect(eventsOf('badcm')).toContain('Warning Failed Error: configmap "missing" not found')
    client.create(configMaps, { metadata: { name: 'missing', namespace: 'default' }, data: { A: '1' } })
    clock.advance(16_000)
    expect(pod('badcm').status.phase).toBe('Running')
  })

  it('a failed liveness probe, and then CrashLoopBackOff', () => {
    const { eventsOf } = reaches(
      'notready',
      (status) => restarts(status) === 3 && waitingReason(status) === 'CrashLoopBackOff',
    )
    const seen = eventsOf('notready').map((event) => event.replace(/ \(x\d+\)/, ''))
    expect(seen).toContain('Warning Unhealthy Readiness probe failed: ')
    expect(seen).toContain(
      'Warning Unhealthy Liveness probe failed: dial tcp 10.244.0.2:9: connect: connection refused',
    )
    expect(seen).toContain('Normal Killing Container c failed liveness probe, will be restarted')
  })
})

describe('writes', () => {
  it('are two for a pod without probes: creating, then ready', () => {
    const { clock, run, writesOf } = createTestNode()
    run('web', {})
    clock.advance(60_000)
    expect(writesOf('web')).toHaveLength(3)
  })

  it('become three with a readiness probe, and none follow', () => {
    const { clock, run, writesOf, pod } = createTestNode()
    const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 }
    run('web', { containers: [{ name: 'c', image: 'busybox:local', readinessProbe }] })
    clock.advance(60_000)
    expect(writesOf('web').map(({ containerStatuses }) => containerStatuses?.[0]?.ready)).toEqual([
      undefined,
      false,
      false,
      true,
    ])
    expect(pod('web').status.conditions?.every(({ status }) => status === 'True')).toBe(true)
  })
})

describe('crash loops', () => {
  it('restart at once, then after 10 s, 20 s, 40 s, up to five minutes', () => {
    const starts: number[] = []
    const run: ImageModel['run'] = () => {
      starts.push(node.clock.now())
      return exits(1)
    }
    const node = createTestNode({ crashing: { present: true, run } })
    node.run('p', { containers: [{ name: 'c', image: 'crashing' }] })
    node.clock.advance(3_600_000)
    const gaps = starts.slice(1).map((start, index) => (start - starts[index]!) / 1000)
    for (const [index, least] of [0, 10, 20, 40, 80, 160, 300, 300].entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(least)
      expect(gaps[index]).toBeLessThan(least + 16)
    }
    expect(node.pod('p').status.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      `back-off 5m0s restarting failed container=c pod=p_default(${node.pod('p').metadata.uid})`,
    )
  })
})

describe('deletion', () => {
  it('stops the containers, reports, and lets the pod go', () => {
    const { client, clock, run, pod, writesOf, eventsOf } = createTestNode({
      stubborn: { present: true, run: () => ({ stop: 'ignores' }) },
    })
    run('p', { containers: [{ name: 'c', image: 'stubborn' }], terminationGracePeriodSeconds: 5 })
    clock.advance(1000)
    client.delete(pods, 'default', 'p')
    clock.advance(4900)
    expect(pod('p').status.phase).toBe('Running')
    clock.advance(200)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
    expect(eventsOf('p')).toContain('Normal Killing Stopping container c')
    const last = writesOf('p').at(-1)!
    expect(last).toMatchObject({ phase: 'Failed' })
    expect(last.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 137, reason: 'Error' })
    expect(last.conditions?.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['PodReadyToStartContainers', 'False', undefined],
      ['Initialized', 'True', undefined],
      ['Ready', 'False', 'PodFailed'],
      ['ContainersReady', 'False', 'PodFailed'],
      ['PodScheduled', 'True', undefined],
    ])
  })

  it('does not wait for an image that is being pulled', () => {
    const { client, clock, run } = createTestNode({ slow: { pullMs: 600_000 } })
    run('p', { containers: [{ name: 'c', image: 'slow' }] })
    clock.advance(1000)
    client.delete(pods, 'default', 'p')
    clock.advance(100)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
    clock.advance(700_000)
  })

  it('frees the address and the runtime of what is forced away', () => {
    const { client, clock, run, pod, runtime } = createTestNode()
    run('p', {})
    clock.advance(1000)
    const gone = pod('p')
    client.delete(pods, 'default', 'p', { gracePeriodSeconds: 0 })
    clock.advance(1000)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
    expect(runtime.usage(gone)).toEqual({})
  })
})

describe('the end of a pod by its kubelet', () => {
  it('evicts', () => {
    const { kubelet, clock, run, pod, eventsOf } = createTestNode()
    run('p', {})
    clock.advance(1000)
    const message = 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. '
    kubelet.evictPod('default', 'p', 'Evicted', message)
    clock.advance(1000)
    expect(pod('p').status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message })
    expect(pod('p').status.conditions?.[0]).toMatchObject({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'TerminationByKubelet',
    })
    expect(eventsOf('p')).toContain(`Warning Evicted ${message}`)
  })

  it('holds the active deadline', () => {
    const { clock, run, pod } = createTestNode()
    run('p', { activeDeadlineSeconds: 20 })
    clock.advance(19_000)
    expect(pod('p').status.phase).toBe('Running')
    clock.advance(2000)
    expect(pod('p').status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    })
  })

  it('turns away what does not fit', () => {
    const { clock, run, pod } = createTestNode()
    const resources = { requests: { cpu: '1500m' } }
    run('a', { containers: [{ name: 'c', image: 'busybox:local', resources }] })
    clock.advance(100)
    run('b', { containers: [{ name: 'c', image: 'busybox:local', resources }] })
    clock.advance(100)
    expect(pod('b').status).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message:
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 1500, used: 1500, capacity: 2000",
    })
  })
})

describe('init containers, sidecars and hooks', () => {
  it('run in their order, and sidecars last longest', () => {
    const order: string[] = []
    const note = (model: ContainerModel): ImageModel => ({
      present: true,
      run: ({ container }) => {
        order.push(container.name)
        return model
      },
    })
    const { clock, run, pod } = createTestNode({
      init: note(exits(0, 'Completed', 1000)),
      sidecar: note({}),
      main: note(exits(0, 'Completed', 5000)),
    })
    run('p', {
      restartPolicy: 'Never',
      initContainers: [
        { name: 'one', image: 'init' },
        { name: 'proxy', image: 'sidecar', restartPolicy: 'Always' },
        { name: 'two', image: 'init' },
      ],
      containers: [{ name: 'c', image: 'main' }],
    })
    clock.advance(500)
    expect(pod('p').status.conditions?.[1]).toMatchObject({
      type: 'Initialized',
      status: 'False',
      message: 'containers with incomplete status: [one proxy two]',
    })
    expect(pod('p').status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } })
    clock.advance(20_000)
    expect(order).toEqual(['one', 'proxy', 'two', 'c'])
    expect(pod('p').status.phase).toBe('Succeeded')
  })

  it('a failed init container fails a pod that is never restarted', () => {
    const { clock, run, pod } = createTestNode({ init: { present: true, run: () => exits(1) } })
    run('p', { restartPolicy: 'Never', initContainers: [{ name: 'i', image: 'init' }] })
    clock.advance(5000)
    expect(pod('p').status.phase).toBe('Failed')
    expect(pod('p').status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } })
  })

  it('preStop delays the stop', () => {
    const { client, clock, run } = createTestNode()
    const lifecycle = { preStop: { sleep: { seconds: 7 } } }
    run('p', { containers: [{ name: 'c', image: 'busybox:local', lifecycle }] })
    clock.advance(1000)
    client.delete(pods, 'default', 'p')
    clock.advance(6900)
    expect(client.get(pods, 'default', 'p')).toBeDefined()
    clock.advance(200)
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('a startup probe holds back the others', () => {
    const { clock, run, pod } = createTestNode({
      slow: {
        present: true,
        run: () => ({ probe: (_, atMs) => ({ ok: atMs > 15_000, output: 'not yet' }) }),
      },
    })
    const probe = { tcpSocket: { port: 80 }, periodSeconds: 5 }
    run('p', {
      containers: [
        {
          name: 'c',
          image: 'slow',
          startupProbe: { ...probe, failureThreshold: 30 },
          livenessProbe: { ...probe, failureThreshold: 1 },
        },
      ],
    })
    clock.advance(12_000)
    expect(pod('p').status.containerStatuses?.[0]).toMatchObject({ started: false, restartCount: 0 })
    clock.advance(15_000)
    expect(pod('p').status.containerStatuses?.[0]).toMatchObject({
      started: true,
      ready: true,
      restartCount: 0,
    })
  })
})

describe('volumes', () => {
  it('hold the pod back until what they name is there', () => {
    const { client, clock, run, pod, eventsOf } = createTestNode()
    run('p', { volumes: [{ name: 'v', secret: { secretName: 'login' } }] })
    clock.advance(3000)
    expect(pod('p').status.containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: 'ContainerCreating' },
    })
    expect(eventsOf('p')[0]).toMatch(
      'Warning FailedMount MountVolume.SetUp failed for volume "v" : secret "login" not found',
    )
    client.create(secrets, { metadata: { name: 'login', namespace: 'default' }, data: {} })
    clock.advance(5000)
    expect(pod('p').status.phase).toBe('Running')
  })
})

describe('the node', () => {
  it('is registered as the real kubelet registers it', () => {
    const { client } = createTestNode()
    const node = client.get(nodes, '', 'node1')!
    const expected = fixture<typeof node>('node.json')
    expect(node.metadata.labels).toEqual(expected.metadata.labels)
    expect(node.status.addresses).toEqual(expected.status.addresses)
    const said = (one: typeof node) =>
      one.status.conditions?.map(({ type, status, reason, message }) => ({ type, status, reason, message }))
    expect(said(node)).toEqual(said(expected))
    expect(Object.keys(node.status).sort()).toEqual(Object.keys(expected.status).sort())
    expect(Object.keys(node.status.nodeInfo ?? {})).toEqual(Object.keys(expected.status.nodeInfo ?? {}))
  })

  it('renews its lease every ten seconds until it is made to fall silent', () => {
    const { client, clock, kubelet, run, pod } = createTestNode()
    const renewed = () => client.get(leases, 'kube-node-lease', 'node1')?.spec.renewTime
    clock.advance(60_000)
    expect(renewed()).toBe('2026-11-15T00:01:00.000000Z')
    kubelet.setHealthy(false)
    run('p', {})
    clock.advance(60_000)
    expect(renewed()).toBe('2026-11-15T00:01:00.000000Z')
    expect(pod('p').status.conditions).toBeUndefined()
    kubelet.setHealthy(true)
    clock.advance(5000)
    expect(renewed()).toBe('2026-11-15T00:02:00.000000Z')
    expect(pod('p').status.phase).toBe('Running')
  })

  it('tells of pressure', () => {
    const { client, kubelet, eventsOf } = createTestNode()
    kubelet.setPressure('DiskPressure', true)
    const condition = client.get(nodes, '', 'node1')?.status.conditions?.[1]
    expect(condition).toMatchObject({ status: 'True', reason: 'KubeletHasDiskPressure' })
    expect(eventsOf('node1')).toContain(
      'Normal NodeHasDiskPressure Node node1 status is now: NodeHasDiskPressure',
    )
  })
})
