/** Validates the containers, init containers and ephemeral containers of a pod. */
import type { Container, ContainerPort, PodSpec, Volume } from 'kubernetes-types/core/v1.d.ts'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notFoundField,
  notSupported,
  required,
} from '#platform/kube/meta'
import { portNameProblems, validatePort, validateProtocol } from '../validation/network-values.ts'
import { validateEnvironment } from './environment-validation.ts'
import { isSidecar } from './pod-resources.ts'
import { validateProbes } from './probe-validation.ts'
import { validateResources } from './resource-validation.ts'
import { validateContainerSecurity } from './security-context-validation.ts'
import { validateVolumeMounts } from './volumes/volume-mount-validation.ts'

/** The parts of the pod that a container refers to. */
interface PodContext {
  spec: PodSpec
  volumes: ReadonlyMap<string, Volume>
  claims: ReadonlySet<string>
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError']

const validateContainerPort = (port: ContainerPort, names: Set<string>, path: string): FieldError[] => {
  const { name = '', containerPort, hostPort, protocol = '' } = port
  const errors: FieldError[] = []
  if (name !== '') {
    const problems = portNameProblems(name)
    errors.push(...problems.map((problem) => invalid(`${path}.name`, name, problem)))
    if (problems.length === 0 && names.has(name)) errors.push(duplicate(`${path}.name`, name))
    names.add(name)
  }
  if (!containerPort) errors.push(required(`${path}.containerPort`))
  else errors.push(...validatePort(containerPort, `${path}.containerPort`))
  if (hostPort) errors.push(...validatePort(hostPort, `${path}.hostPort`))
  return [...errors, ...validateProtocol(protocol, `${path}.protocol`)]
}

const validatePorts = (container: Container, field: string): FieldError[] => {
  const names = new Set<string>()
  return (container.ports ?? []).flatMap((port, index) =>
    validateContainerPort(port, names, `${field}[${index}]`),
  )
}

/** Validates the fields that all types of containers share. */
const validateContainer = (
  container: Container,
  { volumes, claims }: PodContext,
  path: string,
): FieldError[] => {
  const { name = '', image = '', terminationMessagePolicy = '', imagePullPolicy = '' } = container
  return [
    ...(name === ''
      ? [required(`${path}.name`)]
      : nameProblems(name, 'label').map((problem) => invalid(`${path}.name`, name, problem))),
    ...(image === '' ? [required(`${path}.image`)] : []),
    ...(MESSAGE_POLICIES.includes(terminationMessagePolicy)
      ? []
      : [notSupported(`${path}.terminationMessagePolicy`, terminationMessagePolicy, MESSAGE_POLICIES)]),
    ...validatePorts(container, `${path}.ports`),
    ...validateEnvironment(container, path),
    ...validateVolumeMounts(container, volumes, path),
    ...(PULL_POLICIES.includes(imagePullPolicy)
      ? []
      : [notSupported(`${path}.imagePullPolicy`, imagePullPolicy, PULL_POLICIES)]),
    ...validateResources(container, claims, `${path}.resources`),
    ...validateContainerSecurity(container.securityContext, `${path}.securityContext`),
  ]
}

const validateHostPorts = (containers: readonly Container[], field: string): FieldError[] => {
  const usedPorts = new Set<string>()
  return containers.flatMap(({ ports = [] }, container) =>
    ports.flatMap(({ hostPort, protocol = '', hostIP = '' }, index) => {
      if (!hostPort) return []
      const text = `${protocol}/${hostIP}/${hostPort}`
      if (usedPorts.has(text)) return [duplicate(`${field}[${container}].ports[${index}].hostPort`, text)]
      usedPorts.add(text)
      return []
    }),
  )
}

export const validateContainers = (context: PodContext, field: string): FieldError[] => {
  const { containers = [], terminationGracePeriodSeconds: grace = 0 } = context.spec
  if (containers.length === 0) return [required(field)]
  const names = new Set<string>()
  const errors = containers.flatMap((container, index) => {
    const path = `${field}[${index}]`
    const repeated = names.has(container.name) ? [duplicate(`${path}.name`, container.name ?? '')] : []
    names.add(container.name)
    return [
      ...validateContainer(container, context, path),
      ...repeated,
      ...validateProbes(container, grace, path),
      ...(container.restartPolicy === undefined
        ? []
        : [forbiddenField(`${path}.restartPolicy`, 'may not be set for non-init containers')]),
    ]
  })
  return [...errors, ...validateHostPorts(containers, field)]
}

/** Init containers other than sidecars must not have probes or lifecycle hooks. */
const forbidProbes = (container: Container, path: string): FieldError[] =>
  (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    .filter((member) => container[member] !== undefined)
    .map((member) =>
      forbiddenField(`${path}.${member}`, 'may not be set for init containers without restartPolicy=Always'),
    )

export const validateInitContainers = (context: PodContext, field: string): FieldError[] => {
  const { spec } = context
  const names = new Set((spec.containers ?? []).map(({ name }) => name))
  return (spec.initContainers ?? []).flatMap((container, index) => {
    const path = `${field}[${index}]`
    const { name = '', restartPolicy } = container
    const repeated = names.has(name) ? [duplicate(`${path}.name`, name)] : []
    if (name !== '') names.add(name)
    return [
      ...validateContainer(container, context, path),
      ...(restartPolicy === undefined || restartPolicy === 'Always'
        ? []
        : [notSupported(`${path}.restartPolicy`, restartPolicy, ['Always'])]),
      ...repeated,
      ...validateHostPorts([container], field),
      ...(isSidecar(container)
        ? validateProbes(container, spec.terminationGracePeriodSeconds ?? 0, path)
        : forbidProbes(container, path)),
    ]
  })
}

const FORBIDDEN_IN_EPHEMERAL = [
  'ports',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'restartPolicy',
] as const
const EPHEMERAL_TEXT = 'cannot be set for an Ephemeral Container'

export const validateEphemeralContainers = (context: PodContext, field: string): FieldError[] => {
  const { spec } = context
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name))
  const names = new Set(others)
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const path = `${field}[${index}]`
    const target = container.targetContainerName ?? ''
    const repeated = names.has(container.name) ? [duplicate(`${path}.name`, container.name)] : []
    names.add(container.name)
    return [
      ...validateContainer(container as Container, context, path),
      ...validateImageSpace(container as Container, path),
      ...repeated,
      ...(target === '' || others.has(target) ? [] : [notFoundField(`${path}.targetContainerName`, target)]),
      ...FORBIDDEN_IN_EPHEMERAL.filter((member) => container[member] !== undefined).map((member) =>
        forbiddenField(`${path}.${member}`, EPHEMERAL_TEXT),
      ),
      ...(Object.keys(container.resources ?? {}).length === 0
        ? []
        : [forbiddenField(`${path}.resources`, EPHEMERAL_TEXT)]),
    ]
  })
}

/** Rejects whitespace around the image. Applies to pods, not to templates. */
export const validateImageSpace = ({ image = '' }: Container, path: string): FieldError[] =>
  image === image.trim()
    ? []
    : [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')]
