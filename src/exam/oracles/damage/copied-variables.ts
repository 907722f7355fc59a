/**
 * Leaves out variables that a repair set in all containers of a pod, as `kubectl set env` does without the name of a container: only
 * one of the containers reads them.
 */
import { isDeepStrictEqual } from 'node:util'
import { type ApiObject, podTemplateOf } from '#spec'
import type { Versions } from './drift.ts'

type Values = Readonly<Record<string, unknown>>

/** A container whose variables were resolved. */
interface Container {
  readonly name: string
  readonly env?: Values
}

interface PodSpec {
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
}

const podSpecOf = (workload: ApiObject): PodSpec =>
  (podTemplateOf(workload)?.spec ?? {}) as unknown as PodSpec

const variablesIn = (workload: ApiObject, name: string): Values => {
  const { containers = [], initContainers = [] } = podSpecOf(workload)
  return [...containers, ...initContainers].find((container) => container.name === name)?.env ?? {}
}

/** The present values of the variables that the fault changed in a container. */
const repairedValues = ({ now, baseline, injected }: Versions<ApiObject>): ReadonlyMap<string, unknown> =>
  new Map(
    (podSpecOf(baseline).containers ?? []).flatMap(({ name }) => {
      const [current, before, after] = [now, baseline, injected].map((workload) =>
        variablesIn(workload, name),
      )
      return Object.entries(current!).filter(
        ([variable]) => !isDeepStrictEqual(before![variable], after![variable]),
      )
    }),
  )

/** Takes workloads whose variables were resolved, and returns the present one. */
export const withoutCopiedVariables = (versions: Versions<ApiObject>): ApiObject => {
  const { now, baseline, injected } = versions
  const repaired = repairedValues(versions)
  if (repaired.size === 0) return now
  const isCopy = (container: string, variable: string, value: unknown): boolean =>
    repaired.has(variable) &&
    isDeepStrictEqual(value, repaired.get(variable)) &&
    [baseline, injected].every((workload) => variablesIn(workload, container)[variable] === undefined)
  const strip = (containers: readonly Container[] | undefined) =>
    containers?.map((container) => ({
      ...container,
      env: Object.fromEntries(
        Object.entries(container.env ?? {}).filter(
          ([variable, value]) => !isCopy(container.name, variable, value),
        ),
      ),
    }))
  const { containers, initContainers, ...rest } = podSpecOf(now)
  const spec = {
    ...rest,
    containers: strip(containers),
    ...(initContainers === undefined ? {} : { initContainers: strip(initContainers) }),
  }
  const template = { ...podTemplateOf(now), spec }
  return { ...now, spec: { ...(now.spec as object), template } }
}
