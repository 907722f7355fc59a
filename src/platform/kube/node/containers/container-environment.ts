/** The environment, command and arguments of a container, with every reference resolved. */
import type { Container, EnvVar, Pod } from 'kubernetes-types/core/v1.d.ts'
import { memberOf, setMember } from '#kit'
import { configMaps, secrets } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { fieldValue, type PodLocation, resourceValue } from './field-reference.ts'

/** The configuration refers to a missing object or key; reported as CreateContainerConfigError. */
class ContainerConfigError extends Error {}

type Variables = Readonly<Record<string, string>>

/** Replaces `$(NAME)` with the variable's value if it is set, and `$$` with `$`. */
export const expandVariables = (text: string, variables: Variables): string =>
  text.includes('$')
    ? text.replace(/\$(\$|\(([^()]*)\))/g, (whole, kind: string, name: string) => {
        if (kind === '$') return '$'
        return Object.hasOwn(variables, name) ? variables[name]! : whole
      })
    : text

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')

interface Source {
  client: Client
  pod: Stored<Pod>
  container: Container
  location: PodLocation
}

interface Reference {
  name?: string
  optional?: boolean
}

const dataOf = (
  { client, pod }: Source,
  type: 'configmap' | 'secret',
  { name = '', optional }: Reference,
): Variables | undefined => {
  const namespace = pod.metadata.namespace!
  const object =
    type === 'configmap' ? client.get(configMaps, namespace, name) : client.get(secrets, namespace, name)
  if (object !== undefined) return object.data ?? {}
  if (optional === true) return undefined
  throw new ContainerConfigError(`${type} "${name}" not found`)
}

const keyValue = (
  source: Source,
  type: 'configmap' | 'secret',
  reference: Reference & { key: string },
): string | undefined => {
  const data = dataOf(source, type, reference)
  const value = memberOf(data, reference.key)
  if (value !== undefined) return type === 'secret' ? decode(value) : value
  if (reference.optional === true) return undefined
  const location = `${source.pod.metadata.namespace}/${reference.name}`
  throw new ContainerConfigError(
    `couldn't find key ${reference.key} in ${type === 'secret' ? 'Secret' : 'ConfigMap'} ${location}`,
  )
}

const variableValue = (
  source: Source,
  { value, valueFrom }: EnvVar,
  known: Variables,
): string | undefined => {
  if (valueFrom === undefined || valueFrom === null) return expandVariables(value ?? '', known)
  const { pod, location, container } = source
  if (valueFrom.fieldRef !== undefined) {
    const found = fieldValue(valueFrom.fieldRef, pod, location)
    if (found !== undefined) return found
    throw new ContainerConfigError(`unsupported fieldPath: ${valueFrom.fieldRef.fieldPath}`)
  }
  if (valueFrom.resourceFieldRef !== undefined)
    return resourceValue(valueFrom.resourceFieldRef, pod, container.name, location)
  if (valueFrom.configMapKeyRef !== undefined) return keyValue(source, 'configmap', valueFrom.configMapKeyRef)
  if (valueFrom.secretKeyRef !== undefined) return keyValue(source, 'secret', valueFrom.secretKeyRef)
  return ''
}

const addEnvFrom = (source: Source, variables: Record<string, string>): void => {
  for (const { prefix = '', configMapRef, secretRef } of source.container.envFrom ?? []) {
    if (configMapRef !== undefined) {
      const data = dataOf(source, 'configmap', configMapRef)
      for (const key in data) setMember(variables, prefix + key, data[key]!)
    }
    if (secretRef !== undefined) {
      const data = dataOf(source, 'secret', secretRef)
      for (const key in data) setMember(variables, prefix + key, decode(data[key]!))
    }
  }
}

/** Later sources override earlier ones. Throws ContainerConfigError with the kubelet's message. */
export const containerEnvironment = (source: Source, serviceLinks: Variables): Record<string, string> => {
  const values: Record<string, string> = {}
  addEnvFrom(source, values)
  // A variable may refer to earlier variables and to those of Services.
  const visible: Record<string, string> = { ...serviceLinks, ...values }
  for (const variable of source.container.env ?? []) {
    const value = variableValue(source, variable, visible)
    if (value !== undefined) setMember(visible, variable.name, value)
  }
  return visible
}

/** The container with `$(NAME)` in its command and arguments replaced. */
export const expandCommand = (container: Container, variables: Variables): Container => {
  if (container.command === undefined && container.args === undefined) return container
  const expand = (words: string[]): string[] => words.map((word) => expandVariables(word, variables))
  return {
    ...container,
    ...(container.command === undefined ? {} : { command: expand(container.command) }),
    ...(container.args === undefined ? {} : { args: expand(container.args) }),
  }
}
