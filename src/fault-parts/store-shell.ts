/** Commands in the shell of a data store, in the pod that leads, as somebody sits down at it. */
import { shellWord } from '../kit/index.ts'
import type { ContainerView, ExecOutcome, FaultContext, SystemView } from '../spec/index.ts'
import { mainContainer } from './containers.ts'
import type { PlaybookTask } from './playbook.ts'
import { podsOf } from './pods.ts'
import { deployedData } from './secret-values.ts'

const toVariable = (
  system: SystemView,
  { env = [], envFrom = [] }: ContainerView,
  name: string,
): string | undefined => {
  const own = env.find((one) => one.name === name)
  const { secretKeyRef } = (own?.valueFrom ?? {}) as { secretKeyRef?: { name: string; key: string } }
  if (own?.value !== undefined) return own.value
  if (secretKeyRef !== undefined) return deployedData(system, secretKeyRef.name)[secretKeyRef.key]
  const secrets = envFrom.flatMap(({ secretRef }) => (secretRef === undefined ? [] : [secretRef.name]))
  return secrets.map((secret) => deployedData(system, secret)[name]).find((value) => value !== undefined)
}

/** A variable of the container that serves, as the system is deployed. */
export const variableOf = (system: SystemView, service: string, name: string): string | undefined =>
  toVariable(system, mainContainer(system, service), name)

/** What `"admin"` and `env.MYSQL_USER` come to in the service's pods. */
export const settingOf = (system: SystemView, service: string, expression: string): string => {
  const variable = /^env\.(\w+)$/.exec(expression)?.[1]
  return variable === undefined
    ? String(JSON.parse(expression))
    : (variableOf(system, service, variable) ?? '')
}

/**
 * `mysql` or `mongo` with these statements; as root where no user is given. By their full names, under which nobody in the pod
 * can put something else.
 */
export const shellCommand = (
  system: SystemView,
  store: string,
  statements: string,
  { database, user, password }: { database?: string; user?: string; password?: string } = {},
): readonly string[] => {
  if (system.topology?.services[store]?.behaviour.wire === 'mysql') {
    const who = user === undefined ? ['-uroot'] : [`-u${user}`, `-p${password}`, '-h127.0.0.1']
    return [
      '/usr/bin/mysql',
      ...who,
      ...(database === undefined ? [] : ['-D', database]),
      '-N',
      '-e',
      statements,
    ]
  }
  const root = variableOf(system, store, 'MONGO_INITDB_ROOT_USERNAME')
  const name = user ?? root
  const secret = password ?? variableOf(system, store, 'MONGO_INITDB_ROOT_PASSWORD')
  const who = name === undefined ? [] : ['-u', name, '-p', secret!, '--authenticationDatabase', 'admin']
  return ['/usr/bin/mongo', database ?? 'admin', '--quiet', ...who, '--eval', statements]
}

/** The pod that takes writes: of several the one that calls itself the leader. */
export const leadingPod = async (
  context: Pick<FaultContext, 'api' | 'system'>,
  store: string,
): Promise<string | undefined> => {
  const pods = await podsOf(context, store)
  const isLeader = ({ metadata }: (typeof pods)[number]): boolean =>
    (metadata.labels as Record<string, string> | undefined)?.role === 'leader'
  return (pods.find(isLeader) ?? pods[0])?.metadata.name
}

/** Rejects where there is no pod to run it in. */
export const runInStore = async (
  context: Pick<FaultContext, 'api' | 'system' | 'signal'>,
  store: string,
  command: readonly string[],
): Promise<ExecOutcome> => {
  const { api, system, signal } = context
  const name = await leadingPod(context, store)
  if (name === undefined) throw new Error(`${store} has no pod`)
  const container = mainContainer(system, store).name
  return api.exec({ namespace: system.namespace, name }, command, { container, signal })
}

/** Throws what the shell said where it failed. */
export const changeStore = async (
  context: Pick<FaultContext, 'api' | 'system' | 'signal'>,
  store: string,
  command: readonly string[],
): Promise<void> => {
  const { exitCode, stdout, stderr } = await runInStore(context, store, command)
  if (exitCode !== 0) throw new Error(`in ${store}: ${command.join(' ')}: ${stderr}${stdout}`)
}

/** The same by a playbook, in this pod. */
export const execTask = (
  name: string,
  system: SystemView,
  store: string,
  pod: string,
  command: readonly string[],
): PlaybookTask => ({
  name,
  'kubernetes.core.k8s_exec': {
    namespace: system.namespace,
    pod,
    container: mainContainer(system, store).name,
    command: command.map(shellWord).join(' '),
  },
})
