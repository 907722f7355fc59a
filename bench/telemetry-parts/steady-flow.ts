/** Measures the CPU time that the engine needs to receive spans and log lines from seventy pods. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRealClock } from '#kit'
import { createSpanSockets, createTelemetry, createTelemetryStore } from '#platform/telemetry'
import type { ApiObject, KubeApi } from '#spec'

const PODS = 70
const SENDERS = 10
const SPANS_PER_SECOND = 1000
const LINES_PER_SECOND = 500
const PRINT_MS = 100
const LINE = '2026-11-15 09:00:00.123  INFO 1 --- [nio-8080-exec-1] o.OrderController : get order'

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

/** Passes `LINES_PER_SECOND` log lines a second to the sinks of the pods in turn. */
const printLines = (sinks: readonly ((chunk: Buffer) => void)[]): NodeJS.Timeout => {
  let lines = 0
  return setInterval(() => {
    for (let line = 0; line < (LINES_PER_SECOND * PRINT_MS) / 1000; line += 1) {
      const stamp = `${new Date().toISOString().slice(0, 23)}${String(lines % 1e6).padStart(6, '0')}Z`
      sinks[lines++ % PODS]!(Buffer.from(`${stamp} ${LINE}\n`))
    }
  }, PRINT_MS)
}

const startSenders = (folder: string): ChildProcess[] =>
  Array.from({ length: SENDERS }, (_, sender) =>
    fork(join(import.meta.dirname, 'span-sender.ts'), [
      join(folder, `pod-${sender}`, 'telemetry.sock'),
      String(SPANS_PER_SECOND / SENDERS),
      String(sender),
    ]),
  )

/** Resolves to the share of a core that this process used, and the numbers of written spans and dropped signals. */
export const measureSteadyFlow = async (
  measuredMs: number,
): Promise<{ share: number; spans: number; dropped: number }> => {
  const folder = mkdtempSync(join(tmpdir(), 'telemetry-bench-'))
  const clock = createRealClock({ keepsAlive: true })
  const store = createTelemetryStore({ file: join(folder, 'bench.sqlite'), clock })
  const sinks: ((chunk: Buffer) => void)[] = []
  const telemetry = await createTelemetry({
    store,
    api,
    clock,
    namespace: 'bench',
    openSpans: (receiver) => createSpanSockets({ folder, ...receiver }),
    statistics: { read: () => READING },
    followLogs(_pod, _container, { onChunk }) {
      sinks.push(onChunk)
      return () => {}
    },
    onError: (error) => console.error(error),
  })
  telemetry.startAlerts()
  const printTimer = printLines(sinks)
  const senders = startSenders(folder)
  try {
    // The senders need time to start.
    await pause(measuredMs / 5)
    const before = process.cpuUsage()
    const started = performance.now()
    await pause(measuredMs)
    const { user, system } = process.cpuUsage(before)
    const share = (user + system) / 1000 / (performance.now() - started)
    const { rows } = await store.sql('SELECT count(*) AS spans FROM spans')
    return { share, spans: Number(rows[0]!.spans), dropped: store.dropped().spans + store.dropped().logs }
  } finally {
    clearInterval(printTimer)
    for (const sender of senders) sender.kill()
    await telemetry.close()
    await store.close()
    rmSync(folder, { recursive: true })
  }
}
