/** Tests the runtime of programs with a real kubelet, under a virtual clock. */
import { expect, it } from 'vitest'
import { configMaps, deployments, events, persistentVolumeClaims, pods } from '#platform/kube/kinds'
import { createSimCluster, type SimCluster } from './testing/create-sim-cluster.ts'
import { createServer, idle, server } from './testing/test-programs.ts'

const MIB = 2 ** 20
const HTTP_PROBE = { httpGet: { path: '/health', port: 8080 }, periodSeconds: 1 }

const images = {
  'app:1': { main: server, mainBytes: 40 * MIB },
  'idle:1': { main: idle },
  'tools:1': {},
}

const eventsOf = ({ client }: SimCluster, name: string): string[] =>
  client
    .list(events, 'default')
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`)

const statusOf = (sim: SimCluster, name: string) => sim.pod(name).status.containerStatuses![0]!

it('runs a Deployment whose pods become ready when their programs answer', async () => {
  const sim = createSimCluster(images)
  await sim.run(async () => {
    sim.client.create(deployments, {
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'main', image: 'app:1', readinessProbe: HTTP_PROBE }] },
        },
      },
    } as never)
    await sim.until(() => sim.client.get(deployments, 'default', 'web')?.status.readyReplicas === 2)
    const [first] = sim.client.list(pods, 'default')
    const name = first!.metadata.name!
    expect(await sim.log(name)).toMatch(/^ready\nGET \/health\n/)
    expect(statusOf(sim, name).imageID).toMatch(/^docker.io\/library\/app@sha256:/)
    expect(sim.containerOf(name).processes()).toMatchObject([{ id: 1, isFromExec: false }])
    sim.client.delete(pods, 'default', name)
    // The program handles TERM.
    await sim.until(() => sim.client.get(pods, 'default', name) === undefined, 5)
  })
})

it('restarts a container whose liveness probe fails', async () => {
  let isHealthy = true
  const main = createServer(() => ({ status: isHealthy ? 200 : 503, headers: {}, body: 'state' }))
  const sim = createSimCluster({ 'app:1': { main } })
  await sim.run(async () => {
    sim.createPod('web', { livenessProbe: { ...HTTP_PROBE, failureThreshold: 2 } })
    await sim.wait(20)
    expect(statusOf(sim, 'web').restartCount).toBe(0)
    isHealthy = false
    await sim.until(() => statusOf(sim, 'web').restartCount === 1)
    isHealthy = true
    expect(eventsOf(sim, 'web')).toContain(
      'Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 503',
    )
    expect(statusOf(sim, 'web').lastState?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' })
    expect(await sim.log('web', { previous: true, tailLines: 1 })).toBe('GET /health\n')
  })
})

it('reports failures of probes as a kubelet does', async () => {
  const sim = createSimCluster(images)
  await sim.run(async () => {
    const period = { periodSeconds: 1, timeoutSeconds: 1 }
    const probes = {
      closed: { tcpSocket: { port: 80 }, ...period },
      false: { exec: { command: ['false'] }, ...period },
      slow: { exec: { command: ['sleep', '3'] }, ...period },
      missing: { exec: { command: ['/bin/none'] }, ...period },
      grpc: { grpc: { port: 8080 }, ...period },
    }
    for (const [name, readinessProbe] of Object.entries(probes)) sim.createPod(name, { readinessProbe })
    await sim.wait(5)
    const { podIP } = sim.pod('closed').status
    const unhealthy = (name: string) => eventsOf(sim, name).find((text) => text.startsWith('Unhealthy'))
    expect(unhealthy('closed')).toBe(
      `Unhealthy: Readiness probe failed: dial tcp ${podIP}:80: connect: connection refused`,
    )
    expect(unhealthy('false')).toBe('Unhealthy: Readiness probe failed: ')
    expect(unhealthy('slow')).toBe(
      'Unhealthy: Readiness probe failed: command timed out: "sleep 3" timed out after 1s',
    )
    expect(unhealthy('missing')).toMatch(
      /^Unhealthy: Readiness probe errored: rpc error: code = Unknown desc = failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: unable to start container process: exec: "\/bin\/none": stat \/bin\/none: no such file or directory: unknown$/,
    )
    expect(unhealthy('grpc')).toMatch(/^Unhealthy: Readiness probe failed: error: health rpc probe failed/)
    expect(sim.containerOf('slow').processes().length).toBeLessThanOrEqual(2)
  })
})

it('kills a container above its memory limit', async () => {
  const sim = createSimCluster(images)
  await sim.run(async () => {
    sim.createPod('full', { resources: { limits: { memory: '64Mi' } } })
    await sim.until(() => sim.isReady('full'))
    // Not awaited: the exec ends only when the detached program closes its output.
    void sim.exec('full', ['detach', 'allocate', '10'])
    await sim.wait(1)
    expect(sim.containerOf('full').resources.read().memoryWorkingSet).toBe(51 * MIB)
    expect(await sim.exec('full', ['allocate', '30'])).toMatchObject({ code: 137 })
    await sim.until(() => statusOf(sim, 'full').restartCount === 1)
    expect(statusOf(sim, 'full').lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' })
    expect(sim.containerOf('full').resources.read().memoryWorkingSet).toBe(40 * MIB)
  })
})

it('runs commands with their own output, and refuses missing programs', async () => {
  const sim = createSimCluster(images)
  await sim.run(async () => {
    sim.createPod('box', { command: ['sleep', '1000'], env: [{ name: 'A', value: '1' }] })
    await sim.until(() => sim.isReady('box'))
    expect(await sim.exec('box', ['cat'], 'typed')).toEqual({ code: 0, out: 'typed', error: '' })
    expect(await sim.exec('box', ['cat', '/none'])).toMatchObject({ code: 1, out: '' })
    expect((await sim.exec('box', ['env'])).out).toContain('HOSTNAME=box\nA=1\n')
    expect((await sim.exec('box', ['cat', '/etc/hosts'])).out).toContain(
      `${sim.pod('box').status.podIP}\tbox`,
    )
    expect((await sim.exec('box', ['ps'])).out).toMatch(/^1 sleep 1000\n\d+ ps\n$/)
    await expect(sim.exec('box', ['bash'])).rejects.toThrow(
      'exec: "bash": executable file not found in $PATH: unknown',
    )
    expect(await sim.log('box')).toBe('')
    sim.createPod('none', { command: ['bash', '-c', 'true'] })
    await sim.wait(3)
    expect(
      statusOf(sim, 'none').lastState?.terminated ?? statusOf(sim, 'none').state?.terminated,
    ).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
      message:
        'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "bash": executable file not found in $PATH: unknown',
    })
    sim.createPod('unknown', { image: 'nope' })
    await sim.wait(3)
    expect(statusOf(sim, 'unknown').state?.waiting?.reason).toMatch(/ErrImagePull|ImagePullBackOff/)
  })
})

it('reports the errors, the logs and the termination messages of programs', async () => {
  const sim = createSimCluster(images)
  await sim.run(async () => {
    sim.createPod(
      'crashing',
      { command: ['crash'], terminationMessagePolicy: 'FallbackToLogsOnError' },
      { restartPolicy: 'Never' },
    )
    sim.createPod(
      'writing',
      { command: ['append', '/dev/termination-log', 'done'] },
      { restartPolicy: 'Never' },
    )
    await sim.until(() => sim.pod('crashing').status.phase === 'Failed')
    expect(statusOf(sim, 'crashing').state?.terminated).toMatchObject({
      exitCode: 1,
      reason: 'Error',
      message: 'Error: the program crashed\n',
    })
    expect(sim.errors).toEqual([new Error('the program crashed')])
    expect(await sim.log('crashing', { timestamps: true })).toMatch(
      /^2026-01-01T00:00:\d\d\.\d{9}Z Error: the program crashed\n$/,
    )
    expect(sim.pod('writing').status.phase).toBe('Succeeded')
    expect(statusOf(sim, 'writing').state?.terminated).toMatchObject({ message: 'done', reason: 'Completed' })
  })
})

it('refreshes config maps, and keeps the content of claims when pods are replaced', async () => {
  const sim = createSimCluster(images)
  await sim.run(async () => {
    const { client } = sim
    const map = { metadata: { name: 'settings', namespace: 'default' }, data: { mode: 'fast' } }
    client.create(configMaps, map as never)
    client.create(persistentVolumeClaims, {
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    } as never)
    const volumes = [
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'cache', emptyDir: {} },
    ]
    const volumeMounts = [
      { name: 'settings', mountPath: '/settings' },
      { name: 'settings', mountPath: '/fixed', subPath: 'mode' },
      { name: 'data', mountPath: '/data', subPath: 'db' },
      { name: 'cache', mountPath: '/cache' },
    ]
    const start = async () => {
      sim.createPod('db', { image: 'idle:1', volumeMounts }, { volumes })
      await sim.until(() => sim.isReady('db'))
    }
    const read = async (path: string) => (await sim.exec('db', ['cat', path])).out
    await start()
    expect(await read('/settings/mode')).toBe('fast')
    await sim.exec('db', ['append', '/data/rows', 'one'])
    await sim.exec('db', ['append', '/cache/file', 'x'])
    expect((await sim.exec('db', ['append', '/settings/mode', 'x'])).error).toContain('EROFS')
    client.update(configMaps, {
      ...client.get(configMaps, 'default', 'settings')!,
      data: { mode: 'slow' },
    } as never)
    await sim.wait(90)
    expect(await read('/settings/mode')).toBe('slow')
    expect(await read('/fixed')).toBe('fast')
    sim.containerOf('db').kill()
    await sim.until(() => statusOf(sim, 'db').restartCount === 1 && sim.isReady('db'))
    expect(await read('/cache/file')).toBe('x')
    client.delete(pods, 'default', 'db')
    await sim.until(() => client.get(pods, 'default', 'db') === undefined)
    const copies = sim.disks.copy()
    await start()
    expect(await read('/data/rows')).toBe('one')
    expect((await sim.exec('db', ['cat', '/cache/file'])).code).toBe(1)
    await sim.exec('db', ['append', '/data/rows', ' two'])
    const [path] = copies.changedClaims()
    copies.restoreClaim(path!)
    expect(await read('/data/rows')).toBe('one')
  })
})

it('follows logs, and reports usage and disk usage', async () => {
  const sim = createSimCluster(images)
  await sim.run(async () => {
    sim.createPod('web', { image: 'app:1', readinessProbe: HTTP_PROBE })
    await sim.until(() => sim.isReady('web'))
    const lines: string[] = []
    sim.containerOf('web').followLog(({ text }) => lines.push(text))
    const followed = sim.log('web', { follow: true, sinceTime: sim.clock.now() })
    const runtime = sim.cluster.nodes.runtimeOf(sim.pod('web').spec.nodeName!)!
    void sim.containerOf('web').resources.cpu.use(2000)
    await sim.wait(6)
    expect(runtime.usage(sim.pod('web')).main).toMatchObject({ memory: 40 * MIB })
    expect(runtime.usage(sim.pod('web')).main!.cpu).toBeGreaterThan(0.1)
    await sim.exec('web', ['append', '/tmp/file', 'x'])
    const disk = await new Promise((resolve) => runtime.diskUsage(sim.pod('web'), resolve))
    expect(disk).toMatchObject({ ok: true, value: { containers: { main: expect.any(Number) } } })
    expect((disk as { value: { containers: { main: number } } }).value.containers.main).toBeGreaterThan(4096)
    sim.containerOf('web').kill()
    expect(await followed).toMatch(/^(GET \/health\n){5,7}$/)
    expect(lines[0]).toBe('ready')
    expect(lines.length).toBeGreaterThan(5)
  })
})

it('notifies listeners when containers start and pods are removed', async () => {
  const sim = createSimCluster(images)
  const seen: string[] = []
  sim.pods.onContainerStart(({ name, pod }) => seen.push(`${pod.name}/${name} starts`))
  sim.pods.onRemoval((uid) => seen.push(`${sim.pods.find(uid)?.name} ends`))
  await sim.run(async () => {
    sim.createPod('web', {})
    await sim.until(() => sim.isReady('web'))
    sim.containerOf('web').kill()
    await sim.until(() => statusOf(sim, 'web').restartCount === 1)
    sim.client.delete(pods, 'default', 'web')
    await sim.until(() => sim.client.get(pods, 'default', 'web') === undefined)
  })
  expect(seen).toEqual(['web/main starts', 'web/main starts', 'web ends'])
  expect(sim.pods.all()).toEqual([])
})
