/** Validates the environment variables of a container. */
import type { Container, EnvFromSource, EnvVar } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, invalid, nameProblems, required } from '#platform/kube/meta'
import { keyProblems } from '../configuration/data-keys.ts'
import {
  ENVIRONMENT_FIELDS,
  validateFieldRef,
  validateResourceFieldRef,
} from './field-reference-validation.ts'

// All printable ASCII characters except the equals sign.
const VARIABLE_NAME = /^[ -<>-~]*$/
const VARIABLE_TEXT =
  "a valid environment variable name must consist only of printable ASCII characters other than '='"

const validateKeyRef = (ref: { name?: string; key?: string }, field: string): FieldError[] => [
  ...nameProblems(ref.name ?? '', 'subdomain').map((problem) =>
    invalid(`${field}.name`, ref.name ?? '', problem),
  ),
  ...((ref.key ?? '') === ''
    ? [required(`${field}.key`)]
    : keyProblems(ref.key!).map((problem) => invalid(`${field}.key`, ref.key, problem))),
]

const validateValueFrom = (variable: EnvVar, field: string): FieldError[] => {
  const source = variable.valueFrom
  if (source === undefined) return []
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source
  const errors: FieldError[] = []
  if (fieldRef !== undefined)
    errors.push(...validateFieldRef(fieldRef, ENVIRONMENT_FIELDS, `${field}.fieldRef`))
  if (resourceFieldRef !== undefined)
    errors.push(...validateResourceFieldRef(resourceFieldRef, false, `${field}.resourceFieldRef`))
  if (configMapKeyRef !== undefined)
    errors.push(...validateKeyRef(configMapKeyRef, `${field}.configMapKeyRef`))
  if (secretKeyRef !== undefined) errors.push(...validateKeyRef(secretKeyRef, `${field}.secretKeyRef`))

  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter(
    (ref) => ref !== undefined,
  )
  if (sources.length === 0)
    errors.push(
      invalid(
        field,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      ),
    )
  else if ((variable.value ?? '') !== '')
    errors.push(invalid(field, '', 'may not be specified when `value` is not empty'))
  else if (sources.length > 1)
    errors.push(invalid(field, '', 'may not have more than one field specified at a time'))
  return errors
}

const validateVariable = (variable: EnvVar, field: string): FieldError[] => {
  const name = variable.name ?? ''
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : VARIABLE_NAME.test(name)
        ? []
        : [invalid(`${field}.name`, name, VARIABLE_TEXT)]),
    ...validateValueFrom(variable, `${field}.valueFrom`),
  ]
}

const validateSourceName = (name: string | undefined, field: string): FieldError[] =>
  name === undefined || name === ''
    ? [required(`${field}.name`)]
    : nameProblems(name, 'subdomain').map((problem) => invalid(`${field}.name`, name, problem))

const validateEnvFrom = (source: EnvFromSource, index: number, listField: string): FieldError[] => {
  const field = `${listField}[${index}]`
  const { prefix = '', configMapRef, secretRef } = source
  const errors: FieldError[] = []
  if (!VARIABLE_NAME.test(prefix)) errors.push(invalid(`${field}.prefix`, prefix, VARIABLE_TEXT))
  if (configMapRef !== undefined)
    errors.push(...validateSourceName(configMapRef.name, `${field}.configMapRef`))
  if (secretRef !== undefined) errors.push(...validateSourceName(secretRef.name, `${field}.secretRef`))
  if (configMapRef === undefined && secretRef === undefined)
    errors.push(invalid(listField, '', 'must specify one of: `configMapRef` or `secretRef`'))
  else if (configMapRef !== undefined && secretRef !== undefined)
    errors.push(invalid(listField, '', 'may not have more than one field specified at a time'))
  return errors
}

export const validateEnvironment = ({ env, envFrom }: Container, field: string): FieldError[] => [
  ...(env ?? []).flatMap((variable, index) => validateVariable(variable, `${field}.env[${index}]`)),
  ...(envFrom ?? []).flatMap((source, index) => validateEnvFrom(source, index, `${field}.envFrom`)),
]
