/** Builds the playbooks of reference fixes. */
import { yamlLibrary } from '#kit'
import type { SystemView, WorkloadView } from '#spec'

/** One task: its name, and a module with its arguments. */
export type PlaybookTask = Readonly<Record<string, unknown>> & { readonly name: string }

/** A play on localhost; its Kubernetes modules find the cluster through environment variables. */
export const toPlaybook = (name: string, tasks: readonly PlaybookTask[]): string =>
  yamlLibrary().stringify([{ name, hosts: 'localhost', connection: 'local', gather_facts: false, tasks }], {
    lineWidth: 0,
  })

/** Patches a workload. `kubernetes.core.k8s` uses strategic merge, so containers are identified by name. */
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

/** Deletes an object by name. `graceSeconds` overrides the grace period of a pod. */
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

/** Creates or updates an object. */
export const applyTask = (name: string, definition: object): PlaybookTask => ({
  name,
  'kubernetes.core.k8s': { state: 'present', definition },
})
