/** Proves that random and malformed actions harm neither the gym nor episodes beside them. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '#bench'
import { loadSuite } from '#exam/problems'
import { createRandom } from '#kit'
import { createGym, type Gym } from '#lab/gym'
import type { Problem } from '#spec'
import { drawLine } from './fuzz-gym/draw-line.ts'
import { playHonestly, recordsOf } from './fuzz-gym/honest-episodes.ts'
import { connectTo, type JsonLinesClient } from './fuzz-gym/json-lines-client.ts'
import { HEAP_FOLDER, measureHeaps } from './fuzz-gym/measure-heap.ts'
import { type ActionCounts, sendActions } from './fuzz-gym/send-actions.ts'

const { values, isQuick } = readArguments({
  command: 'npm run proof fuzz-gym',
  about:
    'Sends random and malformed actions, playbooks and lines to a gym with simulated clusters, and plays honest episodes beside them.\n' +
    'Shows that no worker ends, that every line and action gets a reply, that the records of the honest episodes are those of episodes\n' +
    'that are played alone, and that the heaps of the workers do not grow. A slow machine takes longer: the number of requests is fixed.',
  options: {
    requests: { about: 'how many actions and lines are sent', count: 60_000, quick: 2000 },
    rate: { about: 'how many of them per second at most', count: 1000 },
    workers: { about: 'how many worker processes play the episodes', count: 2, quick: 1 },
    sessions: { about: 'how many sessions send actions at the same time', count: 8, quick: 2 },
    phases: { about: 'how often the heaps are measured', count: 4, quick: 3 },
    seed: { about: 'decides what is sent', value: 'TEXT', text: 'fuzz' },
  },
})

/** The share of lines that are no valid request, among all requests. */
const LINES = 0.5
/** The heap of a worker may grow by this much after the first phase, in which caches fill. */
const MAX_GROWTH_MIB = 12
const HONEST_PROBLEMS = 2
/** Budgets that are not spent, so that few episodes must be prepared. */
const BUDGET = { steps: 1_000_000, seconds: 1_000_000 }

// For the workers.
process.env.FUZZ_HEAP_FOLDER = HEAP_FOLDER
process.env.NODE_OPTIONS = `--import=${new URL('./fuzz-gym/report-heap.ts', import.meta.url).href}`

const all = await loadSuite('easy', { system: 'simple-micro' })
const honest = all.slice(0, HONEST_PROBLEMS)
const others = all.slice(HONEST_PROBLEMS).map((problem): Problem => ({ ...problem, budget: BUDGET }))

interface OpenGym {
  readonly gym: Gym
  readonly client: JsonLinesClient
  readonly records: string
  readonly pids: readonly number[]
}

const openGym = (name: string): OpenGym => {
  const records = join(HEAP_FOLDER, name)
  mkdirSync(records)
  const pids: number[] = []
  const gym = createGym({
    ...{ problems: [...honest, ...others], engine: 'sim', workers: values.workers, records },
    // A fork ends with its attempt, so only workers that play many episodes could show a leak.
    isForking: false,
    onWorker: ({ pid }) => pids.push(pid),
  })
  return { gym, client: connectTo(gym), records, pids }
}

const close = async ({ gym, client }: OpenGym): Promise<void> => {
  await client.close()
  await gym.close()
}

/** Plays each honest problem once, and resolves with the verdicts. */
const playAllHonestly = async ({ client }: OpenGym): Promise<string[]> => {
  const verdicts: string[] = []
  for (const problem of honest) verdicts.push(await playHonestly(client, `honest ${problem.id}`, problem))
  return verdicts
}

/** Spreads requests over the time; resolves with false when all are sent. */
const createPace = (requests: number, rate: number): (() => Promise<boolean>) => {
  const startedAt = performance.now()
  let sent = 0
  return async () => {
    sent += 1
    const early = (sent * 1000) / rate - (performance.now() - startedAt)
    if (early > 20) await sleep(early)
    return sent <= requests
  }
}

