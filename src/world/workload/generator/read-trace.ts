/** Reads the arrivals that a load replays. */
import { readFileSync } from 'node:fs'
import { type LoadProfile, RemediumError, type Workload } from '#spec'
import { type Arrival, parseArrivals } from '../parsing/parse-arrivals.ts'

/** Undefined if the load is not a replay. */
export const readTrace = ({
  workload,
  load = workload.load,
}: {
  readonly workload: Workload
  readonly load?: LoadProfile | undefined
}): Arrival[] | undefined => {
  if (load.loop !== 'open' || load.arrivals.kind !== 'replay') return undefined
  const { file } = load.arrivals
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RemediumError('bad-file', `The trace ${file} cannot be read.`, { cause })
  }
  return parseArrivals(
    text,
    file,
    workload.journeys.map(({ name }) => name),
  )
}
