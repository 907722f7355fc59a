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

/** What a workload says of these. */
export const variablesIn = (
  workload: ApiObject,
  { system, target }: FaultCase,
  names: readonly string[],
): object =>
  Object.fromEntries(
    names.map((name) => {
      const { env } =
        podSpecOf(workload).containers.find(
          (one) => one.name === mainContainer(system, target.service).name,
        ) ?? {}
      return [name, env?.find((one) => one.name === name)?.value ?? null]
    }),
  )

/** Whether an expression of the service's behaviour asks for the variable. */
export const readsVariable = (system: SystemView, service: string, name: string): boolean =>
  JSON.stringify(system.topology?.services[service]?.behaviour ?? {}).includes(name)