const sendLines = async (
  client: JsonLinesClient,
  seed: string,
  next: () => Promise<boolean>,
): Promise<void> => {
  const random = createRandom(seed)
  while (await next()) await client.send(drawLine(random))
}

const counts: ActionCounts = { actions: 0, episodes: 0, ends: new Map(), defects: [] }

/** One part of the requests, with honest episodes beside them. */
const runPhase = async (open: OpenGym, phase: number): Promise<string[]> => {
  const { client } = open
  const requests = Math.ceil(values.requests / values.phases)
  const nextLine = createPace(requests * LINES, values.rate * LINES)
  const nextAction = createPace(requests * (1 - LINES), values.rate * (1 - LINES))
  const problems = others.map(({ id }) => id)
  const [verdicts] = await Promise.all([
    playAllHonestly(open),
    sendLines(client, `${values.seed} lines ${phase}`, nextLine),
    ...Array.from({ length: values.sessions }, (_, index) => {
      const random = createRandom(`${values.seed} actions ${phase} ${index}`)
      return sendActions({ client, session: `fuzz ${index}`, problems, random, counts, next: nextAction })
    }),
  ])
  await client.drained()
  return verdicts
}

const problemsFound: string[] = []
const expectThat = (isTrue: boolean, otherwise: string): void => {
  if (!isTrue) problemsFound.push(otherwise)
}

const alone = openGym('alone')
const expected = await playAllHonestly(alone)
await close(alone)

const open = openGym('together')
const heaps: number[][] = []
const startedAt = performance.now()
for (let phase = 1; phase <= values.phases; phase += 1) {
  const verdicts = await runPhase(open, phase)
  expectThat(String(verdicts) === String(expected), `The verdicts were ${verdicts}, and alone ${expected}.`)
  heaps.push(await measureHeaps(open.pids))
  console.log(
    `phase ${phase}: heaps of the workers ${heaps
      .at(-1)!
      .map((mib) => mib.toFixed(1))
      .join(', ')} MiB`,
  )
}
const seconds = (performance.now() - startedAt) / 1000
await close(open)

for (const problem of honest) {
  const [record] = recordsOf(alone.records, problem)
  const records = recordsOf(open.records, problem)
  expectThat(
    record !== undefined && records.length === values.phases,
    `Records of ${problem.id} are missing.`,
  )
  const different = records.filter((text) => text !== record).length
  expectThat(
    different === 0,
    `${different} of ${records.length} records of ${problem.id} differ from that of the episode alone.`,
  )
}
expectThat(open.pids.length === values.workers, `${open.pids.length - values.workers} workers ended.`)
for (const fault of [...open.client.faults, ...counts.defects].slice(0, 20)) expectThat(false, fault)
expectThat(!open.client.errors.has('defect'), 'A line was answered with the error "defect".')
for (const [index, last] of heaps.at(-1)!.entries()) {
  const growth = last - heaps[0]![index]!
  expectThat(growth <= MAX_GROWTH_MIB, `The heap of worker ${index + 1} grew by ${growth.toFixed(1)} MiB.`)
}
rmSync(HEAP_FOLDER, { recursive: true })

const lines = [...open.client.errors.values()].reduce((sum, count) => sum + count, 0)
const list = (map: ReadonlyMap<string, number>): string =>
  [...map].map(([name, count]) => `${count} ${name}`).join(', ')
console.log(
  `${lines} lines (${list(open.client.errors)}) and ${counts.actions} actions in ${seconds.toFixed(0)} s, ` +
    `${((lines + counts.actions) / seconds).toFixed(0)} per second; ${counts.episodes} episodes (ended: ${list(counts.ends)}); ` +
    `${honest.length * values.phases} honest episodes beside them (${expected})`,
)
for (const problem of problemsFound) console.log(`NOT PROVEN: ${problem}`)
if (problemsFound.length === 0)
  console.log('Nothing that was sent had an effect on the gym or on the honest episodes.')
if (isQuick) console.log('Only a few requests were sent.')
process.exitCode = problemsFound.length === 0 ? 0 : 1
