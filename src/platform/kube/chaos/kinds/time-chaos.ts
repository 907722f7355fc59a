/** TimeChaos: shifts clocks by an offset. */
import { invalid } from '#platform/kube/meta'
import { defineChaosKind, singleSelection } from '../chaos-kind.ts'
import { choiceOf, containerChoice, POD_CHOICE_REQUIRED, text } from '../chaos-schema.ts'
import { parseDuration } from '../parse-duration.ts'

const CLOCKS = [
  'CLOCK_REALTIME',
  'CLOCK_MONOTONIC',
  'CLOCK_PROCESS_CPUTIME_ID',
  'CLOCK_THREAD_CPUTIME_ID',
  'CLOCK_MONOTONIC_RAW',
  'CLOCK_REALTIME_COARSE',
  'CLOCK_MONOTONIC_COARSE',
  'CLOCK_BOOTTIME',
  'CLOCK_REALTIME_ALARM',
  'CLOCK_BOOTTIME_ALARM',
]

export const timeChaos = defineChaosKind({
  kind: 'TimeChaos',
  hasAction: false,
  properties: {
    ...containerChoice,
    timeOffset: text({ description: 'The offset of the clocks, such as -10m or 1h30m.' }),
    clockIds: { type: 'array', items: choiceOf(...CLOCKS), default: ['CLOCK_REALTIME'] },
  },
  required: ['timeOffset', ...POD_CHOICE_REQUIRED],
  validate: ({ timeOffset }) =>
    parseDuration(timeOffset) === undefined
      ? [
          invalid(
            'spec.timeOffset',
            timeOffset,
            `parse timeOffset field error: invalid duration "${timeOffset}"`,
          ),
        ]
      : [],
  selections: singleSelection('container'),
  faults: ({ chaos: { spec }, containerTarget }) => [
    {
      type: 'time',
      target: containerTarget,
      offsetMs: parseDuration(spec.timeOffset) ?? 0,
      clocks: spec.clockIds.length === 0 ? ['CLOCK_REALTIME'] : spec.clockIds,
    },
  ],
})
