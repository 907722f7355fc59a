/** Records what solvers can damage inside the containers of the system: files, space, and settings of processes. */
import { isDeepStrictEqual } from 'node:util'
import { defined } from '#kit'
import { type ApiObject, type ContainerInspection, type InspectedContainer, taskOf, viewAs } from '#spec'
import type { EventLog } from '../record/event-log.ts'
import type { Equipment } from './equipment.ts'
import { findChangedFolders } from './find-changed-folders.ts'
import { findOverwritten } from './find-overwritten.ts'

/** The number of files that are recorded for each container. */
const MAX_FILES = 200
/** Smaller differences of the used space are not recorded. */
const SPACE_STEP_BYTES = 2 ** 20
/** The number of deleted, changed and overwritten files that are recorded. */
const MAX_DAMAGED_FILES = 50

const claimsOf = (pod: ApiObject): string[] =>
  (viewAs('Pod', pod).spec?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  )

/** The claims that pods mount that the solver may have added. */
const mountedClaims = ({ view }: EventLog): ReadonlySet<string> =>
  new Set(
    view.changes.flatMap(({ change, object }) =>
      change === 'added' && object.kind === 'Pod' ? claimsOf(object) : [],
    ),
  )

/**
 * Whether the solver can have changed the containers of a pod: by a program in it, or by another pod that mounts the same claim. For a
 * solver of the laboratory it is not known which pods it entered.
 */
const createFilter = (log: EventLog, isTrusted: boolean): ((pod: ApiObject) => boolean) => {
  const { enteredPods, solverEnded } = log.view
  if (isTrusted || solverEnded === undefined || enteredPods.has('*')) return () => true
  const claims = mountedClaims(log)
  return (pod) => enteredPods.has(pod.metadata.name) || claimsOf(pod).some((claim) => claims.has(claim))
}

/** Keeps the files that existed at the first observation. */
const toRecorded = (
  pod: string,
  inspection: ContainerInspection,
  { overwritten, changedFolders }: Record<'overwritten' | 'changedFolders', readonly string[]>,
  first: InspectedContainer | undefined,
): InspectedContainer => {
  const { files, fileStates: _, folders: __, ...inspected } = inspection
  const known = first === undefined ? undefined : new Set(first.files)
  const kept = files?.filter((file) => known?.has(file) ?? true).slice(0, MAX_FILES)
  const toShown = (paths: readonly string[] = []): readonly string[] | undefined =>
    paths.length === 0 ? undefined : paths.slice(0, MAX_DAMAGED_FILES)
  const { changedFiles, unlinkedFiles, ...others } = inspected
  return {
    pod,
    ...others,
    ...defined({
      files: kept,
      changedFiles: toShown(changedFiles),
      // A program may itself delete a file that it keeps open.
      unlinkedFiles: toShown(unlinkedFiles?.filter((file) => first?.files?.includes(file) ?? false)),
      overwrittenFiles: toShown(overwritten),
      changedFolders: toShown(changedFolders),
    }),
    deletedFiles: inspected.deletedFiles.slice(0, MAX_DAMAGED_FILES),
    usedBytes: Math.floor(inspected.usedBytes / SPACE_STEP_BYTES) * SPACE_STEP_BYTES,
  }
}

/** Adds an event if a container differs from its last observation. */
export const inspectContainers = (equipment: Equipment, log: EventLog, isTrusted = false): void => {
  const { cluster, objects, view } = equipment
  const { problem, containers } = log.view
  // Other tasks give no access to pods.
  if (cluster.containersIn === undefined || problem === undefined || !taskOf(problem.task).repairs) return
  const mayBeChanged = createFilter(log, isTrusted)
  const pods = objects
    .list()
    .filter(({ kind, metadata }) => kind === 'Pod' && metadata.namespace === view.namespace)
    .filter(mayBeChanged)
  const changed = pods.flatMap(({ metadata }) =>
    (cluster.containersIn?.(String(metadata.uid)) ?? []).flatMap((inspected) => {
      const earlier = containers.get(inspected.id) ?? []
      const found = {
        overwritten: findOverwritten(log, inspected),
        changedFolders: findChangedFolders(log, inspected),
      }
      const container = toRecorded(metadata.name, inspected, found, earlier[0])
      const { at: _, ...last } = earlier.at(-1) ?? { at: 0 }
      return isDeepStrictEqual(last, container) ? [] : [container]
    }),
  )
  if (changed.length > 0) log.add({ type: 'containers-inspected', containers: changed })
}
