/** Runs the contract of TelemetryQuery over HTTP, and tests what only backends far away can do wrong. */
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../../kit/index.ts'
import { startFakeBackend } from '../testing/fake-backend.ts'
import { startFakeJaeger } from '../testing/fake-jaeger.ts'
import { startFakeLoki } from '../testing/fake-loki.ts'
import { startFakePrometheus } from '../testing/fake-prometheus.ts'
import { SAMPLE_SIGNALS, type SignalSet, T0 } from '../testing/sample-signals.ts'
import { describeTelemetryQuery } from '../testing/telemetry-query-contract.ts'
import { createHttpTelemetry } from './create-http-telemetry.ts'

const NOW = T0 + 60_000

const start = async (signals: SignalSet) => {
  const backends = await Promise.all([
    startFakePrometheus(signals, NOW),
    startFakeLoki(signals),
    startFakeJaeger(signals),
  ])
  const [prometheus, loki, jaeger] = backends.map(({ url }) => url) as [string, string, string]
  return {
    query: createHttpTelemetry({ prometheus, loki: `${loki}/`, jaeger, clock: createVirtualClock(NOW) }),
    close: async () => void (await Promise.all(backends.map((backend) => backend.close()))),
  }
}

describeTelemetryQuery('over Prometheus, Loki and Jaeger', start)

describe('telemetry over HTTP', () => {
  it('asks for more lines than a server gives at a time, page by page', async () => {
    const logs = Array.from({ length: 11_000 }, (_, n) => ({
      ...SAMPLE_SIGNALS.logs[0]!,
      time: T0 + n,
      text: `line ${n}`,
    }))
    const { query, close } = await start({ ...SAMPLE_SIGNALS, logs })
    const found = await query.logs({ limit: 10_500 })
    expect(found).toHaveLength(10_500)
    expect([found[0]!.text, found.at(-1)!.text]).toEqual(['line 500', 'line 10999'])
    await close()
  })

  it('finds alerts of a time longer ago than it looks back by itself', async () => {
    const asked: string[] = []
    const backend = await startFakeBackend((_path, parameters) => {
      asked.push(parameters.get('query') ?? '')
      return { body: { status: 'success', data: { result: [], alerts: [], groups: [] } } }
    })
    const { url } = backend
    const query = createHttpTelemetry({
      prometheus: url,
      loki: url,
      jaeger: url,
      clock: createVirtualClock(NOW),
      lookbackMs: 1000,
    })
    await query.alerts({ range: { from: NOW - 500_000, to: NOW - 400_000 } })
    expect(asked).toContain('ALERTS{alertstate="firing"}[501002ms]')
    await backend.close()
  })

  it('tells severities from the lines where nothing else does', async () => {
    const loki = await startFakeBackend(() => ({
      body: {
        status: 'success',
        data: {
          resultType: 'streams',
          result: [{ stream: { pod: 'p' }, values: [[`${T0}000000`, 'ERROR: it broke']] }],
        },
      },
    }))
    const { url } = loki
    const query = createHttpTelemetry({
      prometheus: url,
      loki: url,
      jaeger: url,
      clock: createVirtualClock(NOW),
    })
    expect(await query.logs({ limit: 1 })).toMatchObject([{ severity: 'error', service: '', time: T0 }])
    await loki.close()
  })

  it('says which backend does not answer, and what another answered', async () => {
    const broken = await startFakeBackend(() => ({ status: 500, body: 'out of memory' }))
    const odd = await startFakeBackend(() => ({ body: '<html>' }))
    const { close, url: gone } = await startFakeBackend(() => undefined)
    await close()
    const query = createHttpTelemetry({
      prometheus: broken.url,
      loki: odd.url,
      jaeger: gone,
      clock: createVirtualClock(NOW),
    })
    await expect(query.metricNames()).rejects.toMatchObject({
      code: 'tool-failed',
      message: `Prometheus at ${broken.url} answered with status 500: out of memory.`,
    })
    await expect(query.logs()).rejects.toThrow(`Loki at ${odd.url} answered something that is no JSON.`)
    await expect(query.spans()).rejects.toThrow(`Jaeger at ${gone} does not answer.`)
    await broken.close()
    await odd.close()
  })
})
