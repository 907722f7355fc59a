/** The clock of one pod is wrong by far. */
import {
  addReplicas,
  dropFinalizers,
  hideThePod,
  podBound,
  restartNeighbours,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultTarget, type SystemView } from '../../spec/index.ts'

/** Cards of users are good for more than twelve years. */
const YEARS_HOURS = 150_000
/** Tokens are good for an hour. */
const TOKEN_HOURS = 2

interface Reader {
  readonly service: string
  /** The least by which its clock must be wrong for somebody to be turned away. */
  readonly hours: number
}

/** Services to whom it matters what time it is: those who give tokens give old ones, those who check cards find them expired. */
const READERS: Readonly<Record<string, readonly Reader[]>> = {
  'online-boutique': [{ service: 'paymentservice', hours: YEARS_HOURS }],
  'train-ticket': [{ service: 'ts-auth-service', hours: -TOKEN_HOURS }],
}

const readers = (system: SystemView): FaultTarget[] =>
  (READERS[system.name] ?? [])
    .filter(({ service }) => system.impactOf(service).down.length > 0)
    .map(({ service, hours }) => ({ service, hours }))

export const fault = defineFault({
  name: 'clock-skew',
  about: 'The clock of one pod is wrong by far',
  category: 'pod-config-error',
  layer: 'operating-system',
  type: 'misconfiguration',
  parameters: {
    times: {
      type: 'number',
      about: 'How many times as much as it takes to be felt',
      least: 1,
      most: 1.5,
      default: 1,
    },
  },
  shapes: ['sudden', 'intermittent', 'transient'],
  symptoms: ['what one pod says of the time is wrong', 'tokens or cards that are good are refused'],
  targets: readers,
  ...podBound({
    name: 'clock-skew',
    kind: 'TimeChaos',
    lastsIn: 'container',
    what: 'whose clock is wrong',
    spec: ({ target, params }) => ({
      timeOffset: `${Math.round(Number(target.hours) * Number(params.times) * 60)}m`,
    }),
  }),
  hacks: [addReplicas, hideThePod, restartNeighbours, dropFinalizers('TimeChaos', 'clock-skew')],
})
