/**
 * Finds changes inside containers that remain: stopped processes, other settings of processes, lost or changed files, used space.
 * Containers that were not inspected before the solver started are compared only for stopped processes.
 */
import type { ApiObject, Damage, InspectedContainer, ProcessSettings } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { mayReplacePod } from './may-replace-pod.ts'
import type { Permissions } from './permissions.ts'

type Earlier = readonly InspectedContainer[]

/** The first version of the rules that compares the content and permissions of files. */
const RULES_WITH_CONTENT = 6
/** The first version of the rules that compares folders, and the files that the kubelet mounts. */
const RULES_WITH_MOUNTED_FILES = 7
/** Programs write less than this in an episode. */
const MAX_GROWTH_BYTES = 16 * 2 ** 20
const MAX_REPORTED = 3

const joinFirst = (names: readonly string[]): string => {
  const more = names.length - MAX_REPORTED
  return `${names.slice(0, MAX_REPORTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The earlier settings of the same process. */
const earlierSettings = (earlier: Earlier, { id }: ProcessSettings): ProcessSettings[] =>
  earlier.flatMap(({ processes }) => processes.filter((process) => process.id === id))

/** -1 means unlimited. */
const isLower = (now: number, before: number): boolean => now !== -1 && (before === -1 || now < before)

/** Whether a limit is lower than in the earlier settings. */
const hasLowerLimit = ({ limits }: ProcessSettings, before: ProcessSettings): boolean =>
  Object.entries(limits).some(([name, [soft, hard]]) => {
    const [formerSoft, formerHard] = before.limits[name] ?? [-1, -1]
    return isLower(soft, formerSoft) || isLower(hard, formerHard)
  })

const isSameLimits = (one: ProcessSettings, other: ProcessSettings): boolean =>
  !hasLowerLimit(one, other) && !hasLowerLimit(other, one)

/** A repair may give a process of its service more, but nothing that harms it. */
const settingsDamage = (earlier: Earlier, process: ProcessSettings, isRepaired: boolean): string[] => {
  const before = earlierSettings(earlier, process)
  const { name, isStopped, nice, scheduling, oomScoreAdj, cpus } = process
  // A process that starts between the observations is stopped by the solver, too.
  if (isStopped && !before.some((former) => former.isStopped))
    return [`was left with a stopped process: ${name}`]
  if (before.length === 0) return []
  const differs = (isSame: (former: ProcessSettings) => boolean): boolean => !before.some(isSame)
  const found: string[] = []
  if (
    isRepaired
      ? before.every((former) => hasLowerLimit(process, former))
      : differs((former) => isSameLimits(process, former))
  )
    found.push(`has a process with other resource limits: ${name}`)
  if (isRepaired) return found
  if (differs((former) => former.nice === nice)) found.push(`has a process with another priority: ${name}`)
  if (differs((former) => former.scheduling === scheduling))
    found.push(`has a process with another scheduling policy: ${name}`)
  if (differs((former) => former.oomScoreAdj === oomScoreAdj))
    found.push(`has a process with another OOM score: ${name}`)
  if (differs((former) => former.cpus === cpus)) found.push(`has a process on other cores: ${name}`)
  return found
}

/** Files that existed at all earlier observations, so that the programs themselves keep them. */
const lostFiles = (earlier: Earlier, now: InspectedContainer): string[] => {
  const [first, ...others] = earlier.map(({ files }) => files)
  if (first === undefined || others.includes(undefined) || now.files === undefined) return []
  const present = new Set(now.files)
  const stable = others.reduce<readonly string[]>((kept, files) => {
    const known = new Set(files)
    return kept.filter((file) => known.has(file))
  }, first)
  return stable.filter((file) => !present.has(file))
}

/** The paths of this observation that are in none of the earlier ones. */
const findNew = (
  earlier: Earlier,
  now: InspectedContainer,
  pathsOf: (container: InspectedContainer) => readonly string[] | undefined,
): string[] => {
  const known = new Set(earlier.flatMap((container) => pathsOf(container) ?? []))
  return (pathsOf(now) ?? []).filter((path) => !known.has(path))
}

/** Files with other content or permissions. A file that a program itself replaces is unlinked only for a moment. */
const contentDamage = (earlier: Earlier, now: InspectedContainer): string[] => {
  const changed = new Set([
    ...findNew(earlier, now, ({ changedFiles }) => changedFiles),
    ...findNew(earlier, now, ({ overwrittenFiles }) => overwrittenFiles),
    ...findNew(earlier, now, ({ unlinkedFiles }) => unlinkedFiles),
  ])
  const couldBeListed = earlier.every(({ files }) => files !== undefined)
  return [
    ...(changed.size === 0 ? [] : [`has overwritten files: ${joinFirst([...changed].sort())}`]),
    ...(couldBeListed && now.hasTooManyFiles === true ? ['was left with too many files to compare'] : []),
  ]
}

const filesDamage = (earlier: Earlier, now: InspectedContainer, rules: number): string[] => {
  if (earlier.length === 0) return []
  const lost = [...lostFiles(earlier, now), ...findNew(earlier, now, ({ deletedFiles }) => deletedFiles)]
  const growth = now.usedBytes - Math.max(...earlier.map(({ usedBytes }) => usedBytes))
  return [
    ...(lost.length === 0 ? [] : [`has lost files: ${joinFirst(lost)}`]),
    ...(growth > MAX_GROWTH_BYTES ? [`was left with ${Math.round(growth / 2 ** 20)} MiB of new files`] : []),
    ...(rules < RULES_WITH_CONTENT ? [] : contentDamage(earlier, now)),
    ...(rules < RULES_WITH_MOUNTED_FILES ? [] : folderDamage(earlier, now)),
  ]
}

/** Folders with another mode or owner. */
const folderDamage = (earlier: Earlier, now: InspectedContainer): string[] => {
  const changed = findNew(earlier, now, ({ changedFolders }) => changedFolders)
  return changed.length === 0 ? [] : [`has folders with another mode or owner: ${joinFirst(changed)}`]
}

/**
 * Other content, mode or owner of files such as `/etc/hosts`. No program changes them, and no right repair: in a pod of the repaired
 * service, the change would be lost with the pod.
 */
const mountedFilesDamage = (earlier: Earlier, now: InspectedContainer): string[] => {
  const [first, ...others] = earlier.map(({ mountedFiles }) => mountedFiles)
  const { mountedFiles } = now
  if (first === undefined || mountedFiles === undefined) return []
  const changed = Object.entries(first)
    .filter(
      ([path, state]) => others.every((other) => other?.[path] === state) && mountedFiles[path] !== state,
    )
    .map(([path]) => path)
  return changed.length === 0 ? [] : [`has other mounted files: ${joinFirst(changed)}`]
}

/** The pods when the solver started, and those that were added later, by name. */
const firstPods = ({ objects, changes }: EpisodeFacts): ReadonlyMap<string, ApiObject> => {
  const found = new Map<string, ApiObject>()
  for (const object of [...objects.injected.values(), ...changes.map((change) => change.object)])
    if (object.kind === 'Pod' && !found.has(object.metadata.name)) found.set(object.metadata.name, object)
  return found
}

/** Compares the last observation after the solver with those before it. A container that was restarted is another one. */
export const containerDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const { solverStartedAt, solverEnded, containers } = view
  if (solverStartedAt === undefined || solverEnded === undefined) return []
  const canReplace = mayReplacePod(view, permissions)
  const pods = firstPods(view)
  return [...containers.values()].flatMap((observations) => {
    const now = observations.at(-1)!
    const pod = pods.get(now.pod)
    if (pod === undefined || now.at < solverEnded.at) return []
    const earlier = observations.filter(({ at }) => at <= solverStartedAt)
    const isRepaired = canReplace(pod)
    const found = [
      ...now.processes.flatMap((process) => settingsDamage(earlier, process, isRepaired)),
      ...(isRepaired ? [] : filesDamage(earlier, now, view.rules)),
      ...(view.rules < RULES_WITH_MOUNTED_FILES ? [] : mountedFilesDamage(earlier, now)),
    ]
    return found.map((what) => ({ object: `Pod/${now.pod}`, what: `${what} in the container ${now.name}` }))
  })
}
