/** The schema of steps. */
import { z } from 'zod'
import type { Step } from '#spec'

/** A CEL expression; YAML numbers and booleans are also expressions. */
export const expression = z.union([z.string().min(1), z.number(), z.boolean()]).transform(String)
export const identifier = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, { error: 'must consist of letters, digits and _, and not start with a digit' })
  .refine((name) => !['true', 'false', 'null', 'in'].includes(name), {
    error: 'must not be a reserved word',
  })
const namedExpressions = z.record(identifier, expression)
const level = z.enum(['debug', 'info', 'warn', 'error'])

const commonFields = {
  when: expression.optional(),
  each: expression.optional(),
  together: z.boolean().optional(),
  as: identifier.optional(),
}
const callFields = {
  ...commonFields,
  critical: z.boolean().optional(),
  timeout: expression.optional(),
  failure: z.strictObject({ status: expression.optional(), message: expression.optional() }).optional(),
}
const expressionList = z.array(expression).min(1).optional()

/** The schema of each kind of step, by the key that identifies it. */
const STEP_SCHEMAS = {
  call: z.strictObject({
    ...callFields,
    call: z.string().regex(/^\S+ (?:[A-Z]+ \/\S*|[A-Za-z_]\w*)$/, {
      error: 'must be a service and an operation: "cart GetCart", "orders POST /order/{id}"',
    }),
    path: namedExpressions.optional(),
    send: expression.optional(),
    forward: z.array(z.string()).optional(),
  }),
  query: z
    .strictObject({
      ...callFields,
      query: z.string(),
      sql: z.string().min(1).optional(),
      with: z.array(expression).optional(),
      redis: expressionList,
      memcached: expressionList,
      mongo: expression.optional(),
      publish: z.strictObject({ queue: z.string().min(1), message: expression }).optional(),
      memory: expressionList,
    })
    .refine(
      ({ sql, redis, memcached, mongo, publish, memory }) =>
        [sql, redis, memcached, mongo, publish, memory].filter((command) => command !== undefined).length ===
        1,
      { error: 'must have one of sql, redis, memcached, mongo, publish, memory' },
    )
    .refine(({ query, memory }) => memory === undefined || query === 'memory', {
      path: ['query'],
      error: 'must be "memory" for a memory command',
    }),
  proxy: z.strictObject({ ...callFields, proxy: z.string(), target: expression.optional() }),
  set: z.strictObject({ ...commonFields, set: namedExpressions }),
  parallel: z.strictObject({ ...commonFields, parallel: z.lazy(() => steps) }),
  log: z.strictObject({ ...commonFields, log: expression, level: level.optional() }),
  return: z.strictObject({ ...commonFields, return: expression, status: expression.optional() }),
  fail: z.strictObject({ ...commonFields, fail: expression, status: expression.optional() }),
  wait: z.strictObject({ ...commonFields, wait: expression }),
  do: z.strictObject({ ...commonFields, do: z.lazy(() => steps) }),
} as const

type StepKind = keyof typeof STEP_SCHEMAS

/** Selects the schema by the key instead of trying all, so that mistakes refer to the intended kind. */
const step: z.ZodType<Step> = z
  .record(z.string(), z.unknown())
  .transform((value, context) => {
    const kinds = Object.keys(value).filter((key): key is StepKind => Object.hasOwn(STEP_SCHEMAS, key))
    if (kinds.length !== 1) {
      const found = kinds.length === 0 ? 'none' : kinds.join(' and ')
      const message = `must have one of ${Object.keys(STEP_SCHEMAS).join(', ')}, but has ${found}`
      context.issues.push({ code: 'custom', message, input: value })
      return z.NEVER
    }
    const parsed = STEP_SCHEMAS[kinds[0]!].safeParse(value, { reportInput: true })
    if (parsed.success) return parsed.data as Step
    context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]))
    return z.NEVER
  })
  .meta({ members: Object.values(STEP_SCHEMAS) })

export const steps: z.ZodType<readonly Step[]> = z.array(step)
