/** Reads and restores Secrets that environment variables refer to. */
import { configDataOf, configFilesOf, environmentOf } from '#exam/effects'
import {
  type ApiObject,
  type CauseSnapshot,
  type ContainerView,
  containersOf,
  type FaultContext,
  type Finding,
  type ObjectRef,
  type ObjectsView,
  type SystemView,
  viewAs,
} from '#spec'
import { applyTask, type PlaybookTask } from '../playbook.ts'
import { mainContainer, podSpecOf, workloadIn } from '../workloads/containers.ts'

interface Reference {
  readonly name: string
  readonly key?: string
}

const referencesOf = ({ env = [], envFrom = [] }: ContainerView): Reference[] => [
  ...env.flatMap(({ valueFrom }) => {
    const { name, key } = valueFrom?.secretKeyRef ?? {}
    return name === undefined || key === undefined ? [] : [{ name, key }]
  }),
  ...envFrom.flatMap(({ secretRef }) => (secretRef?.name === undefined ? [] : [{ name: secretRef.name }])),
]

/** The Secrets that variables of the main container refer to. */
export const secretsOf = (system: SystemView, service: string): readonly string[] => [
  ...new Set(referencesOf(mainContainer(system, service)).map(({ name }) => name)),
]

/** The keys of a Secret that variables refer to by name; none for `envFrom`. */
export const keysOf = (system: SystemView, service: string, secret: string): readonly string[] => [
  ...new Set(
    referencesOf(mainContainer(system, service))
      .filter(({ name, key }) => name === secret && key !== undefined)
      .map(({ key }) => key!),
  ),
]

export const deployedSecret = ({ objects }: SystemView, secret: string): ApiObject =>
  objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === secret)!

/** The deployed values in plain text. */
export const deployedData = (system: SystemView, secret: string): Readonly<Record<string, string>> =>
  viewAs('Secret', deployedSecret(system, secret)).stringData ?? {}

/** The values that a container reads from Secrets, by variable or path. */
const secretsRead = (
  objects: ObjectsView,
  workload: ApiObject,
  container: ContainerView,
): ReadonlyMap<string, string> => {
  const reads = {
    ...environmentOf(objects, container),
    ...configFilesOf(objects, container, podSpecOf(workload)),
  }
  return new Map(
    Object.entries(reads).flatMap(([name, read]) => ('secret' in read ? [[name, read.secret] as const] : [])),
  )
}

const workloadsIn = (objects: ObjectsView, { workloads }: SystemView): readonly ApiObject[] =>
  workloads.flatMap((workload) => workloadIn(objects, workload) ?? [])

/**
 * The values that pods read from the Secret in the baseline and do not read now, as `WORKLOAD VARIABLE`. The
 * Secret may have a different name now. Records contain fingerprints of the values.
 */
const lostValues = (
  { system, baseline, now }: Pick<CauseSnapshot, 'system' | 'baseline' | 'now'>,
  secret: string,
): string[] => {
  const former = new Set(
    Object.values(configDataOf(baseline, 'Secret', secret) ?? {}).flatMap((read) =>
      'secret' in read ? [read.secret] : [],
    ),
  )
  return workloadsIn(baseline, system).flatMap((workload) => {
    const current = now.get(workload.kind, workload.metadata.name)
    return containersOf(workload).flatMap((container) => {
      const after = current && containersOf(current).find(({ name }) => name === container.name)
      const reads = current && after ? secretsRead(now, current, after) : new Map<string, string>()
      return [...secretsRead(baseline, workload, container)]
        .filter(([name, value]) => former.has(value) && reads.get(name) !== value)
        .map(([name]) => `${workload.metadata.name} ${name}`)
    })
  })
}

const MAX_NAMED = 5

/** Judges whether all pods read the same values from a Secret as before the fault. */
export const judgeSecret = (snapshot: CauseSnapshot, secret: string): Finding => {
  const lost = lostValues(snapshot, secret)
  const exists = snapshot.now.get('Secret', secret) !== undefined
  const reading =
    lost.length === 0
      ? 'pods read their former values'
      : `pods do not read their former values: ${lost.slice(0, MAX_NAMED).join(', ')}`
  return {
    holds: lost.length === 0,
    evidence: `the Secret ${secret} ${exists ? 'exists' : 'does not exist'}; ${reading}`,
  }
}

export const toSecretValue = (text: string): string => Buffer.from(text).toString('base64')

export const secretRef = ({ namespace }: SystemView, name: string): ObjectRef => ({
  apiVersion: 'v1',
  plural: 'secrets',
  namespace,
  name,
})

const definitionOf = (system: SystemView, secret: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: secret, namespace: system.namespace },
  type: 'Opaque',
  stringData: deployedData(system, secret),
})

/** Recreates the Secret, or restores its deployed values. */
export const restoreSecret = async (
  { api, system }: Pick<FaultContext, 'api' | 'system'>,
  secret: string,
): Promise<void> => {
  const { apiVersion, plural, namespace } = secretRef(system, secret)
  const exists = await api.get(secretRef(system, secret)).then(
    () => true,
    () => false,
  )
  if (exists)
    await api.patch(secretRef(system, secret), 'merge', { stringData: deployedData(system, secret) })
  else await api.create({ apiVersion, plural, namespace: namespace! }, definitionOf(system, secret))
}

/** The task that restores the Secret. */
export const secretTask = (name: string, system: SystemView, secret: string): PlaybookTask =>
  applyTask(name, definitionOf(system, secret))
