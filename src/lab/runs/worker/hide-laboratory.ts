/** Hides the folders of the laboratory from an external program. */
import { basename, dirname } from 'node:path'
import { stateFolder } from '#platform/engines/folders'

/** Returns the run folder, or the folder `runs` that contains it, because records of other runs contain answers as well. */
const runsFolderOf = (record: string): string => {
  const run = dirname(dirname(record))
  return basename(dirname(run)) === 'runs' ? dirname(run) : run
}

/** Adds the hidden folders to the options of the agent `external`. `record` is the path of the episode's record. */
export const hideLaboratory = (
  record: string,
  { hidden, ...options }: Readonly<Record<string, unknown>>,
): Record<string, unknown> => ({
  ...options,
  hidden: [
    ...(typeof hidden === 'string' ? hidden.split(':').filter((path) => path !== '') : []),
    runsFolderOf(record),
    stateFolder(),
  ],
})
