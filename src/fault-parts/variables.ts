/** Variables of the container that serves, set and taken away by edits of its template. */
import type { ApiObject, FaultCase, SystemView } from '../spec/index.ts'
import { mainContainer, podSpecOf } from './containers.ts'

type Variables = Readonly<Record<string, string>>

/** As strategic patches of a pod's spec know containers. */
const inMain = ({ system, target }: FaultCase, env: readonly object[]): object => ({
  containers: [{ name: mainContainer(system, target.service).name, env }],
})

/** A patch of the pod's spec that sets these. */
export const withVariables = (about: FaultCase, values: Variables): object =>
  inMain(
    about,
    Object.entries(values).map(([name, value]) => ({ name, value })),
  )

const deployed = (system: SystemView, service: string, name: string) =>
  mainContainer(system, service).env?.find((one) => one.name === name)

/** A patch of the pod's spec that makes these what they were deployed with, or nothing. */
export const withDeployedVariables = (about: FaultCase, names: readonly string[]): object =>
  inMain(
    about,
    names.map((name) => deployed(about.system, about.target.service, name) ?? { name, $patch: 'delete' }),
  )

/** What a workload says of these: a text, where it comes from, or nothing. */
export const variablesIn = (
  workload: ApiObject,
  { system, target }: FaultCase,
  names: readonly string[],
): Readonly<Record<string, unknown>> => {
  const main = mainContainer(system, target.service).name
  const { env = [] } = podSpecOf(workload).containers.find((one) => one.name === main) ?? {}
  return Object.fromEntries(
    names.map((name) => {
      // Of several the last one counts.
      const said = env.findLast((one) => one.name === name)
      return [name, said === undefined ? null : (said.valueFrom ?? said.value ?? '')]
    }),
  )
}

/** The number that a variable comes to where it is unset or a plain decimal; NaN otherwise. */
export const numberSaid = (value: unknown, unset: number): number => {
  if (value === null) return unset
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
}

/** Whether an expression of the service's behaviour asks for the variable. */
export const readsVariable = (system: SystemView, service: string, name: string): boolean =>
  JSON.stringify(system.topology?.services[service]?.behaviour ?? {}).includes(name)
