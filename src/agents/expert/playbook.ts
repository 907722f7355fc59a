/** Playbooks as the Expert writes them: one play on the machine that runs it, with few tasks. */
import { shellWord, yamlLibrary } from '../../kit/index.ts'

/** Its name, and a module with its arguments. */
export type Task = Readonly<Record<string, unknown>> & { readonly name: string }

export const toPlaybook = (name: string, tasks: readonly Task[]): string =>
  yamlLibrary().stringify([{ name, hosts: 'localhost', connection: 'local', gather_facts: false, tasks }], {
    lineWidth: 0,
  })

export interface Named {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

const toArguments = ({ apiVersion, kind, name, namespace }: Named): object => ({
  api_version: apiVersion,
  kind,
  ...(namespace === undefined ? {} : { namespace }),
  name,
})

/** Merges into an object that is there. */
export const patchTask = (name: string, object: Named, definition: object): Task => ({
  name,
  'kubernetes.core.k8s': { state: 'patched', ...toArguments(object), definition },
})

/** Several objects in one task, as each task takes its time. */
export const patchAllTask = (name: string, definitions: readonly object[]): Task => ({
  name,
  'kubernetes.core.k8s': { state: 'patched', definition: definitions },
})

/** Makes an object what the definition says, or makes it. */
export const applyTask = (name: string, definition: object): Task => ({
  name,
  'kubernetes.core.k8s': { state: 'present', definition },
})

export const deleteTask = (name: string, object: Named, graceSeconds?: number): Task => ({
  name,
  'kubernetes.core.k8s': {
    state: 'absent',
    ...toArguments(object),
    ...(graceSeconds === undefined ? {} : { delete_options: { gracePeriodSeconds: graceSeconds } }),
  },
})

export const scaleTask = (name: string, object: Named, replicas: number): Task => ({
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

/** As `kubectl rollout restart` does: new pods come before the old ones go. */
export const restartTask = (name: string, object: Named): Task =>
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

/** Words as a shell takes them apart again. */
export const toCommandLine = (words: readonly string[]): string => words.map(shellWord).join(' ')
