/** Draws the parameters and the shape of a fault. */
import type { Random } from '../kit/index.ts'
import {
  FAULT_CATEGORIES,
  type Fault,
  type FaultShape,
  type ParameterDeclaration,
  type ParameterValues,
} from '../spec/index.ts'

/** MicroRemed's own faults have its own parameters, always. */
const isMicroRemeds = ({ name }: Fault): boolean => (FAULT_CATEGORIES as readonly string[]).includes(name)

const drawValue = (declared: ParameterDeclaration, random: Random): number | string => {
  if (declared.type === 'choice') return declared.choices[random.below(declared.choices.length)]!
  const { least, most } = declared
  if (declared.type === 'integer') return least + random.below(most - least + 1)
  return Math.round((least + random.next() * (most - least)) * 1000) / 1000
}

/** Those that are given as they are; of the others the default, or anything in their range where they vary. */
export const drawParameters = (
  fault: Fault,
  random: Random,
  { given = {}, varies = false }: { given?: ParameterValues | undefined; varies?: boolean | undefined },
): ParameterValues => {
  const isDrawn = varies && !isMicroRemeds(fault)
  const values = Object.keys(fault.parameters)
    .sort()
    .map((name) => {
      const declared = fault.parameters[name]!
      const drawn = isDrawn ? drawValue(declared, random.fork(name)) : declared.default
      return [name, given[name] ?? drawn] as const
    })
  return Object.fromEntries(values)
}

/** Milliseconds: quick enough for an episode, long enough to be felt. */
const SPANS = {
  over: [3000, 6000],
  on: [3000, 5000],
  off: [1000, 2000],
  healsAfter: [6000, 9000],
} as const

/** In steps of half a second. */
const drawSpan = ([least, most]: readonly [number, number], random: Random): number =>
  least + 500 * random.below((most - least) / 500 + 1)

export const drawShape = (kind: FaultShape['kind'], random: Random): FaultShape => {
  if (kind === 'gradual') return { kind, overMs: drawSpan(SPANS.over, random) }
  if (kind === 'intermittent')
    return { kind, onMs: drawSpan(SPANS.on, random), offMs: drawSpan(SPANS.off, random) }
  if (kind === 'transient') return { kind, forMs: drawSpan(SPANS.healsAfter, random) }
  return { kind }
}
