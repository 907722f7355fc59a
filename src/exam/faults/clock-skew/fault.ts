/** Fault: the clock of one node is wrong. */
import { canMove, degradedNode, replacePods, serviceOf } from '#exam/fault-parts'
import { defineFault, type FaultTarget, type Hack, type SystemView } from '#spec'
import { timeReaders } from './time-readers.ts'

const movableTimeReaders = (system: SystemView): readonly FaultTarget[] =>
  timeReaders(system).filter(({ service }) => canMove(system.workloadOf(service)))

const restartCallers: Hack = {
  name: 'restart-the-callers',
  about: 'Deletes the pods of the callers that are rejected',
  async act(context) {
    for (const caller of context.system.callersOf(context.target.service)) await replacePods(context, caller)
  },
}

export const fault = defineFault({
  name: 'clock-skew',
  about: 'The clock of one node, and of every pod there, is wrong by hours',
  category: 'pod-config-error',
  layer: 'operating-system',
  type: 'misconfiguration',
  parameters: {
    times: {
      type: 'number',
      about: 'The factor by which the smallest offset with user impact is multiplied',
      min: 1,
      max: 1.5,
      default: 1,
    },
  },
  shapes: ['sudden', 'intermittent', 'transient'],
  symptoms: [
    'timestamps of pods on one node are wrong, even after a restart',
    'valid tokens or cards are rejected',
  ],
  targets: movableTimeReaders,
  ...degradedNode({
    name: 'clock-skew',
    kind: 'TimeChaos',
    spec: ({ target, params }) => ({
      timeOffset: `${Math.round(Number(target.hours) * Number(params.times) * 60)}m`,
    }),
    // Pods with a volume on the node cannot move.
    canBeAffected: (pod, { system }) => {
      const workload = system.workloads.find(({ service }) => service === serviceOf(pod))
      return workload !== undefined && canMove(workload)
    },
    // Pods that do not depend on the time may stay.
    mustLeave: (pod, { system }) =>
      movableTimeReaders(system).some(({ service }) => service === serviceOf(pod)),
    hacks: [restartCallers],
  }),
})
