/** Draws the parameters and the shape of a fault. */
import type { Random } from '#kit'
import {
  FAULT_CATEGORIES,
  type Fault,
  type FaultShape,
  type ParameterDeclaration,
  type ParameterValues,
} from '#spec'

/** The parameters of MicroRemed's faults are not drawn: their defaults are MicroRemed's values. */
const isMicroRemedFault = ({ name }: Fault): boolean => (FAULT_CATEGORIES as readonly string[]).includes(name)

const drawValue = (declared: ParameterDeclaration, random: Random): number | string => {
  if (declared.type === 'choice') return declared.choices[random.below(declared.choices.length)]!
  const { min, max } = declared
  if (declared.type === 'integer') return min + random.below(max - min + 1)
  return Math.round((min + random.next() * (max - min)) * 1000) / 1000
}

/** Uses `params` as they are; other values are the default, or drawn from their range if `varies`. */
export const drawParameters = (
  fault: Fault,
  random: Random,
  { params = {}, varies = false }: { params?: ParameterValues | undefined; varies?: boolean | undefined },
): ParameterValues => {
  const isDrawn = varies && !isMicroRemedFault(fault)
  const values = Object.keys(fault.parameters)
    .sort()
    .map((name) => {
      const declared = fault.parameters[name]!
      const drawn = isDrawn ? drawValue(declared, random.fork(name)) : declared.default
      return [name, params[name] ?? drawn] as const
    })
  return Object.fromEntries(values)
}

/** Ranges of time spans that fit into an episode and are long enough for user impact. */
const SPANS_MS = {
  over: [3000, 6000],
  on: [3000, 5000],
  off: [1000, 2000],
  transient: [6000, 9000],
} as const

/** Draws a span in steps of 500 ms. */
const drawSpan = ([min, max]: readonly [number, number], random: Random): number =>
  min + 500 * random.below((max - min) / 500 + 1)

export const drawShape = (kind: FaultShape['kind'], random: Random): FaultShape => {
  if (kind === 'gradual') return { kind, overMs: drawSpan(SPANS_MS.over, random) }
  if (kind === 'intermittent')
    return { kind, onMs: drawSpan(SPANS_MS.on, random), offMs: drawSpan(SPANS_MS.off, random) }
  if (kind === 'transient') return { kind, forMs: drawSpan(SPANS_MS.transient, random) }
  return { kind }
}
