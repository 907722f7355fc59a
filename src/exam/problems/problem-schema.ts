/** The schema of a problem. */
import { z } from 'zod'
import type { FaultShape, LoadProfile, Problem } from '#spec'
import { TASKS } from '#spec'
import { loadSchema } from '#world/workload'

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

const plannedFaultSchema = z.strictObject({
  fault: z.string().min(1),
  target: z.object({ service: z.string().min(1) }).catchall(z.union([z.number(), z.string()])),
  params: values,
  shape,
  afterMs: span.optional(),
})

/** A problem is self-contained, and its load must not end. */
export const problemLoadSchema = loadSchema
  .refine((load) => load.loop !== 'open' || load.arrivals.kind !== 'replay', {
    path: ['arrivals'],
    error: 'cannot be a replay, which needs another file and ends',
  })
  .refine((load) => load.loop !== 'open' || load.arrivals.kind !== 'spike' || load.arrivals.rate > 0, {
    path: ['arrivals', 'rate'],
    error: 'must be greater than 0, because otherwise no users come after the spike',
  }) as z.ZodType<LoadProfile>

const problemSchema = z.strictObject({
  id: z.string().min(1),
  system: z.string().min(1),
  task: z.enum(TASKS),
  faults: z.array(plannedFaultSchema),
  report: reportSchema,
  load: problemLoadSchema.optional(),
  budget: budgetSchema,
  seed: z.string().min(1),
}) as unknown as z.ZodType<Problem>

export const problemsSchema = z.object({ problems: z.array(problemSchema).min(1) })
