/** Inspects the containers of a simulated pod: their files, and the settings of their processes. */
import { posix } from 'node:path'
import type { SimProcess } from '#platform/engines/sim/runtime'
import type { ContainerInspection, ProcessSettings } from '#spec'
import type { InspectedContainer, InspectedPods } from './inspected-pods.ts'
import { MAX_NAME_LENGTH } from './list-processes.ts'

/** A container may run on all cores of its node. */
const CPUS = 'all'

const toSettings = ({ id, command: [program = ''], isStopped, settings }: SimProcess): ProcessSettings => ({
  id,
  name: posix.basename(program).slice(0, MAX_NAME_LENGTH),
  isStopped,
  nice: settings.nice,
  oomScoreAdj: settings.oomScoreAdj,
  cpus: CPUS,
  limits: { 'Max open files': settings.openFiles },
})

const inspect = ({ id, name, resources, processes, hasProgram }: InspectedContainer): ContainerInspection => {
  const listed = resources.files.listAll()
  const changedFiles = listed.files.filter(hasProgram)
  const unlinkedFiles = resources.files.listUnlinked()
  return {
    ...{ id, name, deletedFiles: [], ...listed },
    processes: processes()
      .filter(({ isFromExec }) => !isFromExec)
      .map(toSettings),
    ...(changedFiles.length === 0 ? {} : { changedFiles }),
    ...(unlinkedFiles.length === 0 ? {} : { unlinkedFiles }),
  }
}

/** Undefined if the pod is not running. */
export const inspectContainers = (
  pods: InspectedPods,
  uid: string,
): readonly ContainerInspection[] | undefined => pods.find(uid)?.containers().map(inspect)
