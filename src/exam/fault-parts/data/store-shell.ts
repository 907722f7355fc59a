/** Runs commands in the shell of a data store, in its leading pod. Probes use `queryStore`: solvers can replace programs in pods. */
import { quoteShellWord } from '#kit'
import type { ContainerView, ExecOutcome, FaultContext, SystemView } from '#spec'
import type { PlaybookTask } from '../playbook.ts'
import { mainContainer } from '../workloads/containers.ts'
import { findStorePod } from './find-store-pod.ts'
import { deployedData } from './secret-values.ts'

const toVariable = (
  system: SystemView,
  { env = [], envFrom = [] }: ContainerView,
  name: string,
): string | undefined => {
  const declaration = env.find((variable) => variable.name === name)
  if (declaration?.value !== undefined) return declaration.value
  const { name: secret, key } = declaration?.valueFrom?.secretKeyRef ?? {}
  if (secret !== undefined && key !== undefined) return deployedData(system, secret)[key]
  const secrets = envFrom.flatMap(({ secretRef }) => secretRef?.name ?? [])
  return secrets.map((secret) => deployedData(system, secret)[name]).find((value) => value !== undefined)
}

/** The deployed value of a variable of the main container. */
export const variableOf = (system: SystemView, service: string, name: string): string | undefined =>
  toVariable(system, mainContainer(system, service), name)

/** Evaluates a setting such as `"admin"` or `env.MYSQL_USER` for the service. */
export const settingOf = (system: SystemView, service: string, expression: string): string => {
  const variable = /^env\.(\w+)$/.exec(expression)?.[1]
  return variable === undefined
    ? String(JSON.parse(expression))
    : (variableOf(system, service, variable) ?? '')
}

/**
 * The `mysql` or `mongo` command that runs these statements, by default as root. Uses absolute paths, so that a program of
 * the same name elsewhere in the PATH is not run.
 */
export const shellCommand = (
  system: SystemView,
  store: string,
  statements: string,
  { database, user, password }: { database?: string; user?: string; password?: string } = {},
): readonly string[] => {
  if (system.topology?.services[store]?.behaviour.protocol === 'mysql') {
    const login = user === undefined ? ['-uroot'] : [`-u${user}`, `-p${password}`, '-h127.0.0.1']
    return [
      '/usr/bin/mysql',
      ...login,
      ...(database === undefined ? [] : ['-D', database]),
      '-N',
      '-e',
      statements,
    ]
  }
  const root = variableOf(system, store, 'MONGO_INITDB_ROOT_USERNAME')
  const name = user ?? root
  const secret = password ?? variableOf(system, store, 'MONGO_INITDB_ROOT_PASSWORD')
  const login = name === undefined ? [] : ['-u', name, '-p', secret!, '--authenticationDatabase', 'admin']
  return ['/usr/bin/mongo', database ?? 'admin', '--quiet', ...login, '--eval', statements]
}

/** Rejects if the store has no pod. */
export const runInStore = async (
  context: Pick<FaultContext, 'api' | 'system' | 'signal'>,
  store: string,
  command: readonly string[],
): Promise<ExecOutcome> => {
  const { api, system, signal } = context
  const { name } = (await findStorePod(context, store)).metadata
  const container = mainContainer(system, store).name
  return api.exec({ namespace: system.namespace, name }, command, { container, signal })
}

/** Throws with the output of the command if it fails. */
export const changeStore = async (
  context: Pick<FaultContext, 'api' | 'system' | 'signal'>,
  store: string,
  command: readonly string[],
): Promise<void> => {
  const { exitCode, stdout, stderr } = await runInStore(context, store, command)
  if (exitCode !== 0)
    throw new Error(`the command ${command.join(' ')} failed in ${store}: ${stderr}${stdout}`)
}

/** The task that runs a command in a pod of the store. */
export const execTask = (
  name: string,
  system: SystemView,
  { store, pod, command }: { store: string; pod: string; command: readonly string[] },
): PlaybookTask => ({
  name,
  'kubernetes.core.k8s_exec': {
    namespace: system.namespace,
    pod,
    container: mainContainer(system, store).name,
    command: command.map(quoteShellWord).join(' '),
  },
})
