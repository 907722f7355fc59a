/** `remedium load`: users for a system that runs on a cluster. */
import { createRealClock } from '../../kit/index.ts'
import {
  ERROR_CATALOGUE,
  type GeneratorHealth,
  type OpenEntryPoint,
  RemediumError,
  type Workload,
} from '../../spec/index.ts'
import type { RunningWorkload } from '../../workload/index.ts'
import { askedToEnd } from '../clusters/asked-to-end.ts'
import type { ClusterStatus } from '../clusters/run-local-cluster.ts'
import { defineCommand } from '../define-command.ts'
import { createLoadSummary, type LoadSummary, summaryText } from '../loads/load-summary.ts'
import type { ClusterPlace } from '../loads/watch-cluster.ts'

const PATIENCE_MS = 10_000
/** How long what is on its way may still take when the user is tired of waiting. */
const LAST_MOMENTS_MS = 2000

interface Target {
  readonly cluster: ClusterPlace
  readonly system: string
  readonly workload: Workload
  readonly entryPoints: readonly OpenEntryPoint[]
}

const findTarget = async (cluster: string): Promise<Target> => {
  const { findCluster } = await import('../clusters/find-clusters.ts')
  const { commandCluster } = await import('../clusters/command-cluster.ts')
  const {
    folder,
    record: { system, owner },
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
  const place = { name: cluster, folder, owner }
  return { cluster: place, system, workload, entryPoints: status.entryPoints ?? [] }
}

/** A line each second; on a terminal always the same one. */
const showSecond = (summary: LoadSummary, second: number, progress: (line: string) => void): void => {
  const { walks, failed, p95 } = summary.recent()
  const line = `${second} s: ${walks} walks, ${failed} failed, p95 ${p95.toFixed(1)} ms; ${summary.walks} in all, ${summary.failed} failed`
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
  else progress(line)
}

const toJson = ({ code, blame, message, hint }: RemediumError): object => ({ code, blame, message, hint })

interface Ending {
  readonly health: GeneratorHealth
  /** Seconds after which the user had seen enough. */
  readonly interruptedAfter?: number
  /** Why the load could not go on. */
  readonly failure?: RemediumError
}

/** Resolves when the load is over, for whatever reason; rejects when the generator fails. */
const untilOver = async (
  running: RunningWorkload,
  failures: readonly Promise<RemediumError>[],
): Promise<Ending> => {
  const clock = createRealClock()
  const started = clock.now()
  let interruptedAfter: number | undefined
  void askedToEnd().then(() => {
    interruptedAfter = Math.round((clock.now() - started) / 1000)
    running.stop(LAST_MOMENTS_MS).catch(() => {})
  })
  const failure = await Promise.race([running.ended.then(() => undefined), ...failures])
  if (failure === undefined)
    return { health: await running.ended, ...(interruptedAfter === undefined ? {} : { interruptedAfter }) }
  const health = await running.stop(0).catch(() => {
    throw failure
  })
  return { health, failure }
}

export const load = defineCommand({
  summary: 'Let users walk the journeys of the system on a cluster, and tell how they fared',
  positionals: 'CLUSTER',
  examples: [
    'remedium load shop                                    the load that the system has by default, for a minute',
    'remedium load shop --users 50 --for 5m                50 users who think between journeys',
    'remedium load shop --rate 500 --pattern poisson       journeys begin by themselves, however slow the system is',
    'remedium load shop --rate 500 --connections 100       the same from users who share so many connections',
    'remedium load shop --journey checkout --rate 2        one journey only, and what it needs',
    'remedium load shop --load evening.yaml --records r    as a file says; every request goes to a file, a line each',
  ],
  options: {
    load: {
      type: 'string',
      value: 'FILE',
      about: 'a load file: loop, users or arrivals, also a recorded trace',
    },
    users: {
      type: 'integer',
      value: 'N',
      about: 'so many users, one journey after another each',
      least: 1,
      most: 100_000,
    },
    rate: { type: 'string', value: 'R', about: 'so many journeys begin each second' },
    pattern: {
      type: 'string',
      value: 'PATTERN',
      about: 'how those are spread: constant, poisson, bursty, daily, ramp or spike',
      choices: ['constant', 'poisson', 'bursty', 'daily', 'ramp', 'spike'],
    },
    connections: {
      type: 'integer',
      value: 'N',
      about:
        'so many to one entry point at most, of journeys that begin by themselves; who finds none free waits',
      least: 1,
      most: 100_000,
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
  async run({ positionals, options, json, answer, progress }) {
    if (positionals.length !== 1)
      throw new RemediumError('bad-argument', 'Name one cluster to send load to.', {
        hint: 'See "remedium cluster ls" for those there are.',
      })
    const { startWorkload } = await import('../../workload/index.ts')
    const { chooseJourneys, parseDuration, toLoad } = await import('../loads/load-options.ts')
    const { openRecordFile } = await import('../loads/record-file.ts')
    const { watchCluster } = await import('../loads/watch-cluster.ts')
    const durationMs = parseDuration('for', options.for)
    const { cluster, system, entryPoints, ...target } = await findTarget(positionals[0]!)
    const workload = chooseJourneys(target.workload, options.journey)
    const profile = toLoad(options, workload, durationMs)
    const records = openRecordFile(options.records)
    const watched = watchCluster(cluster)
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
        watched.tell(batch)
      },
      onHealth() {
        showSecond(summary, ++second, progress)
        watched.check()
      },
    })
    const { health, interruptedAfter, failure } = await untilOver(running, [watched.lost, records.lost])
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
        ...(failure === undefined ? {} : { error: toJson(failure) }),
      },
      summaryText(journeys, health) + (interrupted ? `Interrupted after ${interruptedAfter} s.\n` : ''),
    )
    // The one answer in JSON has said it already.
    if (failure !== undefined && !json) throw failure
    if (failure !== undefined) return failure.exitCode
    if (interrupted) return ERROR_CATALOGUE.interrupted.exitCode
    if (summary.answered > 0) return 0
    progress('Not one request got an answer.')
    return 1
  },
})
