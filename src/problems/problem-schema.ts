/** The form of a problem. */
import { z } from 'zod'
import type { FaultShape, LoadProfile, Problem } from '../spec/index.ts'
import { TASKS } from '../spec/index.ts'
import { loadSchema } from '../workload/index.ts'

export const reportSchema = z.enum(['label', 'symptoms', 'none'])
export const shapeKinds = [
  'sudden',
  'gradual',
  'intermittent',
  'transient',
] as const satisfies readonly FaultShape['kind'][]

export const budgetSchema = z.strictObject({
  steps: z.int().min(1).max(10_000),
  seconds: z.number().positive().max(86_400),
})

const span = z.number().min(1).max(3_600_000)
const values = z.record(z.string(), z.union([z.number(), z.string()]))

const shape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('sudden') }),
  z.strictObject({ kind: z.literal('gradual'), overMs: span }),
  z.strictObject({ kind: z.literal('intermittent'), onMs: span, offMs: span }),
  z.strictObject({ kind: z.literal('transient'), forMs: span }),
])

const planned = z.strictObject({
  fault: z.string().min(1),
  target: z.object({ service: z.string().min(1) }).catchall(z.union([z.number(), z.string()])),
  params: values,
  shape,
  afterMs: span.optional(),
})

/** A problem says all of itself, whoever reads it; and users must not run out: all other patterns go on for ever. */
export const problemLoadSchema = loadSchema
  .refine((load) => load.loop !== 'open' || load.arrivals.kind !== 'replay', {
    path: ['arrivals'],
    error: 'cannot be a replay, which is in a file of its own and comes to an end',
  })
  .refine((load) => load.loop !== 'open' || load.arrivals.kind !== 'spike' || load.arrivals.rate > 0, {
    path: ['arrivals', 'rate'],
    error: 'must be more than 0, or nobody comes any more after the spike',
  }) as z.ZodType<LoadProfile>

const problemSchema = z.strictObject({
  id: z.string().min(1),
  system: z.string().min(1),
  task: z.enum(TASKS),
  faults: z.array(planned),
  report: reportSchema,
  load: problemLoadSchema.optional(),
  budget: budgetSchema,
  seed: z.string().min(1),
}) as unknown as z.ZodType<Problem>

export const problemsSchema = z.object({ problems: z.array(problemSchema).min(1) })
