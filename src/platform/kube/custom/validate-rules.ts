/** Evaluates the rules of `x-kubernetes-validations` on a custom resource and all nested values. */
import { deepEqual, isPlainObject, memberOf } from '#kit'
import { childPath, fieldOf, type JsonSchema, type ValidationRule } from '#platform/kube/kinds'
import type { FieldError } from '#platform/kube/meta'
import { loadCel } from './load-cel.ts'
import { toCel } from './to-cel.ts'

type Program = (context: { self: unknown; oldSelf?: unknown }) => unknown
type Fields = Readonly<Record<string, unknown>>

type Expression = 'rule' | 'messageExpression'

/** Compiled programs, garbage-collected with their definition. */
const programs = {
  rule: new WeakMap<ValidationRule, Program | Error>(),
  messageExpression: new WeakMap<ValidationRule, Program | Error>(),
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const compile = (rule: ValidationRule, expression: Expression): Program | Error => {
  const cached = programs[expression].get(rule)
  if (cached !== undefined) return cached
  let program: Program | Error
  try {
    program = loadCel().compile(rule[expression] ?? '')
  } catch (error) {
    program = toError(error)
  }
  programs[expression].set(rule, program)
  return program
}

/** Runs an expression; returns errors instead of throwing them. */
const run = (rule: ValidationRule, expression: Expression, self: unknown, oldSelf: unknown): unknown => {
  const program = compile(rule, expression)
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

/** The server prints the type of the value instead of the value. */
const toFieldError = (rule: ValidationRule, schema: JsonSchema, path: string, detail: string): FieldError => {
  const reason = rule.reason ?? 'FieldValueInvalid'
  const typeText = `: ${JSON.stringify(schema.type ?? '')}`
  const hasValue = reason === 'FieldValueInvalid' || reason === 'FieldValueDuplicate'
  const target = rule.fieldPath === undefined ? path : childPath(path, rule.fieldPath.replace(/^\./, ''))
  // Go's error for a duplicate has no detail.
  const text = reason === 'FieldValueDuplicate' ? '' : `: ${detail}`
  return { field: fieldOf(target), reason, message: `${PREFIXES[reason]}${hasValue ? typeText : ''}${text}` }
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

interface Subject {
  value: unknown
  old: unknown
  schema: JsonSchema
  path: string
}

const checkRule = (rule: ValidationRule, { value, old, schema, path }: Subject): FieldError[] => {
  const needsOld = isTransition(rule)
  if (needsOld && old === undefined && rule.optionalOldSelf !== true) return []
  if (!needsOld && old !== undefined && deepEqual(value, old)) return []
  const { Optional } = loadCel()
  const self = toCel(value, schema)
  const before = old === undefined ? undefined : toCel(old, schema)
  const oldSelf =
    rule.optionalOldSelf === true ? (before === undefined ? Optional.none() : Optional.of(before)) : before
  const outcome = run(rule, 'rule', self, oldSelf)
  if (outcome === true) return []
  const message = messageOf(rule, self, oldSelf)
  return outcome instanceof Error
    ? [
        toFieldError(
          { rule: rule.rule },
          schema,
          path,
          `${reasonText(outcome)} evaluating rule: ${rule.message?.trim() || rule.rule.trim()}`,
        ),
      ]
    : [toFieldError(rule, schema, path, message)]
}

const ruleCache = new WeakMap<JsonSchema, boolean>()

/** Reports whether the schema contains any rule; most have none and need no traversal. */
const hasRules = (schema: JsonSchema): boolean => {
  const cached = ruleCache.get(schema)
  if (cached !== undefined) return cached
  const found =
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    Object.values(schema.properties ?? {}).some(hasRules) ||
    (schema.items !== undefined && hasRules(schema.items)) ||
    (typeof schema.additionalProperties === 'object' && hasRules(schema.additionalProperties))
  ruleCache.set(schema, found)
  return found
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
  const isKeyed = schema['x-kubernetes-list-type'] === 'map' && Array.isArray(old)
  return list.flatMap((item, index) => {
    const before = isKeyed
      ? old.find(
          (candidate) =>
            isPlainObject(candidate) &&
            isPlainObject(item) &&
            keys.every((key) => memberOf(candidate, key) === memberOf(item, key)),
        )
      : undefined
    return validateRules(item, before, items, `${path}[${index}]`)
  })
}

const checkObject = (object: Fields, old: unknown, schema: JsonSchema, path: string): FieldError[] => {
  const before = isPlainObject(old) ? old : {}
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  return Object.entries(object).flatMap(([name, value]) => {
    const property = memberOf(schema.properties, name) ?? values
    return property === undefined
      ? []
      : validateRules(value, memberOf(before, name), property, childPath(path, name))
  })
}

/** Returns the errors of every rule that applies to `value`; rules with `oldSelf` need an `old` value. */
export const validateRules = (
  value: unknown,
  old: unknown,
  schema: JsonSchema,
  path: string,
): FieldError[] => {
  if (!hasRules(schema) || value === null || value === undefined) return []
  const findings = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) =>
    checkRule(rule, { value, old, schema, path }),
  )
  if (Array.isArray(value)) return [...findings, ...checkList(value, old, schema, path)]
  return isPlainObject(value) ? [...findings, ...checkObject(value, old, schema, path)] : findings
}
