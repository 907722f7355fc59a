/** Sets and removes environment variables of the main container with patches of the pod spec. */
import { environmentOf, textOf } from '#exam/effects'
import type { ApiObject, FaultCase, ObjectsView, SystemView } from '#spec'
import { mainContainer, mainContainerIn } from './containers.ts'

type Variables = Readonly<Record<string, string>>

const inMainContainer = ({ system, target }: FaultCase, env: readonly object[]): object => ({
  containers: [{ name: mainContainer(system, target.service).name, env }],
})

/** A patch of the pod spec that sets variables. */
export const withVariables = (faultCase: FaultCase, values: Variables): object =>
  inMainContainer(
    faultCase,
    Object.entries(values).map(([name, value]) => ({ name, value })),
  )

const deployedVariable = (system: SystemView, service: string, name: string) =>
  mainContainer(system, service).env?.find((variable) => variable.name === name)

/** A patch of the pod spec that restores variables as deployed. Those that are not deployed are removed. */
export const withDeployedVariables = (faultCase: FaultCase, names: readonly string[]): object =>
  inMainContainer(
    faultCase,
    names.map(
      (name) =>
        deployedVariable(faultCase.system, faultCase.target.service, name) ?? { name, $patch: 'delete' },
    ),
  )

/** The values of variables in the pods of a workload: a string, null if unset, or the unresolved reference. */
export const variablesIn = (
  workload: ApiObject,
  faultCase: FaultCase,
  { names, objects }: { names: readonly string[]; objects: ObjectsView },
): Readonly<Record<string, unknown>> => {
  const environment = environmentOf(objects, mainContainerIn(workload, faultCase) ?? {})
  return Object.fromEntries(
    names.map((name) => [name, textOf(environment[name]) ?? environment[name] ?? null]),
  )
}

/** Parses a variable: `unset` if it is null, its number if it is a plain decimal, NaN otherwise. */
export const parseNumber = (value: unknown, unset: number): number => {
  if (value === null) return unset
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
}

/** Whether an expression of the service's behaviour reads the variable. */
export const readsVariable = (system: SystemView, service: string, name: string): boolean =>
  JSON.stringify(system.topology?.services[service]?.behaviour ?? {}).includes(name)
