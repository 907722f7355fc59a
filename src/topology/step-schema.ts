/** The shape of the steps of an endpoint, as people write them. */
import { z } from 'zod'
import type { Step } from '../spec/index.ts'

/** CEL; a number or a truth value is an expression too. */
export const expression = z.union([z.string().min(1), z.number(), z.boolean()]).transform(String)
export const identifier = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, { error: 'must have letters, digits and _ only' })
  .refine((name) => !['true', 'false', 'null', 'in'].includes(name), {
    error: 'must be no word of the language',
  })
const named = z.record(identifier, expression)
const level = z.enum(['debug', 'info', 'warn', 'error'])

const frame = {
  when: expression.optional(),
  each: expression.optional(),
  together: z.boolean().optional(),
  as: identifier.optional(),
}
const fallible = {
  ...frame,
  critical: z.boolean().optional(),
  timeout: expression.optional(),
  failure: z.strictObject({ status: expression.optional(), message: expression.optional() }).optional(),
}
const words = z.array(expression).min(1).optional()

/** One of these words says what a step does. */
const SHAPES = {
  call: z.strictObject({
    ...fallible,
    call: z.string().regex(/^\S+ (?:[A-Z]+ \/\S*|[A-Za-z_]\w*)$/, {
      error: 'must be a service and what is asked of it: "cart GetCart", "orders POST /order/{id}"',
    }),
    path: named.optional(),
    send: expression.optional(),
    forward: z.array(z.string()).optional(),
  }),
  query: z
    .strictObject({
      ...fallible,
      query: z.string(),
      sql: z.string().min(1).optional(),
      with: z.array(expression).optional(),
      redis: words,
      memcached: words,
      mongo: expression.optional(),
      publish: z.strictObject({ queue: z.string().min(1), message: expression }).optional(),
      memory: words,
    })
    .refine(
      ({ sql, redis, memcached, mongo, publish, memory }) =>
        [sql, redis, memcached, mongo, publish, memory].filter((one) => one !== undefined).length === 1,
      { error: 'must have one of sql, redis, memcached, mongo, publish, memory' },
    )
    .refine(({ query, memory }) => memory === undefined || query === 'memory', {
      path: ['query'],
      error: 'must be memory, where the command is',
    }),
  proxy: z.strictObject({ ...fallible, proxy: z.string(), target: expression.optional() }),
  set: z.strictObject({ ...frame, set: named }),
  parallel: z.strictObject({ ...frame, parallel: z.lazy(() => steps) }),
  log: z.strictObject({ ...frame, log: expression, level: level.optional() }),
  return: z.strictObject({ ...frame, return: expression, status: expression.optional() }),
  fail: z.strictObject({ ...frame, fail: expression, status: expression.optional() }),
  wait: z.strictObject({ ...frame, wait: expression }),
  do: z.strictObject({ ...frame, do: z.lazy(() => steps) }),
} as const

type Shape = keyof typeof SHAPES

/** By its word rather than by trying all shapes: a mistake then is told of the step that was meant. */
const step: z.ZodType<Step> = z.record(z.string(), z.unknown()).transform((value, context) => {
  const found = Object.keys(value).filter((key): key is Shape => Object.hasOwn(SHAPES, key))
  if (found.length !== 1) {
    const message = `must have one of ${Object.keys(SHAPES).join(', ')}, and has ${found.length === 0 ? 'none' : found.join(' and ')}`
    context.issues.push({ code: 'custom', message, input: value })
    return z.NEVER
  }
  const parsed = SHAPES[found[0]!].safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data as Step
  context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]))
  return z.NEVER
})

export const steps: z.ZodType<readonly Step[]> = z.array(step)
