/** `remedium load`: users for a system that runs on a cluster. */
import { createWriteStream, openSync, type WriteStream } from 'node:fs'
import { type OpenEntryPoint, RemediumError, type Workload } from '../../spec/index.ts'
import type { RecordBatch } from '../../workload/index.ts'
import { askedToEnd } from '../clusters/asked-to-end.ts'
import type { ClusterStatus } from '../clusters/run-local-cluster.ts'
import { defineCommand } from '../define-command.ts'
import { createLoadSummary, type LoadSummary, summaryText } from '../loads/load-summary.ts'

const PATIENCE_MS = 10_000
/** How long what is on its way may still take when the user is tired of waiting. */
const LAST_MOMENTS_MS = 2000

interface Target {
  /** Of the cluster. */
  readonly folder: string
  readonly system: string
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
}

const findTarget = async (cluster: string): Promise<Target> => {
  const { findCluster } = await import('../clusters/find-clusters.ts')
  const { commandCluster } = await import('../clusters/command-cluster.ts')
  const {
    folder,
    record: { system },
  } = findCluster(cluster)
  if (system === undefined)
    throw new RemediumError('bad-argument', `There is no system on the cluster "${cluster}".`, {
      hint: 'Start one with "remedium cluster up --system SYSTEM".',
    })
  const status = (await commandCluster(cluster, { command: 'status' }, PATIENCE_MS)) as ClusterStatus
  if (status.state !== 'ready')
    throw new RemediumError('not-ready', `The cluster "${cluster}" is still starting.`)
  const { loadSystem } = await import('../../systems/index.ts')
  const { workload } = await loadSystem(system)
  if (workload === undefined)
    throw new RemediumError('bad-argument', `The system "${system}" has no journeys to walk.`)
  return { folder, system, workload, entryPoints: status.entryPoints ?? [] }
}

const openRecords = (path: string | undefined): WriteStream | undefined => {
  if (path === undefined) return undefined
  try {
    return createWriteStream(path, { fd: openSync(path, 'w') })
  } catch (cause) {
    throw new RemediumError('bad-argument', `The records cannot be written to ${path}.`, {
      hint: 'Name a file in a folder that exists and may be written to, with --records.',
      cause,
    })
  }
}

/** Rejects when they can no longer be written, such as on a full disk. */
const recordsLost = (file: WriteStream | undefined, path: string | undefined): Promise<never> =>
  new Promise((_, reject) => {
    file?.once('error', (cause) =>
      reject(new RemediumError('bad-argument', `The records cannot be written to ${path}.`, { cause })),
    )
  })

const writeRecords = (file: WriteStream | undefined, { requests, journeys }: RecordBatch): void => {
  for (const request of requests) file?.write(`${JSON.stringify({ request })}\n`)
  for (const journey of journeys) file?.write(`${JSON.stringify({ journey })}\n`)
}

/** A line each second; on a terminal always the same one. */
const showSecond = (summary: LoadSummary, second: number, progress: (line: string) => void): void => {
  const { walks, failed, p95 } = summary.recent()
  const line = `${second} s: ${walks} walks, ${failed} failed, p95 ${p95.toFixed(1)} ms; ${summary.walks} in all, ${summary.failed} failed`
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
  else progress(line)
}

export const load = defineCommand({
  summary: 'Let users walk the journeys of the system on a cluster, and tell how they fared',
  positionals: 'CLUSTER',
  examples: [
    'remedium load shop                                    the load that the system has by default, for a minute',
    'remedium load shop --users 50 --for 5m                50 users who think between journeys',
    'remedium load shop --rate 500 --pattern poisson       journeys begin by themselves, however slow the system is',
    'remedium load shop --journey checkout --rate 2        one journey only, and what it needs',
    'remedium load shop --load evening.yaml --records r    as a file says; every request goes to a file, a line each',
  ],
  options: {
    load: {
      type: 'string',
      value: 'FILE',
      about: 'a load file: loop, users or arrivals, also a recorded trace',
    },
    users: { type: 'integer', value: 'N', about: 'so many users, one journey after another each' },
    rate: { type: 'string', value: 'R', about: 'so many journeys begin each second' },
    pattern: {
      type: 'string',
      value: 'PATTERN',
      about: 'how those are spread: constant, poisson, bursty, daily, ramp or spike',
    },
    journey: { type: 'string', value: 'NAME', about: 'walk this journey only', multiple: true },
    for: {
      type: 'string',
      value: 'TIME',
      about: 'how long journeys begin: 500ms, 60s, 5m, 1h',
      default: '60s',
    },
    seed: {
      type: 'string',
      value: 'SEED',
      about: 'what arrivals, journeys and their data are drawn from',
      default: 'remedium',
    },
    records: {
      type: 'string',
      value: 'FILE',
      about: 'where to write every request and walk, a JSON line each',
    },
  },
  async run({ positionals, options, answer, progress }) {
    if (positionals.length !== 1)
      throw new RemediumError('bad-argument', 'Name one cluster to send load to.', {
        hint: 'See "remedium cluster ls" for those there are.',
      })
    const { askCluster } = await import('../clusters/control-socket.ts')
    const { startWorkload } = await import('../../workload/index.ts')
    const { chooseJourneys, parseDuration, toLoad } = await import('../loads/load-options.ts')
    const durationMs = parseDuration('for', options.for)
    const target = await findTarget(positionals[0]!)
    const workload = chooseJourneys(target.workload, options.journey)
    const profile = toLoad(options, workload, durationMs)
    const records = openRecords(options.records)
    const lost = recordsLost(records, options.records)
    lost.catch(() => {})
    const summary = createLoadSummary()
    let second = 0
    const running = await startWorkload({
      workload,
      load: profile,
      entryPoints: target.entryPoints,
      seed: options.seed,
      durationMs,
      onRecords(batch) {
        summary.add(batch)
        writeRecords(records, batch)
        // What users lived is a signal as well; a cluster that has gone is told of by its users.
        void askCluster(target.folder, { command: 'record', ...batch }, PATIENCE_MS).catch(() => {})
      },
      onHealth: () => showSecond(summary, ++second, progress),
    })
    void askedToEnd().then(() => running.stop(LAST_MOMENTS_MS).catch(() => {}))
    const health = await Promise.race([running.ended, lost]).catch(async (error) => {
      await running.stop(0).catch(() => {})
      throw error
    })
    records?.end()
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    const journeys = summary.journeys()
    const { system } = target
    answer(
      { cluster: positionals[0], system, seed: options.seed, load: profile, journeys, generator: health },
      summaryText(journeys, health),
    )
    if (summary.answered > 0) return 0
    progress('Not one request got an answer.')
    return 1
  },
})
