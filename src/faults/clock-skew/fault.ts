/** The clock of one node is wrong by far. */
import { canLeave, replacePods, serviceOf, sickNode } from '../../fault-parts/index.ts'
import { defineFault, type FaultTarget, type Hack, type SystemView } from '../../spec/index.ts'
import { timeReaders } from './time-readers.ts'

const readersIn = (system: SystemView): readonly FaultTarget[] =>
  timeReaders(system).filter(({ service }) => canLeave(system.workloadOf(service)))

/** Those who are turned away come again, and nothing has changed. */
const restartCallers: Hack = {
  name: 'restart-the-callers',
  about: 'Deletes the pods of those who are refused',
  async act(context) {
    for (const caller of context.system.callersOf(context.target.service)) await replacePods(context, caller)
  },
}

export const fault = defineFault({
  name: 'clock-skew',
  about: 'The clock of one node is wrong by far, and with it that of every pod there',
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
  symptoms: [
    'what pods on one node say of the time is wrong, also after a restart',
    'tokens or cards that are good are refused',
  ],
  targets: readersIn,
  ...sickNode({
    name: 'clock-skew',
    kind: 'TimeChaos',
    spec: ({ target, params }) => ({
      timeOffset: `${Math.round(Number(target.hours) * Number(params.times) * 60)}m`,
    }),
    // What lies on a volume of the node has to stay there.
    isFit: (pod, { system }) => {
      const found = system.workloads.find(({ service }) => service === serviceOf(pod))
      return found !== undefined && canLeave(found)
    },
    // Whoever never asks what time it is may stay.
    mustLeave: (pod, { system }) => readersIn(system).some(({ service }) => service === serviceOf(pod)),
    hacks: [restartCallers],
  }),
})
