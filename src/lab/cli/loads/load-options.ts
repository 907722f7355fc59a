/** Converts the options of `remedium load` to a load profile. */
import { readFileSync } from 'node:fs'
import { type ArrivalPattern, type LoadProfile, RemediumError, type Workload } from '#spec'
import { parseLoad } from '#world/workload'

/** A recorded trace is only available in a load file. */
type PatternName = Exclude<ArrivalPattern['kind'], 'replay'>

export interface LoadOptions {
  readonly load?: string | undefined
  readonly users?: number | undefined
  readonly rate?: string | undefined
  readonly pattern?: PatternName | undefined
  readonly connections?: number | undefined
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const DEFAULT_THINK_MS = { min: 1000, max: 2000 }

/** `90`, `90s`, `2m`, `500ms`, `1h`. */
export const parseDuration = (option: string, text: string): number => {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const milliseconds = Number(number) * UNITS[unit]!
  if (milliseconds > 0) return milliseconds
  throw new RemediumError(
    'bad-argument',
    `--${option} must be a duration such as 60s or 5m, but "${text}" was given.`,
  )
}

/** Create the arrival pattern for a rate. A pattern that changes over time is scaled to the duration. */
const PATTERNS: Readonly<Record<PatternName, (rate: number, forMs: number) => ArrivalPattern>> = {
  constant: (rate) => ({ kind: 'constant', rate }),
  poisson: (rate) => ({ kind: 'poisson', rate }),
  bursty: (rate, forMs) => ({
    kind: 'bursty',
    rate: rate / 2,
    burstRate: 4 * rate,
    burstMs: forMs / 42,
    calmMs: forMs / 7,
  }),
  daily: (rate, forMs) => ({ kind: 'daily', low: rate / 4, high: 2 * rate, dayMs: forMs }),
  ramp: (rate, forMs) => ({ kind: 'ramp', from: 0, to: rate, overMs: forMs }),
  spike: (rate, forMs) => ({ kind: 'spike', rate, spikeRate: 5 * rate, atMs: forMs / 3, forMs: forMs / 6 }),
}

const readLoad = (file: string): LoadProfile => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RemediumError('bad-argument', `The load file ${file} cannot be read.`, { cause })
  }
  return parseLoad(text, file)
}

const toPattern = ({ rate, pattern = 'constant' }: LoadOptions, forMs: number): ArrivalPattern => {
  const number = Number(rate)
  if (!(number > 0 && number <= 100_000))
    throw new RemediumError(
      'bad-argument',
      `--rate must be a number of journeys per second, above 0 and at most 100000, but "${rate}" was given.`,
    )
  return PATTERNS[pattern](number, forMs)
}

const chooseLoad = (options: LoadOptions, { load }: Workload, forMs: number): LoadProfile => {
  const { users, rate, pattern } = options
  const given = [options.load, users, rate].filter((option) => option !== undefined).length
  if (given > 1)
    throw new RemediumError('bad-argument', 'Only one of --load, --users and --rate can be given.')
  if (pattern !== undefined && rate === undefined)
    throw new RemediumError('bad-argument', '--pattern requires --rate.')
  if (options.load !== undefined) return readLoad(options.load)
  if (rate !== undefined) return { loop: 'open', arrivals: toPattern(options, forMs) }
  if (users === undefined) return load
  return { loop: 'closed', users, thinkMs: load.loop === 'closed' ? load.thinkMs : DEFAULT_THINK_MS }
}

const limitConnections = (load: LoadProfile, connections: number): LoadProfile => {
  if (load.loop === 'open') return { ...load, connections }
  throw new RemediumError('bad-argument', '--connections requires an open loop.', {
    hint: 'Give --rate, or "loop: open" in a load file. In a closed loop each user has one connection.',
  })
}

/** Returns the system's default load if no option is given. */
export const toLoad = (options: LoadOptions, workload: Workload, forMs: number): LoadProfile => {
  const load = chooseLoad(options, workload, forMs)
  return options.connections === undefined ? load : limitConnections(load, options.connections)
}

/** The other journeys get weight 0, so they run only if a named journey requires them. A named one of weight 0 gets 1. */
export const chooseJourneys = (workload: Workload, names: readonly string[]): Workload => {
  if (names.length === 0) return workload
  const unknown = names.find((name) => !workload.journeys.some((journey) => journey.name === name))
  if (unknown !== undefined)
    throw new RemediumError('bad-argument', `There is no journey "${unknown}".`, {
      hint: `The journeys are: ${workload.journeys.map(({ name }) => name).join(', ')}.`,
    })
  const journeys = workload.journeys.map((journey) => ({
    ...journey,
    weight: names.includes(journey.name) ? journey.weight || 1 : 0,
  }))
  return { ...workload, journeys }
}
