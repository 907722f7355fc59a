/** Builds the playbooks of the Expert: one play on localhost with a few tasks. */
import { defined, quoteShellWord, yamlLibrary } from '#kit'

/** A name, and a module with its arguments. */
export type Task = Readonly<Record<string, unknown>> & { readonly name: string }

export const toPlaybook = (name: string, tasks: readonly Task[]): string =>
  yamlLibrary().stringify([{ name, hosts: 'localhost', connection: 'local', gather_facts: false, tasks }], {
    lineWidth: 0,
  })

export interface ObjectRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

const toArguments = ({ apiVersion, kind, name, namespace }: ObjectRef): object => ({
  api_version: apiVersion,
  kind,
  ...defined({ namespace }),
  name,
})

/** Patches an existing object. */
export const patchTask = (name: string, object: ObjectRef, definition: object): Task => ({
  name,
  'kubernetes.core.k8s': { state: 'patched', ...toArguments(object), definition },
})

/** Patches several objects in one task, which is faster than one task each. */
export const patchAllTask = (name: string, definitions: readonly object[]): Task => ({
  name,
  'kubernetes.core.k8s': { state: 'patched', definition: definitions },
})

/** Creates or updates an object. */
export const applyTask = (name: string, definition: object): Task => ({
  name,
  'kubernetes.core.k8s': { state: 'present', definition },
})

export const deleteTask = (name: string, object: ObjectRef, graceSeconds?: number): Task => ({
  name,
  'kubernetes.core.k8s': {
    state: 'absent',
    ...toArguments(object),
    ...(graceSeconds === undefined ? {} : { delete_options: { gracePeriodSeconds: graceSeconds } }),
  },
})

export const scaleTask = (name: string, object: ObjectRef, replicas: number): Task => ({
  name,
  'kubernetes.core.k8s_scale': { ...toArguments(object), replicas, wait: false },
})

export const execTask = (
  name: string,
  pod: { readonly namespace: string; readonly pod: string; readonly container: string },
  command: string,
): Task => ({ name, 'kubernetes.core.k8s_exec': { ...pod, command } })

export const drainTask = (name: string, node: string): Task => ({
  name,
  'kubernetes.core.k8s_drain': {
    name: node,
    state: 'drain',
    delete_options: {
      force: true,
      ignore_daemonsets: true,
      delete_emptydir_data: true,
      terminate_grace_period: 2,
      wait_timeout: 30,
    },
  },
})

/** Restarts a workload as `kubectl rollout restart` does: new pods start before the old ones are deleted. */
export const restartTask = (name: string, object: ObjectRef): Task =>
  patchTask(name, object, {
    spec: {
      template: {
        metadata: {
          annotations: {
            'kubectl.kubernetes.io/restartedAt': "{{ now(utc=true, fmt='%Y-%m-%dT%H:%M:%SZ') }}",
          },
        },
      },
    },
  })

/** Quotes words for a shell. */
export const toCommandLine = (words: readonly string[]): string => words.map(quoteShellWord).join(' ')
