/** `remedium load`: runs user journeys on a cluster. */
import { createRealClock, defined, waitForStopSignal } from '#kit'
import {
  ERROR_CATALOGUE,
  type GeneratorHealth,
  type OpenEntryPoint,
  RemediumError,
  type Workload,
} from '#spec'
import type { RunningWorkload } from '#world/workload'
import type { ClusterStatus } from '../clusters/run-cluster.ts'
import { defineCommand } from '../define-command.ts'
import { createLoadSummary, type LoadSummary, summaryText } from '../loads/load-summary.ts'
import type { ClusterRef } from '../loads/watch-cluster.ts'

const STATUS_TIMEOUT_MS = 10_000
/** How long running journeys may take to finish after an interrupt. */
const DRAIN_MS = 2000

interface Target {
  readonly cluster: ClusterRef
  readonly system: string
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
}

const findTarget = async (cluster: string): Promise<Target> => {
  const { findCluster } = await import('../clusters/find-cluster.ts')
  const { commandCluster } = await import('../clusters/command-cluster.ts')
  const {
    folder,
    record: { system, owner },
  } = findCluster(cluster)
  if (system === undefined)
    throw new RemediumError('bad-argument', `There is no system on the cluster "${cluster}".`, {
      hint: 'Start a cluster with a system: "remedium cluster up --system SYSTEM".',
    })
  const status = (await commandCluster(cluster, { command: 'status' }, STATUS_TIMEOUT_MS)) as ClusterStatus
  if (status.state !== 'ready')
    throw new RemediumError('not-ready', `The cluster "${cluster}" is still starting.`)
  const { loadSystem } = await import('#world/systems')
  const { workload } = await loadSystem(system)
  if (workload === undefined)
    throw new RemediumError('bad-argument', `The system "${system}" has no journeys.`)
  return {
    cluster: { name: cluster, folder, owner },
    system,
    workload,
    entryPoints: status.entryPoints ?? [],
  }
}

/** Prints a line each second; on a terminal it overwrites the previous one. */
const showSecond = (summary: LoadSummary, second: number, progress: (line: string) => void): void => {
  const { runs, failed, p95 } = summary.recent()
  const line = `${second} s: ${runs} journey runs, ${failed} failed, p95 ${p95.toFixed(1)} ms; ${summary.runs} in total, ${summary.failed} failed`
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
  else progress(line)
}

const toJson = ({ code, blame, message, hint }: RemediumError): object => ({ code, blame, message, hint })

interface LoadEnd {
  readonly health: GeneratorHealth
  /** Seconds until the user interrupted the load. */
  readonly interruptedAfter?: number
  /** The error that stopped the load. */
  readonly failure?: RemediumError
}

/** Resolves when the load ends, is interrupted, or cannot continue; rejects if the generator fails. */
const waitForEnd = async (
  running: RunningWorkload,
  failures: readonly Promise<RemediumError>[],
): Promise<LoadEnd> => {
  const clock = createRealClock()
  const started = clock.now()
  let interruptedAfter: number | undefined
  void waitForStopSignal().then(() => {
    interruptedAfter = Math.round((clock.now() - started) / 1000)
    running.stop(DRAIN_MS).catch(() => {})
  })
  const failure = await Promise.race([running.ended.then(() => undefined), ...failures])
  if (failure === undefined) return { health: await running.ended, ...defined({ interruptedAfter }) }
  const health = await running.stop(0).catch(() => {
    throw failure
  })
  return { health, failure }
}

export const load = defineCommand({
  summary: 'Run user journeys on the system of a cluster, and report success and latency',
  positionals: 'CLUSTER',
  examples: [
    'remedium load shop                                    the default load of the system, for a minute',
    'remedium load shop --users 50 --for 5m                50 users with think time (closed loop)',
    'remedium load shop --rate 500 --pattern poisson       500 journeys a second on average (open loop)',
    'remedium load shop --rate 500 --connections 100       the same over 100 shared connections',
    'remedium load shop --journey checkout --rate 2        one journey and the journeys that it requires',
    'remedium load shop --load evening.yaml --records r    a load file; writes every request to a file',
  ],
  options: {
    load: {
      type: 'string',
      value: 'FILE',
      about: 'a load file with users or arrivals, or a recorded trace',
    },
    users: {
      type: 'integer',
      value: 'N',
      about: 'the number of users in a closed loop',
      min: 1,
      max: 100_000,
    },
    rate: { type: 'string', value: 'R', about: 'the number of journeys that start each second (open loop)' },
    pattern: {
      type: 'string',
      value: 'PATTERN',
      about: 'the arrival pattern: constant, poisson, bursty, daily, ramp or spike',
      choices: ['constant', 'poisson', 'bursty', 'daily', 'ramp', 'spike'],
    },
    connections: {
      type: 'integer',
      value: 'N',
      about: 'the maximum number of connections to an entry point in an open loop; further requests wait',
      min: 1,
      max: 100_000,
    },
    journey: {
      type: 'string',
      value: 'NAME',
      about: 'run only this journey and the journeys that it requires',
      multiple: true,
    },
    for: {
      type: 'string',
      value: 'TIME',
      about: 'for how long to start new journeys: 500ms, 60s, 5m, 1h',
      default: '60s',
    },
    seed: {
      type: 'string',
      value: 'SEED',
      about: 'the seed for arrivals, journeys and their data',
      default: 'remedium',
      isNonEmpty: true,
    },
    records: {
      type: 'string',
      value: 'FILE',
      about: 'write every request and journey run to this file as JSON lines',
    },
  },
  async run({ positionals, options, json, answer, progress }) {
    if (positionals.length !== 1)
      throw new RemediumError('bad-argument', 'Name one cluster.', {
        hint: 'See "remedium cluster ls" for the clusters.',
      })
    const { startWorkload } = await import('#world/workload')
    const { chooseJourneys, parseDuration, toLoad } = await import('../loads/load-options.ts')
    const { openRecordFile } = await import('../loads/record-file.ts')
    const { watchCluster } = await import('../loads/watch-cluster.ts')
    const durationMs = parseDuration('for', options.for)
    const { cluster, system, entryPoints, ...target } = await findTarget(positionals[0]!)
    const workload = chooseJourneys(target.workload, options.journey)
    const profile = toLoad(options, workload, durationMs)
    const records = openRecordFile(options.records)
    const clusterWatch = watchCluster(cluster)
    const summary = createLoadSummary(workload)
    let second = 0
    const running = await startWorkload({
      workload,
      load: profile,
      entryPoints,
      seed: options.seed,
      durationMs,
      onRecords(batch) {
        summary.add(batch)
        records.write(batch)
        clusterWatch.record(batch)
      },
      onHealth() {
        showSecond(summary, ++second, progress)
        clusterWatch.check()
      },
    })
    const { health, interruptedAfter, failure } = await waitForEnd(running, [clusterWatch.lost, records.lost])
    records.end()
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    const journeys = summary.journeys()
    const interrupted = interruptedAfter !== undefined
    answer(
      {
        cluster: cluster.name,
        system,
        seed: options.seed,
        load: profile,
        interrupted,
        journeys,
        generator: health,
        ...defined({ error: failure && toJson(failure) }),
      },
      summaryText(journeys, health) + (interrupted ? `Interrupted after ${interruptedAfter} s.\n` : ''),
    )
    // With --json the result already contains the error.
    if (failure !== undefined && !json) throw failure
    if (failure !== undefined) return failure.exitCode
    if (interrupted) return ERROR_CATALOGUE.interrupted.exitCode
    if (summary.answered > 0) return 0
    progress('No request was answered.')
    return 1
  },
})
