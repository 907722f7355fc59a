/** Playbooks as reference fixes write them. */
import { yamlLibrary } from '../kit/index.ts'
import type { SystemView, WorkloadView } from '../spec/index.ts'

/** One task: its name, and a module with its arguments. */
export type PlaybookTask = Readonly<Record<string, unknown>> & { readonly name: string }

/** A play on the machine that runs it, whose Kubernetes modules find the cluster by the environment. */
export const toPlaybook = (name: string, tasks: readonly PlaybookTask[]): string =>
  yamlLibrary().stringify([{ name, hosts: 'localhost', connection: 'local', gather_facts: false, tasks }], {
    lineWidth: 0,
  })

/** A patch of a workload as `kubernetes.core.k8s` merges it: strategically, so containers are named. */
export const patchTask = (
  name: string,
  system: SystemView,
  workload: WorkloadView,
  spec: object,
): PlaybookTask => ({
  name,
  'kubernetes.core.k8s': {
    state: 'patched',
    api_version: 'apps/v1',
    kind: workload.kind,
    namespace: system.namespace,
    name: workload.name,
    definition: { spec },
  },
})

/** Deletes an object by its name; a pod may be given fewer seconds to end than it asks for. */
export const deleteTask = (
  name: string,
  object: { apiVersion: string; kind: string; namespace: string; name: string },
  graceSeconds?: number,
): PlaybookTask => ({
  name,
  'kubernetes.core.k8s': {
    state: 'absent',
    api_version: object.apiVersion,
    kind: object.kind,
    namespace: object.namespace,
    name: object.name,
    ...(graceSeconds === undefined ? {} : { delete_options: { gracePeriodSeconds: graceSeconds } }),
  },
})

/** Makes an object what the definition says. */
export const applyTask = (name: string, definition: object): PlaybookTask => ({
  name,
  'kubernetes.core.k8s': { state: 'present', definition },
})
