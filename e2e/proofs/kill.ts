/**
 * `npm run proof kill [SEED]`: 40 live episodes on simple-micro, killed with everything that they have started at 20 random
 * moments and gone on with each time: at the end every episode has one verdict, and nothing is left on the machine.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../../src/kit/index.ts'
import { countVerdicts } from './kill/count-verdicts.ts'
import { type RunEnd, startRun } from './kill/start-run.ts'
import { compareSnapshots, type Difference, takeSnapshot } from './machine/snapshot.ts'
import { watchTraces } from './machine/traces.ts'

const EPISODES = 40
const KILLS = 20
/** From the first moment to some episodes; shorter while there are more verdicts than kills would leave room for. */
const LONGEST_MS = 40_000
const SHORT_MS = 12_000
const SETTLE_MS = 60_000

const seed = process.argv[2] ?? String(process.pid)
const random = createRandom(seed)
const home = mkdtempSync(join(tmpdir(), 'remedium-kill-'))
const folders = { state: join(home, 'state'), temporary: join(home, 'tmp') }
const out = join(home, 'run')
const log = join(home, 'log')

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const show = (title: string, differences: readonly Difference[]): void => {
  for (const { what, more, fewer } of differences) {
    console.log(`${title}: ${what}, ${more.length} more, ${fewer.length} fewer`)
    for (const line of [...more, ...fewer].slice(0, title === 'changed by others' ? 2 : 100))
      console.log(`  ${line}`)
  }
}

/** Sometimes only the command is killed, so that its workers must see by themselves that it is gone. */
const killOnce = async (kill: number): Promise<boolean> => {
  const isAhead = countVerdicts(out).verdicts > (EPISODES * kill) / (KILLS + 2)
  const after = random.below(isAhead ? SHORT_MS : LONGEST_MS)
  const run = startRun({ out, folders, log, episodes: EPISODES })
  const how = kill % 3 === 2 ? 'the command alone' : 'everything'
  const end = await Promise.race([run.ended, pause(after).then((): RunEnd => 'killed')])
  if (end === 'killed') await run.kill(how === 'everything')
  const { verdicts } = countVerdicts(out)
  console.log(
    `kill ${kill + 1} of ${KILLS} after ${(after / 1000).toFixed(1)} s (${how}): ${verdicts} verdicts so far`,
  )
  return end !== 'killed'
}

const settle = async (before: ReturnType<typeof takeSnapshot>, traces: ReturnType<typeof watchTraces>) => {
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const after = takeSnapshot(folders)
    const leaks = traces.split(compareSnapshots(before, after), after)
    if (leaks.ours.length === 0 || performance.now() > deadline) return leaks
    await pause(500)
  }
}

console.log(`seed ${seed}`)
for (const folder of Object.values(folders)) mkdirSync(folder)
const before = takeSnapshot(folders)
const traces = watchTraces(folders)
try {
  let isOver = false
  for (let kill = 0; kill < KILLS && !isOver; kill += 1) isOver = await killOnce(kill)
  if (isOver) console.log('The run was over before all kills: give it more episodes.')
  const last = startRun({ out, folders, log, episodes: EPISODES })
  const end = await last.ended
  traces.stop()
  console.log(traces.summary())
  const { verdicts, repeated, missing } = countVerdicts(out)
  console.log(
    `the last one ended with ${end}: ${verdicts} verdicts, ${repeated} repeated, ${missing} missing`,
  )
  if (end !== 0) console.log(readFileSync(log, 'utf8').slice(-4000))
  const { ours, others } = await settle(before, traces)
  show('changed by others', others)
  show('LEFT BY THE RUN', ours)
  const isGood = end === 0 && !isOver && verdicts === EPISODES && repeated === 0 && missing === 0
  console.log(isGood && ours.length === 0 ? 'Every verdict once, and nothing is left.' : 'NOT PROVEN.')
  process.exitCode = isGood && ours.length === 0 ? 0 : 1
} finally {
  traces.stop()
  rmSync(home, { recursive: true, force: true })
}
