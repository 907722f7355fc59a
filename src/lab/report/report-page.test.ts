/** Tests that the page is safe, complete and limited in size. */
import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { EpisodeEvent } from '#spec'
import { reportPage } from './report-page.ts'
import { exampleProblem, exampleRecord, exampleResult } from './testing/example-record.ts'
import { exampleRun } from './testing/example-run.ts'
import type { EpisodeDetails } from './view/story.ts'

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror='alert("2")'>\u2028\u2029<!--`

const storiesOf = (page: string): EpisodeDetails[] =>
  [...page.matchAll(/<script type="text\/plain" id="story-\d+">([\w+/=]*)<\/script>/g)].map(
    ([, base64 = '']) => JSON.parse(inflateSync(Buffer.from(base64, 'base64')).toString()),
  )

const shellStep = (observation: string): EpisodeEvent => ({
  at: 3000,
  type: 'step-taken',
  action: 'exec_shell',
  input: { command: HOSTILE },
  observation,
})

const hostileRun = () =>
  exampleRun({
    name: HOSTILE,
    manifest: {
      command: HOSTILE,
      commit: HOSTILE,
      engine: HOSTILE,
      seed: HOSTILE,
      suites: [HOSTILE],
      epochs: 2,
      version: HOSTILE,
      contenders: [{ name: HOSTILE, agent: HOSTILE, models: { a: HOSTILE } }],
      problems: [exampleProblem({ system: HOSTILE })],
    },
    results: [1, 2].map((epoch) =>
      exampleResult({
        episode: `e${epoch}`,
        epoch,
        contender: HOSTILE,
        reason: HOSTILE,
        system: HOSTILE,
        suite: HOSTILE,
        outcome: epoch === 1 ? 'unresolved' : 'void',
        faults: [HOSTILE],
        failures: [HOSTILE],
      }),
    ),
    record: () => exampleRecord([shellStep(HOSTILE)]),
  })

describe('the page of a run', () => {
  it('escapes strings from records', async () => {
    const page = await reportPage([hostileRun(), hostileRun()])
    expect(page).not.toContain('<script>alert')
    expect(page).not.toContain('<img')
    expect(page).not.toMatch(/[\u2028\u2029]/)
    expect(page.match(/<script/g)).toHaveLength(4 + 1)
    expect(page.match(/<\/script/g)).toHaveLength(4 + 1)
    const [first] = storiesOf(page)
    expect(first?.result.reason).toBe(HOSTILE)
    expect(first?.story?.entries[0]).toMatchObject({ observation: HOSTILE })
  })

  it('allows only its own script, and makes no requests', async () => {
    const page = await reportPage([exampleRun()])
    const script = /<script>(.*)<\/script>\n<\/body>/s.exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    expect(script.length).toBeGreaterThan(1000)
    expect(page).toContain(
      `default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-${hash}&#39;`,
    )
    expect(page).not.toMatch(/https?:|@import|url\(|<link|\ssrc=/)
    expect([...page.matchAll(/href="([^"]*)"/g)].filter(([, to = '']) => !to.startsWith('#'))).toEqual([])
  })

  it('shows a description of the run, and the results', async () => {
    const results = [exampleResult(), exampleResult({ episode: 'e2', problem: 'p2', outcome: 'unresolved' })]
    const page = await reportPage([
      exampleRun({ results, manifest: { problems: [exampleProblem(), exampleProblem({ id: 'p2' })] } }),
    ])
    for (const text of [
      'easy on shop',
      '<b>1 of 2</b> episodes resolved',
      'remedium run easy',
      '4.0\u00a0s',
      '25\u00a0%',
    ])
      expect(page).toContain(text)
    expect(page).toContain('<td class="n mitigated" data-value="4000">')
    expect(storiesOf(page).map(({ record }) => record)).toEqual(['records/e1.jsonl', 'records/e2.jsonl'])
  })

  it('compares runs, and distinguishes contenders with the same name', async () => {
    const monday = exampleRun({ name: 'monday' })
    const tuesday = exampleRun({ name: 'tuesday' })
    const changed = { ...tuesday.manifest, seed: 'another', commit: '0123456789ab with changes' }
    const page = await reportPage([monday, { ...tuesday, manifest: changed }])
    for (const text of ['Comparison of 2\u00a0runs', 'expert (monday)', 'expert (tuesday)', 'class="matrix"'])
      expect(page).toContain(text)
    for (const text of [
      '<code>another</code>',
      '<code>0123456789ab</code> with changes',
      'remedium run easy',
    ])
      expect(page).toContain(text)
    expect(storiesOf(page)).toHaveLength(2)
  })

  it('compares answers only if a task asks for them', async () => {
    const runWithAnswer = (holds: boolean) =>
      exampleRun({ results: [exampleResult({ task: 'detection', judged: { detection: holds } })] })
    const page = await reportPage([runWithAnswer(true), { ...runWithAnswer(false), name: 'r2' }])
    expect(page).toContain('<th scope="col" class="n">Detection, F1</th>')
    expect(page).not.toContain('<th scope="col" class="n">Named first</th>')
    const other = await reportPage([exampleRun({ name: 'a' }), exampleRun({ name: 'b' })])
    expect(other).not.toContain('Detection, F1')
  })

  it('reports a missing record', async () => {
    const record = () => {
      throw new Error('no such file')
    }
    const [details] = storiesOf(await reportPage([exampleRun({ record })]))
    expect(details).toMatchObject({ missing: 'The record cannot be read: no such file' })
    expect(details).not.toHaveProperty('story')
  })

  it('works for a run without results', async () => {
    const page = await reportPage([exampleRun({ results: [] })])
    expect(page).toContain('No episode is finished yet.')
    expect(page).toContain('the run is not complete')
    expect(page.slice(page.indexOf('<main>'), page.indexOf('</main>'))).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('shortens strings to stay below a maximum size', async () => {
    const noise = Array.from({ length: 4000 }, (_, index) =>
      createHash('sha256').update(`${index}`).digest('hex'),
    ).join('')
    const record = () =>
      exampleRecord(Array.from({ length: 10 }, (_, index) => shellStep(noise.slice(index * 20_000))))
    const run = exampleRun({ record })
    const [large, small] = [await reportPage([run]), await reportPage([run], { maxBytes: 70_000 })]
    expect(Buffer.byteLength(large)).toBeGreaterThan(100_000)
    expect(Buffer.byteLength(small)).toBeLessThan(70_000)
    expect(storiesOf(small)[0]?.story?.cuts).toBe(10)
    expect(small).toMatch(/Texts of more than (6,000|3,000|1,500|700) characters are shortened/)
  })
})
