/** Tests the generator process, and journey runs in this process, against a real server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GeneratorHealth, JourneyRecord, LoadProfile, RequestRecord } from '#spec'
import { runAllJourneys } from '../journeys/run-all-journeys.ts'
import { parseJourneys } from '../parsing/parse-journeys.ts'
import { openTestShop, type TestShop } from '../testing/test-shop.ts'
import { startWorkload } from './start-workload.ts'

const WORKLOAD = parseJourneys(
  `
journeys:
  - name: browse
    needs: [login]
    steps:
      - {name: ok, request: GET /ok, expect: 'body == "fine"'}
      - {name: never, request: GET /broken, when: 'false'}
      - name: echo
        request: POST /echo
        headers: {x-user: '\${user.name}'}
        let: {word: '"w" + string(user.index)'}
        json: '{"word": word, "name": session.name}'
        expect: status == 200 && parseJson(body.body).word == word
        keep: {kept: body.type}
      - {name: form, request: POST /echo, form: {a: kept, b: 1 + 1}, expect: body.body == "a=application%2Fjson&b=2"}
  - {name: login, weight: 0, steps: [{name: login, request: POST /login, keepInSession: {name: body}}]}
  - {name: empty, weight: 0, steps: [{name: list, request: GET /empty-shop, expect: size(body.items) > 0}]}
  - {name: broken, weight: 0, steps: [{name: page, request: GET /broken}]}
  - {name: lacking, weight: 0, steps: [{name: page, request: GET /empty-shop, keep: {first: body.first.id}}]}
  - {name: slow, weight: 0, steps: [{name: page, request: GET /silent, timeoutMs: 40}]}
`,
  'journeys.yaml',
)

let shop: TestShop
let folder: string

beforeAll(async () => {
  shop = await openTestShop()
  folder = mkdtempSync(join(tmpdir(), 'workload-'))
})
afterAll(async () => {
  await shop.close()
  rmSync(folder, { recursive: true })
})

const start = async (load: LoadProfile, durationMs?: number) => {
  const requests: RequestRecord[] = []
  const journeys: JourneyRecord[] = []
  const running = await startWorkload({
    workload: WORKLOAD,
    load,
    durationMs,
    entryPoints: shop.entryPoints,
    seed: 's',
    onRecords(batch) {
      requests.push(...batch.requests)
      journeys.push(...batch.journeys)
    },
  })
  return { running, requests, journeys }
}

describe('running every journey once', () => {
  it('checks status and content, and reports the reason for a failure', async () => {
    const { requests, journeys } = await runAllJourneys({
      workload: WORKLOAD,
      entryPoints: shop.entryPoints,
      seed: 's',
    })
    expect(journeys.map(({ journey, ok, failedAt }) => [journey, ok, failedAt])).toEqual([
      ['login', true, undefined],
      ['browse', true, undefined],
      ['empty', false, 'list'],
      ['broken', false, 'page'],
      ['lacking', false, 'page'],
      ['slow', false, 'page'],
    ])
    const failed = requests.filter(({ outcome }) => outcome !== 'ok')
    expect(failed.map(({ outcome, status, detail }) => [outcome, status, detail])).toEqual([
      ['content', 200, 'expected size(body.items) > 0, got {"items": []}'],
      ['status', 500, 'no stock today'],
      ['content', 200, expect.stringContaining('lacking.page.keep.first')],
      ['timeout', 0, 'no answer within 40 ms'],
    ])
    const echo = shop.requests.find(({ headers }) => headers['x-user'] === 'user-0')!
    const { traceId } = requests.find(({ step }) => step === 'echo')!
    expect(echo.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    expect(JSON.parse(echo.body)).toEqual({ word: 'w0', name: 'hello session=' })
    expect(requests.some(({ step }) => step === 'never')).toBe(false)
  })

  it('rejects an entry point that is not open', async () => {
    const otherEntryPoint = parseJourneys(
      'journeys: [{name: a, steps: [{name: s, request: GET /, entryPoint: back}]}]',
      'j',
    )
    await expect(
      runAllJourneys({ workload: otherEntryPoint, entryPoints: shop.entryPoints, seed: 's' }),
    ).rejects.toThrow(
      'The step "s" of the journey "a" uses the entry point "back"; the open entry points are shop.',
    )
  })
})

describe('a generator process', () => {
  it('sends the load for its duration, and reports every record and its health', async () => {
    const { running, requests, journeys } = await start(
      { loop: 'open', arrivals: { kind: 'constant', rate: 100 }, users: 2 },
      500,
    )
    const health: GeneratorHealth = await running.ended
    expect(health).toMatchObject({ arrivals: 50, dropped: 0 })
    expect(health.cpu).toBeGreaterThan(0)
    const browsed = journeys.filter(({ journey }) => journey === 'browse')
    expect(browsed).toHaveLength(50)
    expect(browsed.every(({ ok }) => ok)).toBe(true)
    expect(requests).toHaveLength(3 * 50 + 2)
    for (const { intended, started, latencyMs } of requests) {
      expect(started).toBeGreaterThanOrEqual(intended)
      expect(latencyMs).toBeGreaterThanOrEqual(started - intended)
    }
  })

  it('runs until it is stopped, and waits for active runs', async () => {
    const { running, journeys } = await start({ loop: 'closed', users: 3, thinkMs: { min: 5, max: 10 } })
    await expect.poll(() => journeys.length).toBeGreaterThan(5)
    const { arrivals } = await running.stop()
    expect(journeys.filter(({ journey }) => journey === 'browse')).toHaveLength(arrivals)
  })

  it('is reported with the signal that ended it', async () => {
    const { running } = await start({ loop: 'closed', users: 1, thinkMs: { min: 5, max: 10 } })
    process.kill(running.pid, 'SIGKILL')
    await expect(running.ended).rejects.toThrow('The load generator process was ended by SIGKILL.')
    await expect(running.stop()).rejects.toThrow('by SIGKILL')
  })

  it('replays a trace, and rejects an invalid one before it starts', async () => {
    const file = join(folder, 'trace.csv')
    const load: LoadProfile = { loop: 'open', arrivals: { kind: 'replay', file } }
    writeFileSync(file, 'ms,journey\n0,login\n20,empty\n40,login\n')
    const { running, journeys } = await start(load)
    await running.ended
    // Runs are recorded when they end, and a slow login can end after the empty journey that started later.
    journeys.sort((a, b) => a.run - b.run)
    expect(journeys.map(({ journey }) => journey)).toEqual(['login', 'empty', 'login'])
    writeFileSync(file, 'ms,journey\n0,log\n')
    await expect(start(load)).rejects.toThrow(
      'trace.csv:2: "journey" must be one of browse, login, empty, broken, lacking, slow, not "log"',
    )
    rmSync(file)
    await expect(start(load)).rejects.toThrow('trace.csv cannot be read.')
  })
})
