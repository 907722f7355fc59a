/** What it costs the engine's process to take in spans and lines from seventy pods. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRealClock } from '../../src/kit/index.ts'
import type { ApiObject, KubeApi } from '../../src/spec/index.ts'
import { createTelemetry, createTelemetryStore } from '../../src/telemetry/index.ts'

const PODS = 70
const SENDERS = 10
const SPANS_A_SECOND = 1000
const LINES_A_SECOND = 500
const SETTLE_MS = 3000
const MEASURED_MS = 15_000

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

const podNamed = (name: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'bench', uid: name, labels: { app: name } },
  spec: { nodeName: 'node1' },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [
      { name: 'c', ready: true, restartCount: 0, containerID: 'c', state: { running: {} } },
    ],
  },
})

const api: Pick<KubeApi, 'watch'> = {
  async watch({ plural }, _options, onEvent) {
    for (let pod = 0; plural === 'pods' && pod < PODS; pod += 1)
      onEvent({ type: 'ADDED', object: podNamed(`pod-${pod}`) })
    return () => {}
  },
}

const READING = {
  containers: {
    c: {
      cpuSeconds: 1,
      cpuPeriods: 1,
      cpuThrottledPeriods: 0,
      cpuThrottledSeconds: 0,
      memoryWorkingSet: 1,
      memoryLimit: 9,
      readBytes: 1,
      writtenBytes: 1,
    },
  },
  network: { receivedBytes: 1, sentBytes: 1, receiveDropped: 0, sendDropped: 0 },
}

/** Shares of a core, and what was lost. */
export const measureSteadyFlow = async (): Promise<{ share: number; spans: number; dropped: number }> => {
  const folder = mkdtempSync(join(tmpdir(), 'telemetry-bench-'))
  const clock = createRealClock({ keepsAlive: true })
  const store = createTelemetryStore({ file: join(folder, 'bench.sqlite'), clock })
  const logs: ((chunk: Buffer) => void)[] = []
  const telemetry = await createTelemetry({
    store,
    api,
    clock,
    namespace: 'bench',
    socketFolder: folder,
    statistics: { read: () => READING },
    followLogs(_pod, _container, { onChunk }) {
      logs.push(onChunk)
      return () => {}
    },
    onError: (error) => console.error(error),
  })
  telemetry.beginAlerts()
  let lines = 0
  const printing = setInterval(() => {
    for (let one = 0; one < LINES_A_SECOND / 10; one += 1) {
      const stamp = `${new Date().toISOString().slice(0, 23)}${String(lines % 1e6).padStart(6, '0')}Z`
      const text = '2026-11-15 09:00:00.123  INFO 1 --- [nio-8080-exec-1] o.OrderController : get order'
      logs[lines++ % PODS]!(Buffer.from(`${stamp} ${text}\n`))
    }
  }, 100)
  const program = join(import.meta.dirname, 'talkative-pod.ts')
  const senders: ChildProcess[] = Array.from({ length: SENDERS }, (_, sender) =>
    fork(program, [
      join(folder, `pod-${sender}`, 'telemetry.sock'),
      String(SPANS_A_SECOND / SENDERS),
      String(sender),
    ]),
  )
  try {
    await pause(SETTLE_MS)
    const before = process.cpuUsage()
    const started = performance.now()
    await pause(MEASURED_MS)
    const { user, system } = process.cpuUsage(before)
    const share = (user + system) / 1000 / (performance.now() - started)
    const { rows } = await store.sql('SELECT count(*) AS spans FROM spans')
    return { share, spans: Number(rows[0]!.spans), dropped: store.dropped().spans + store.dropped().logs }
  } finally {
    clearInterval(printing)
    for (const sender of senders) sender.kill()
    await telemetry.close()
    await store.close()
    rmSync(folder, { recursive: true })
  }
}
