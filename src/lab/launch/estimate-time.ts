/** Estimates how long episodes take, from earlier episodes or from a measured table. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lazily, REPOSITORY } from '#kit'
import { medianOf } from '#lab/records'
import type { PlannedEpisode } from '#lab/runs'
import { slotsOf } from '#lab/workers'
import { type EpisodeResult, minEpisodeTimeOf, taskOf } from '#spec'

/** Where the time of an episode comes from: episodes of the same contender, of other contenders, or the measured table. */
export type TimeSource = 'same-contender' | 'other-contenders' | 'measured-table'

export interface TimeEstimate {
  /** Absent if the time of an episode is unknown. */
  readonly seconds?: number
  /** The number of episodes by source. */
  readonly sources: Readonly<Partial<Record<TimeSource, number>>>
}

interface MeasuredTable {
  readonly date: string
  readonly cores: number
  readonly rows: readonly { readonly subject: string; readonly column: string; readonly measured: number }[]
}

/** The path of the table, as users see it. */
export const TABLE_PATH = join('bench', 'results', 'episode.json')

export const readTable = lazily(
  (): MeasuredTable => JSON.parse(readFileSync(join(REPOSITORY, TABLE_PATH), 'utf8')),
)

/** The time for which an episode occupied its worker, without the reset. Undefined for incomplete results. */
const timeOf = ({ stages }: EpisodeResult): number | undefined => {
  const { prepare, total, solve, verify } = stages as Readonly<Record<string, number | undefined>>
  if (total === undefined) return undefined
  return Math.max(total, (prepare ?? 0) + (solve ?? 0) + (verify ?? 0))
}

const timeInTable = ({ problem: { system, task } }: PlannedEpisode): number | undefined => {
  const rows = readTable().rows.filter(({ subject }) => subject === system)
  const columns = [task, ...(taskOf(task).repairs ? ['remediation'] : []), 'all tasks']
  const row = columns.flatMap((name) => rows.find(({ column }) => column === name) ?? [])[0]
  return row === undefined ? undefined : row.measured * 1000
}

type Key = (episode: { readonly contender: string; readonly system: string; readonly task: string }) => string

/** From the most similar episodes to the least similar ones. */
const KEYS: readonly (readonly [TimeSource, Key])[] = [
  ['same-contender', ({ contender, system, task }) => JSON.stringify([contender, system, task])],
  ['same-contender', ({ contender, system }) => JSON.stringify([contender, system])],
  ['other-contenders', ({ system, task }) => JSON.stringify([system, task])],
  ['other-contenders', ({ system }) => system],
]

const createTimeLookup = (earlier: readonly EpisodeResult[]) => {
  const medians = KEYS.map(([source, keyOf]) => {
    const groups = Map.groupBy(earlier, keyOf)
    const times = [...groups].map(
      ([key, results]) => [key, medianOf(results.flatMap((result) => timeOf(result) ?? []))] as const,
    )
    return { source, keyOf, times: new Map(times) }
  })
  return (planned: PlannedEpisode): { source: TimeSource; ms: number } | undefined => {
    const { contender, problem } = planned
    const identity = { contender: contender.name, system: problem.system, task: problem.task }
    for (const { source, keyOf, times } of medians) {
      const ms = times.get(keyOf(identity))
      if (ms !== undefined) return { source, ms }
    }
    const ms = timeInTable(planned)
    return ms === undefined ? undefined : { source: 'measured-table', ms }
  }
}

/** A large system takes several of the slots that the workers share. */
export const estimateTime = async (
  left: readonly PlannedEpisode[],
  earlier: readonly EpisodeResult[],
  workers: number,
): Promise<TimeEstimate> => {
  const slots = await slotsOf(
    left.map(({ problem }) => problem.system),
    workers,
  )
  const timeFor = createTimeLookup(earlier)
  const sources: Partial<Record<TimeSource, number>> = {}
  let [slotTime, longest, unknown] = [0, 0, 0]
  for (const planned of left) {
    const found = timeFor(planned)
    if (found === undefined) {
      unknown += 1
      continue
    }
    const ms = Math.max(found.ms, minEpisodeTimeOf(planned.problem))
    sources[found.source] = (sources[found.source] ?? 0) + 1
    slotTime += ms * slots(planned.problem.system)
    longest = Math.max(longest, ms)
  }
  const seconds = Math.round(Math.max(slotTime / workers, longest) / 1000)
  return { ...(unknown === 0 ? { seconds } : {}), sources }
}
