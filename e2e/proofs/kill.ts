/** Proves that a run survives being killed at random moments: every episode has one verdict, and nothing is left. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#kit'
import { readArguments } from '../../bench/index.ts'
import { countVerdicts } from './kill/count-verdicts.ts'
import { AGENTS, type RunEnd, type StartedRun, startRun } from './kill/start-run.ts'
import { printDifferences } from './machine/print-differences.ts'
import { compareSnapshots, takeSnapshot } from './machine/snapshot.ts'
import { watchTraces } from './machine/traces.ts'

/** Upper bound of the time before a kill. It is shorter once there are more verdicts than the kills leave time for. */
const MAX_MS = 40_000
const MAX_AHEAD_MS = 12_000
const SETTLE_MS = 60_000
const POLL_MS = 500

const { values } = readArguments({
  command: 'npm run proof kill',
  about:
    `Runs live episodes on simple-micro with the agents ${AGENTS.join(' and ')}, kills the run with all of its processes at random\n` +
    'moments, and resumes it each time. At the end every episode must have one verdict, and nothing may be left.',
  options: {
    suite: { about: 'the suite of problems', value: 'NAME', text: 'medium', quick: 'network-delay' },
    problems: { about: 'how many problems, with an episode for each agent', count: 20, quick: 1 },
    kills: { about: 'how often the run is killed', count: 20, quick: 1 },
    'max-ms': { about: 'the longest time before a kill', count: MAX_MS, quick: 3000 },
    seed: { about: 'decides when the run is killed', value: 'TEXT', text: String(process.pid) },
  },
})
const { kills } = values
const episodes = values.problems * AGENTS.length
const random = createRandom(values.seed)
const home = mkdtempSync(join(tmpdir(), 'remedium-kill-'))
const folders = { state: join(home, 'state'), temporary: join(home, 'tmp') }
const out = join(home, 'run')
const log = join(home, 'log')

const start = (): StartedRun =>
  startRun({ out, folders, log, suite: values.suite, problems: values.problems })

/** Every third time only the command is killed: its workers must notice that it is gone. Returns whether the run was over. */
const killOnce = async (kill: number): Promise<boolean> => {
  const isAhead = countVerdicts(out).verdicts > (episodes * kill) / (kills + 2)
  const after = random.below(isAhead ? Math.min(MAX_AHEAD_MS, values['max-ms']) : values['max-ms'])
  const run = start()
  const how = kill % 3 === 2 ? 'the command alone' : 'everything'
  const end = await Promise.race([run.ended, sleep(after).then((): RunEnd => 'killed')])
  if (end === 'killed') await run.kill(how === 'everything')
  const { verdicts } = countVerdicts(out)
  console.log(
    `kill ${kill + 1} of ${kills} after ${(after / 1000).toFixed(1)} s (${how}): ${verdicts} verdicts so far`,
  )
  return end !== 'killed'
}

const settle = async (before: ReturnType<typeof takeSnapshot>, traces: ReturnType<typeof watchTraces>) => {
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const after = takeSnapshot(folders)
    const leaks = traces.split(compareSnapshots(before, after), after)
    if (leaks.ours.length === 0 || performance.now() > deadline) return leaks
    await sleep(POLL_MS)
  }
}

/** Kills and resumes the run, then lets it finish. Returns whether every episode has one verdict. */
const runToTheEnd = async (traces: ReturnType<typeof watchTraces>): Promise<boolean> => {
  let isOver = false
  for (let kill = 0; kill < kills && !isOver; kill += 1) isOver = await killOnce(kill)
  if (isOver) console.log('The run was over before all kills: increase --problems.')
  const end = await start().ended
  traces.stop()
  console.log(traces.summary())
  const { verdicts, repeated, missing } = countVerdicts(out)
  console.log(
    `the last start exited with ${end}: ${verdicts} verdicts, ${repeated} repeated, ${missing} missing`,
  )
  if (end !== 0) console.log(readFileSync(log, 'utf8').slice(-4000))
  return end === 0 && !isOver && verdicts === episodes && repeated === 0 && missing === 0
}

console.log(`seed ${values.seed}`)
for (const folder of Object.values(folders)) mkdirSync(folder)
const before = takeSnapshot(folders)
const traces = watchTraces(folders)
try {
  const isComplete = await runToTheEnd(traces)
  const { ours, others } = await settle(before, traces)
  printDifferences('changed by others', others, 2)
  printDifferences('LEFT BY THE RUN', ours, 100)
  const isProven = isComplete && ours.length === 0
  console.log(isProven ? 'Every episode has one verdict, and nothing is left.' : 'NOT PROVEN.')
  process.exitCode = isProven ? 0 : 1
} finally {
  traces.stop()
  rmSync(home, { recursive: true, force: true })
}
