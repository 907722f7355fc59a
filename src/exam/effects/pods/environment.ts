/** The environment variables that a container gets, with ConfigMaps and Secrets resolved. */
import type { ContainerView, ObjectsView } from '#spec'
import { fingerprintOfText } from '../fingerprint.ts'
import { type ConfigKind, configDataOf, type ReadValue } from './config-data.ts'

export type Environment = Readonly<Record<string, ReadValue>>

type Declaration = NonNullable<ContainerView['env']>[number]
type Source = NonNullable<ContainerView['envFrom']>[number]

const missing = (kind: ConfigKind, name: string | undefined, key?: string): ReadValue => ({
  missing: `${kind}/${name}${key === undefined ? '' : ` ${key}`}`,
})

/** The variables that a container can refer to. */
interface Known {
  readonly declared: Environment
  /** Variables of Services, which a declared one overrides. */
  readonly services: Readonly<Record<string, string>>
}

/** `$(NAME)` refers to a variable that was declared earlier, or to that of a Service; `$$(NAME)` is the text `$(NAME)`. */
const expand = (text: string, { declared, services }: Known): string =>
  text.replaceAll(/\$(\$|\(([\w.-]+)\))/g, (whole, mark: string, name = '') => {
    if (mark === '$') return '$'
    const found = declared[name]
    if (found === undefined) return services[name] ?? whole
    return 'value' in found ? found.value : whole
  })

const referenceOf = ({ valueFrom }: Declaration) => {
  const { configMapKeyRef, secretKeyRef } = valueFrom ?? {}
  if (configMapKeyRef !== undefined) return { kind: 'ConfigMap' as const, ...configMapKeyRef }
  return secretKeyRef === undefined ? undefined : { kind: 'Secret' as const, ...secretKeyRef }
}

/** Undefined if the variable is not set. */
const readDeclaration = (
  objects: ObjectsView,
  declaration: Declaration,
  known: Known,
): ReadValue | undefined => {
  const { value = '', valueFrom } = declaration
  if (valueFrom === undefined) return { value: expand(value, known) }
  const reference = referenceOf(declaration)
  if (reference === undefined) return { source: valueFrom }
  const { kind, name, key, optional } = reference
  const found = configDataOf(objects, kind, name)?.[key]
  return found ?? (optional === true ? undefined : missing(kind, name, key))
}

const readSource = (objects: ObjectsView, { prefix = '', configMapRef, secretRef }: Source): Environment => {
  const kind = configMapRef === undefined ? 'Secret' : 'ConfigMap'
  const { name, optional } = configMapRef ?? secretRef ?? {}
  const data = configDataOf(objects, kind, name)
  if (data === undefined) return optional === true ? {} : { [`${kind}/${name}`]: missing(kind, name) }
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [`${prefix}${key}`, value]))
}

/**
 * The last of several declarations counts, as in the kubelet; `env` overrides `envFrom`. `services` are the variables of Services, which
 * values can refer to (`serviceVariablesOf`).
 */
export const environmentOf = (
  objects: ObjectsView,
  { env = [], envFrom = [] }: Pick<ContainerView, 'env' | 'envFrom'>,
  services: Known['services'] = {},
): Environment => {
  const known: Record<string, ReadValue> = Object.assign(
    {},
    ...envFrom.map((source) => readSource(objects, source)),
  )
  for (const declaration of env) {
    const value = readDeclaration(objects, declaration, { declared: known, services })
    if (value !== undefined) known[declaration.name] = value
  }
  return known
}

/** The text of a value. Records contain fingerprints of Secrets, so the text of a Secret must be one of `candidates`. */
export const textOf = (
  read: ReadValue | undefined,
  candidates: readonly string[] = [],
): string | undefined => {
  if (read === undefined) return undefined
  if ('value' in read) return read.value
  return 'secret' in read
    ? candidates.find((candidate) => fingerprintOfText(candidate) === read.secret)
    : undefined
}
