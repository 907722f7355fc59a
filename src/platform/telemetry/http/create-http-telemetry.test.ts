/** Runs the contract suite of TelemetryQuery over HTTP, and tests failures of remote backends. */
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { startFakeBackend } from '../testing/fake-backend.ts'
import { startFakeJaeger } from '../testing/fake-jaeger.ts'
import { startFakeLoki } from '../testing/fake-loki.ts'
import { startFakePrometheus } from '../testing/fake-prometheus.ts'
import { SAMPLE_SIGNALS, type SignalSet, T0 } from '../testing/sample-signals.ts'
import { describeTelemetryQuery } from '../testing/telemetry-query-contract.ts'
import { createHttpTelemetry } from './create-http-telemetry.ts'

const NOW = T0 + 60_000

const startTelemetry = async (signals: SignalSet) => {
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

describeTelemetryQuery('over Prometheus, Loki and Jaeger', startTelemetry)

describe('telemetry over HTTP', () => {
  it('fetches log lines in several pages if they exceed the limit of the server', async () => {
    const logs = Array.from({ length: 11_000 }, (_, n) => ({
      ...SAMPLE_SIGNALS.logs[0]!,
      time: T0 + n,
      text: `line ${n}`,
    }))
    const { query, close } = await startTelemetry({ ...SAMPLE_SIGNALS, logs })
    const lines = await query.logs({ limit: 10_500 })
    expect(lines).toHaveLength(10_500)
    expect([lines[0]!.text, lines.at(-1)!.text]).toEqual(['line 500', 'line 10999'])
    await close()
  })

  it('finds alerts from before the default time range', async () => {
    const requested: string[] = []
    const backend = await startFakeBackend((_path, parameters) => {
      requested.push(parameters.get('query') ?? '')
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
    expect(requested).toContain('ALERTS{alertstate="firing"}[501002ms]')
    await backend.close()
  })

  it('detects severities from lines without a level', async () => {
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

  it('reports which backend failed and how', async () => {
    const broken = await startFakeBackend(() => ({ status: 500, body: 'out of memory' }))
    const html = await startFakeBackend(() => ({ body: '<html>' }))
    const { close, url: closedUrl } = await startFakeBackend(() => undefined)
    await close()
    const query = createHttpTelemetry({
      prometheus: broken.url,
      loki: html.url,
      jaeger: closedUrl,
      clock: createVirtualClock(NOW),
    })
    await expect(query.metricNames()).rejects.toMatchObject({
      code: 'tool-failed',
      message: `Prometheus at ${broken.url} responded with status 500: out of memory.`,
    })
    await expect(query.logs()).rejects.toThrow(`Loki at ${html.url} sent a response that is not JSON.`)
    await expect(query.spans()).rejects.toThrow(`Jaeger at ${closedUrl} does not respond.`)
    await broken.close()
    await html.close()
  })
})
