/** Tests the telemetry of a live system: signals, alerts, epochs, and the file that remains. Needs root. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalEngine, type LocalCluster } from '#platform/engines/local'
import { openTelemetry } from '#platform/telemetry'
import { loadSystem } from '#world/systems'

const folder = mkdtempSync(join(tmpdir(), 'remedium-telemetry-'))
const file = join(folder, 'kept.sqlite')
const errors: unknown[] = []
const engine = createLocalEngine({ onError: (_where, error) => errors.push(error) })
let cluster: LocalCluster
let namespace: string

beforeAll(async () => {
  const system = await loadSystem('simple-micro')
  namespace = system.namespace
  cluster = await engine.provision(system, { telemetryFile: file })
})
afterAll(async () => {
  await cluster?.close()
  rmSync(folder, { recursive: true, force: true })
})

const HELLO = { apiVersion: 'apps/v1', plural: 'deployments', name: 'hello-service' }
const query = () => cluster.telemetry!.query
const listActiveAlerts = async () => (await query().alerts({ active: true })).map(({ name }) => name)
const setImage = (image: string) =>
  cluster.api.patch({ ...HELLO, namespace }, 'strategic', {
    spec: { template: { spec: { containers: [{ name: 'hello-service', image }] } } },
  })

describe('the telemetry of a live system', () => {
  it('has a read-only folder with a socket in every pod', async () => {
    const { items } = await cluster.api.list({ apiVersion: 'v1', plural: 'pods', namespace })
    for (const { metadata } of items) {
      const script = 'ls -A /run/remedium; touch /run/remedium/x 2>&1 || true'
      const { stdout } = await cluster.api.exec({ namespace, name: metadata.name }, ['sh', '-c', script])
      expect(stdout.split('\n')[0]).toBe('telemetry.sock')
      expect(stdout).toContain('Read-only file system')
    }
  })

  it('contains calls, logs, events, usage and metrics', async () => {
    const { url } = cluster.entryPoints[0]!
    for (let visit = 0; visit < 5; visit += 1) expect((await fetch(url)).status).toBe(200)
    await expect
      .poll(async () => (await query().graph()).map(({ from, to, count }) => [from, to, count]))
      .toEqual([['hello-service', 'time-service', 5]])
    expect((await query().logs({ services: ['time-service'] }))[0]!.text).toContain('time-service')
    expect((await query().events()).map(({ reason }) => reason)).toContain('Started')
    await expect
      .poll(async () => await query().metricNames())
      .toEqual(
        expect.arrayContaining([
          'container_cpu_usage_seconds_total',
          'container_memory_working_set_bytes',
          'container_network_receive_bytes_total',
          'kube_pod_container_status_restarts_total',
          'requests_served_total',
        ]),
      )
    const [memory] = await query().metric('container_memory_working_set_bytes', {
      services: ['hello-service'],
      labels: { container: 'hello-service' },
      limit: 1,
    })
    expect(memory!.value).toBeGreaterThan(2 ** 20)
    const [received] = await query().metric('container_network_receive_bytes_total', { limit: 1 })
    expect(received!.value).toBeGreaterThan(0)
  })

  it('assigns a span to the pod that sent it, regardless of the pod that the span names', async () => {
    const { items } = await cluster.api.list({ apiVersion: 'v1', plural: 'pods', namespace })
    const { name } = items.find(({ metadata }) => metadata.name.startsWith('time-service'))!.metadata
    const forgery = `import json, socket, time
connection = socket.socket(socket.AF_UNIX)
connection.connect("/run/remedium/telemetry.sock")
span = dict(traceId="a" * 32, spanId="b" * 16, name="forged", service="hello-service", pod="hello-service-1",
            kind="internal", start=time.time() * 1000, durationMs=1, status="ok", attributes={})
connection.sendall(json.dumps({"spans": [span]}).encode() + b"\\n")
`
    const { exitCode, stderr } = await cluster.api.exec({ namespace, name }, ['python3', '-c', forgery])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    await expect
      .poll(async () => await query().trace('a'.repeat(32)))
      .toMatchObject([{ service: 'time-service', pod: name }])
  })

  it('raises an alert for a missing image, and clears it with a reset, which starts a new epoch', async () => {
    expect(await query().alerts()).toEqual([])
    await setImage('python:0.0-missing')
    await expect.poll(listActiveAlerts).toContain('PodImagePullFailing')
    await cluster.reset()
    expect(await listActiveAlerts()).toEqual([])
    const { rows } = await cluster.telemetry!.sql('SELECT name FROM epochs ORDER BY id')
    expect(rows.map(({ name }) => name)).toEqual(['ready', 'reset'])
  })

  it('raises an alert for failed journey runs, and keeps the runs', async () => {
    const now = (await query().extent())!.to
    const runs = Array.from({ length: 10 }, (_, run) => ({
      journey: 'hello',
      run,
      intended: now - 500,
      started: now - 500,
      latencyMs: 100,
      ok: false,
      failedAt: 'hello',
    }))
    cluster.telemetry!.record([], runs)
    await expect.poll(listActiveAlerts).toContain('JourneyErrorBudgetBurn')
    expect(await query().journeys()).toMatchObject([{ journey: 'hello', count: 10, errors: 10 }])
  })

  it('is a single file after the cluster has been closed', async () => {
    await expect(engine.provision(await loadSystem('simple-micro'), { telemetryFile: file })).rejects.toThrow(
      'already exists',
    )
    await cluster.close()
    expect(readdirSync(folder)).toEqual(['kept.sqlite'])
    expect(existsSync(cluster.folder)).toBe(false)
    const opened = openTelemetry(file)
    expect(await opened.query.graph()).toMatchObject([{ from: 'hello-service', to: 'time-service' }])
    expect((await opened.query.alerts({ active: true })).length).toBe(0)
    await opened.close()
    expect(errors).toEqual([])
  })
})
