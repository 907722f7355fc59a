/** The rules of `x-kubernetes-validations`, checked on a custom resource and everything in it. */
import { deepEqual, isJsonObject, memberOf } from '../../kit/index.ts'
import type { JsonSchema, ValidationRule } from '../kinds/index.ts'
import type { FieldError } from '../meta/index.ts'
import { celLanguage } from './cel-environment.ts'
import { childPath, fieldOf } from './schema-finding.ts'
import { toCel } from './to-cel.ts'

type Program = (context: { self: unknown; oldSelf?: unknown }) => unknown
type Fields = Readonly<Record<string, unknown>>

type Expression = 'rule' | 'messageExpression'

/** What was compiled goes with the definition that it was compiled for. */
const programs = {
  rule: new WeakMap<ValidationRule, Program | Error>(),
  messageExpression: new WeakMap<ValidationRule, Program | Error>(),
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const compile = (rule: ValidationRule, which: Expression): Program | Error => {
  const known = programs[which].get(rule)
  if (known !== undefined) return known
  let program: Program | Error
  try {
    program = celLanguage().compile(rule[which] ?? '')
  } catch (error) {
    program = toError(error)
  }
  programs[which].set(rule, program)
  return program
}

/** Runs an expression; failures come back as the errors they are. */
const run = (rule: ValidationRule, which: Expression, self: unknown, oldSelf: unknown): unknown => {
  const program = compile(rule, which)
  if (program instanceof Error) return program
  try {
    return program(oldSelf === undefined ? { self } : { self, oldSelf })
  } catch (error) {
    return toError(error)
  }
}

const reasonText = (error: Error): string => {
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message
  return summary.split('\n')[0]!.replace(/^No such key/, 'no such key')
}

const PREFIXES = {
  FieldValueInvalid: 'Invalid value',
  FieldValueForbidden: 'Forbidden',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
} as const

/** The server shows the type of the value in place of the value. */
const finding = (rule: ValidationRule, schema: JsonSchema, path: string, detail: string): FieldError => {
  const reason = rule.reason ?? 'FieldValueInvalid'
  const shown = `: ${JSON.stringify(schema.type ?? '')}`
  const hasValue = reason === 'FieldValueInvalid' || reason === 'FieldValueDuplicate'
  const at = rule.fieldPath === undefined ? path : childPath(path, rule.fieldPath.replace(/^\./, ''))
  // Go's error for a duplicate has no room for a text.
  const text = reason === 'FieldValueDuplicate' ? '' : `: ${detail}`
  return { field: fieldOf(at), reason, message: `${PREFIXES[reason]}${hasValue ? shown : ''}${text}` }
}

const messageOf = (rule: ValidationRule, self: unknown, oldSelf: unknown): string => {
  const fallback = rule.message?.trim() || `failed rule: ${rule.rule.trim()}`
  if (rule.messageExpression === undefined) return fallback
  const message = run(rule, 'messageExpression', self, oldSelf)
  return typeof message === 'string' && message.trim() !== '' && !message.includes('\n')
    ? message.trim()
    : fallback
}

const isTransition = ({ rule }: ValidationRule): boolean => /\boldSelf\b/.test(rule)

const checkRule = (
  rule: ValidationRule,
  value: unknown,
  old: unknown,
  schema: JsonSchema,
  path: string,
): FieldError[] => {
  const transition = isTransition(rule)
  if (transition && old === undefined && rule.optionalOldSelf !== true) return []
  if (!transition && old !== undefined && deepEqual(value, old)) return []
  const { Optional } = celLanguage()
  const self = toCel(value, schema)
  const before = old === undefined ? undefined : toCel(old, schema)
  const oldSelf =
    rule.optionalOldSelf === true ? (before === undefined ? Optional.none() : Optional.of(before)) : before
  const outcome = run(rule, 'rule', self, oldSelf)
  if (outcome === true) return []
  const message = messageOf(rule, self, oldSelf)
  return outcome instanceof Error
    ? [
        finding(
          { rule: rule.rule },
          schema,
          path,
          `${reasonText(outcome)} evaluating rule: ${rule.message?.trim() || rule.rule.trim()}`,
        ),
      ]
    : [finding(rule, schema, path, message)]
}

const hasRules = new WeakMap<JsonSchema, boolean>()

/** Whether there is any rule in the schema: most have none, and then nothing need be walked. */
const isRuled = (schema: JsonSchema): boolean => {
  const known = hasRules.get(schema)
  if (known !== undefined) return known
  const ruled =
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    Object.values(schema.properties ?? {}).some(isRuled) ||
    (schema.items !== undefined && isRuled(schema.items)) ||
    (typeof schema.additionalProperties === 'object' && isRuled(schema.additionalProperties))
  hasRules.set(schema, ruled)
  return ruled
}

const checkList = (
  list: readonly unknown[],
  old: unknown,
  schema: JsonSchema,
  path: string,
): FieldError[] => {
  const { items } = schema
  if (items === undefined) return []
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const keyed = schema['x-kubernetes-list-type'] === 'map' && Array.isArray(old)
  return list.flatMap((item, index) => {
    const before = keyed
      ? old.find(
          (one) =>
            isJsonObject(one) &&
            isJsonObject(item) &&
            keys.every((key) => memberOf(one, key) === memberOf(item, key)),
        )
      : undefined
    return validateRules(item, before, items, `${path}[${index}]`)
  })
}

const checkObject = (object: Fields, old: unknown, schema: JsonSchema, path: string): FieldError[] => {
  const before = isJsonObject(old) ? old : {}
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  return Object.entries(object).flatMap(([name, value]) => {
    const property = memberOf(schema.properties, name) ?? values
    return property === undefined
      ? []
      : validateRules(value, memberOf(before, name), property, childPath(path, name))
  })
}

/** Findings of every rule that applies to `value`; those that speak of `oldSelf` need an `old`. */
export const validateRules = (
  value: unknown,
  old: unknown,
  schema: JsonSchema,
  path: string,
): FieldError[] => {
  if (!isRuled(schema) || value === null || value === undefined) return []
  const own = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) =>
    checkRule(rule, value, old, schema, path),
  )
  if (Array.isArray(value)) return [...own, ...checkList(value, old, schema, path)]
  return isJsonObject(value) ? [...own, ...checkObject(value, old, schema, path)] : own
}
