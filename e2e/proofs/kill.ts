/** Proves that a run survives being killed at random moments: every episode has one verdict, and nothing is left. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '#bench'
import { createRandom } from '#kit'
import { countVerdicts } from './kill/count-verdicts.ts'
import { AGENTS, type RunEnd, type StartedRun, startRun } from './kill/start-run.ts'
import { printDifferences } from './machine/print-differences.ts'
import { compareSnapshots, takeSnapshot } from './machine/snapshot.ts'
import { type ClusterWatch, watchClusters } from './machine/watch-clusters.ts'

const MAX_MS_BEFORE_KILL = 40_000
/** The limit while there are many verdicts, so that the run does not finish before the last kill. */
const MAX_MS_IF_AHEAD = 12_000
const CLEANUP_MS = 60_000
const POLL_MS = 500

const { values } = readArguments({
  command: 'npm run proof kill',
  about:
    `Runs live episodes on simple-micro with the agents ${AGENTS.join(' and ')}, kills the run at random moments, and resumes it\n` +
    'each time. At the end, every episode must have exactly one verdict, and no process, file or device may be left.',
  options: {
    suite: { about: 'the suite to play', value: 'NAME', text: 'medium', quick: 'network-delay' },
    problems: { about: 'how many problems, with an episode for each agent', count: 20, quick: 1 },
    kills: { about: 'how many times the run is killed', count: 20, quick: 1 },
    'max-ms': {
      about: 'the longest time before a kill, in milliseconds',
      count: MAX_MS_BEFORE_KILL,
      quick: 3000,
    },
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

/**
 * Starts the run, and kills it after a random time. Every third time, it kills only the command, and the workers must detect that.
 * Resolves to whether the run ended before it was killed.
 */
const startAndKill = async (kill: number): Promise<boolean> => {
  const isAhead = countVerdicts(out).verdicts > (episodes * kill) / (kills + 2)
  const delayMs = random.below(isAhead ? Math.min(MAX_MS_IF_AHEAD, values['max-ms']) : values['max-ms'])
  const run = start()
  const victims = kill % 3 === 2 ? 'the command' : 'all processes'
  const end = await Promise.race([run.ended, sleep(delayMs).then((): RunEnd => 'killed')])
  if (end === 'killed') await run.kill({ withChildren: victims === 'all processes' })
  const { verdicts } = countVerdicts(out)
  console.log(
    `kill ${kill + 1} of ${kills} after ${(delayMs / 1000).toFixed(1)} s (${victims}): ${verdicts} verdicts so far`,
  )
  return end !== 'killed'
}

const waitForCleanup = async (before: ReturnType<typeof takeSnapshot>, watch: ClusterWatch) => {
  const deadline = performance.now() + CLEANUP_MS
  for (;;) {
    const after = takeSnapshot(folders)
    const leaks = watch.split(compareSnapshots(before, after), after)
    if (leaks.fromClusters.length === 0 || performance.now() > deadline) return leaks
    await sleep(POLL_MS)
  }
}

/** Kills and resumes the run, then lets it finish. Resolves to whether every episode has one verdict. */
const runToTheEnd = async (watch: ClusterWatch): Promise<boolean> => {
  let isOver = false
  for (let kill = 0; kill < kills && !isOver; kill += 1) isOver = await startAndKill(kill)
  if (isOver) console.log('The run finished before the last kill: increase --problems.')
  const end = await start().ended
  watch.stop()
  console.log(watch.summary())
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
const watch = watchClusters(folders)
try {
  const isComplete = await runToTheEnd(watch)
  const { fromClusters, others } = await waitForCleanup(before, watch)
  printDifferences('changed by other programs', others, 2)
  printDifferences('LEFT BY THE RUN', fromClusters, 100)
  const isProven = isComplete && fromClusters.length === 0
  console.log(isProven ? 'Every episode has one verdict, and nothing is left.' : 'NOT PROVEN.')
  process.exitCode = isProven ? 0 : 1
} finally {
  watch.stop()
  rmSync(home, { recursive: true, force: true })
}
