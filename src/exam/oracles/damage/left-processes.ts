/** Finds processes that the solver left running in pods outside the fault. They are damage if they never end. */
import { type ApiObject, type Damage, taskOf, viewAs } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { serviceOfPod } from './may-replace-pod.ts'
import type { Permissions } from './permissions.ts'

/** Faults start processes in pods of their targets, and of nodes that may be drained. */
const mayHoldProcesses = (view: EpisodeFacts, permissions: Permissions): ((pod: ApiObject) => boolean) => {
  const targets = new Set((view.problem?.faults ?? []).map(({ target }) => target.service))
  return (pod) =>
    targets.has(serviceOfPod(pod) ?? '') || permissions.mayDrain(viewAs('Pod', pod).spec?.nodeName)
}

/** Programs of `now` that `before` does not have as often. */
const without = (now: readonly string[], before: readonly string[]): string[] => {
  const remaining = [...before]
  return now.filter((name) => {
    const index = remaining.indexOf(name)
    if (index >= 0) remaining.splice(index, 1)
    return index < 0
  })
}

/** Compares containers that already ran when the solver started. */
export const leftProcesses = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const { solverStartedAt, solverEnded, problem, objects } = view
  if (solverStartedAt === undefined || solverEnded === undefined || problem === undefined) return []
  // Other tasks give no access to pods.
  if (!taskOf(problem.task).repairs) return []
  const isExempt = mayHoldProcesses(view, permissions)
  const exempt = new Set(
    [...objects.now.values()]
      .filter((object) => object.kind === 'Pod' && isExempt(object))
      .map(({ metadata }) => metadata.name),
  )
  return [...view.processes.values()].flatMap((observations) => {
    const last = observations.at(-1)!
    const earlier = observations.filter(({ at }) => at <= solverStartedAt)
    if (last.at < solverEnded.at || earlier.length === 0 || exempt.has(last.pod)) return []
    const most = earlier.reduce((a, b) => (b.processes.length > a.processes.length ? b : a))
    if (last.processes.length <= most.processes.length) return []
    const names = without(
      last.processes.map(([name]) => name),
      most.processes.map(([name]) => name),
    )
    return [{ object: `Pod/${last.pod}`, what: `was left with a running process: ${names.join(', ')}` }]
  })
}
