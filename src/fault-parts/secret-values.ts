/** Secrets that pods take variables from. */
import type { ApiObject, ContainerView, FaultContext, ObjectRef, Scene, SystemView } from '../spec/index.ts'
import { mainContainer } from './containers.ts'
import { applyTask, type PlaybookTask } from './playbook.ts'

interface Reference {
  readonly name: string
  readonly key?: string
}

const referencesOf = ({ env = [], envFrom = [] }: ContainerView): Reference[] => [
  ...env.flatMap(({ valueFrom }) => {
    const { secretKeyRef } = (valueFrom ?? {}) as { secretKeyRef?: Reference }
    return secretKeyRef === undefined ? [] : [secretKeyRef]
  }),
  ...envFrom.flatMap(({ secretRef }) => (secretRef === undefined ? [] : [secretRef])),
]

/** The secrets without which the container that serves does not start as it should. */
export const secretsOf = (system: SystemView, service: string): readonly string[] => [
  ...new Set(referencesOf(mainContainer(system, service)).map(({ name }) => name)),
]

/** Keys that variables are taken from by name; of a whole secret none. */
export const keysOf = (system: SystemView, service: string, secret: string): readonly string[] => [
  ...new Set(
    referencesOf(mainContainer(system, service))
      .filter(({ name, key }) => name === secret && key !== undefined)
      .map(({ key }) => key!),
  ),
]

export const deployedSecret = ({ objects }: SystemView, secret: string): ApiObject =>
  objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === secret)!

/** In plain text, as the system is deployed with it. */
export const deployedData = (system: SystemView, secret: string): Readonly<Record<string, string>> =>
  (deployedSecret(system, secret).stringData ?? {}) as Readonly<Record<string, string>>

/** As the API has it: base64. */
export const dataIn = (secret: ApiObject | undefined): Readonly<Record<string, string>> =>
  (secret?.data ?? {}) as Readonly<Record<string, string>>

/** Keys of the secret that are gone or have another value than before; what is recorded of values can be compared, not read. */
export const changedKeys = ({ baseline, now }: Pick<Scene, 'baseline' | 'now'>, secret: string): string[] => {
  const [before, after] = [baseline, now].map((objects) => dataIn(objects.get('Secret', secret)))
  return Object.entries(before!)
    .filter(([key, value]) => after![key] !== value)
    .map(([key]) => key)
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

/** Makes the secret anew, or puts into it what it was deployed with. */
export const restoreSecret = async (
  { api, system }: Pick<FaultContext, 'api' | 'system'>,
  secret: string,
): Promise<void> => {
  const { apiVersion, plural, namespace } = secretRef(system, secret)
  const isThere = await api.get(secretRef(system, secret)).then(
    () => true,
    () => false,
  )
  if (isThere)
    await api.patch(secretRef(system, secret), 'merge', { stringData: deployedData(system, secret) })
  else await api.create({ apiVersion, plural, namespace: namespace! }, definitionOf(system, secret))
}

/** The same by a playbook. */
export const secretTask = (name: string, system: SystemView, secret: string): PlaybookTask =>
  applyTask(name, definitionOf(system, secret))
