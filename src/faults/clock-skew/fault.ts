/** The clock of one pod is wrong by far. */
import { podBound } from '../../fault-parts/index.ts'
import { defineFault } from '../../spec/index.ts'
import { timeReaders } from './time-readers.ts'

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
  targets: timeReaders,
  ...podBound({
    name: 'clock-skew',
    kind: 'TimeChaos',
    lastsIn: 'container',
    what: 'whose clock is wrong',
    spec: ({ target, params }) => ({
      timeOffset: `${Math.round(Number(target.hours) * Number(params.times) * 60)}m`,
    }),
  }),
})
