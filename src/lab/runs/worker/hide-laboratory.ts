/** Hides the folders of the laboratory from an external program. */
import { basename, dirname } from 'node:path'
import { stateFolder } from '#platform/engines/local/machine'

/** Records of this run, and of others beside it, contain answers. */
const runsOf = (record: string): string => {
  const run = dirname(dirname(record))
  return basename(dirname(run)) === 'runs' ? dirname(run) : run
}

/** Adds to the options of the agent `external`. `record` is the path of the episode's record. */
export const hideLaboratory = (
  record: string,
  { hidden, ...options }: Readonly<Record<string, unknown>>,
): Record<string, unknown> => ({
  ...options,
  hidden: [
    ...(typeof hidden === 'string' ? hidden.split(':').filter((path) => path !== '') : []),
    runsOf(record),
    stateFolder(),
  ],
})
