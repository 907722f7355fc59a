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

interface EnvironmentContext {
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
  { client, pod }: EnvironmentContext,
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
  context: EnvironmentContext,
  type: 'configmap' | 'secret',
  reference: Reference & { key: string },
): string | undefined => {
  const data = dataOf(context, type, reference)
  const value = memberOf(data, reference.key)
  if (value !== undefined) return type === 'secret' ? decode(value) : value
  if (reference.optional === true) return undefined
  const location = `${context.pod.metadata.namespace}/${reference.name}`
  throw new ContainerConfigError(
    `couldn't find key ${reference.key} in ${type === 'secret' ? 'Secret' : 'ConfigMap'} ${location}`,
  )
}

const variableValue = (
  context: EnvironmentContext,
  { value, valueFrom }: EnvVar,
  variables: Variables,
): string | undefined => {
  if (valueFrom === undefined || valueFrom === null) return expandVariables(value ?? '', variables)
  const { pod, location, container } = context
  if (valueFrom.fieldRef !== undefined) {
    const found = fieldValue(valueFrom.fieldRef, pod, location)
    if (found !== undefined) return found
    throw new ContainerConfigError(`unsupported fieldPath: ${valueFrom.fieldRef.fieldPath}`)
  }
  if (valueFrom.resourceFieldRef !== undefined)
    return resourceValue(valueFrom.resourceFieldRef, pod, container.name, location)
  if (valueFrom.configMapKeyRef !== undefined)
    return keyValue(context, 'configmap', valueFrom.configMapKeyRef)
  if (valueFrom.secretKeyRef !== undefined) return keyValue(context, 'secret', valueFrom.secretKeyRef)
  return ''
}

const addEnvFrom = (context: EnvironmentContext, variables: Record<string, string>): void => {
  for (const { prefix = '', configMapRef, secretRef } of context.container.envFrom ?? []) {
    if (configMapRef !== undefined) {
      const data = dataOf(context, 'configmap', configMapRef)
      for (const key in data) setMember(variables, prefix + key, data[key]!)
    }
    if (secretRef !== undefined) {
      const data = dataOf(context, 'secret', secretRef)
      for (const key in data) setMember(variables, prefix + key, decode(data[key]!))
    }
  }
}

/** Later sources override earlier ones. Throws ContainerConfigError with the kubelet's message. */
export const containerEnvironment = (
  context: EnvironmentContext,
  serviceLinks: Variables,
): Record<string, string> => {
  const values: Record<string, string> = {}
  addEnvFrom(context, values)
  // A variable may refer to earlier variables and to those of Services.
  const visible: Record<string, string> = { ...serviceLinks, ...values }
  for (const variable of context.container.env ?? []) {
    const value = variableValue(context, variable, visible)
    if (value !== undefined) setMember(visible, variable.name, value)
  }
  return visible
}

/** Returns the container with `$(NAME)` replaced in its command and arguments. */
export const expandCommand = (container: Container, variables: Variables): Container => {
  if (container.command === undefined && container.args === undefined) return container
  const expand = (words: string[]): string[] => words.map((word) => expandVariables(word, variables))
  return {
    ...container,
    ...(container.command === undefined ? {} : { command: expand(container.command) }),
    ...(container.args === undefined ? {} : { args: expand(container.args) }),
  }
}
