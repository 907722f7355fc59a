/** Parses the file of a suite: which problems are drawn, how often, and for which tasks. */
import { z } from 'zod'
import { type LocatedYaml, readYaml } from '#kit'
import { TASKS } from '#spec'
import { failWith } from '#world/workload'
import { budgetSchema, problemLoadSchema, reportSchema, shapeKinds } from './problem-schema.ts'

const name = z.string().min(1)
const count = z.int().min(1).max(1000)
const task = z.enum(TASKS)

const entrySchema = z
  .strictObject({
    /** Either `fault` or `faults`. */
    fault: name.optional(),
    faults: z.array(name).min(2).max(5).optional(),
    system: name,
    task: task.optional(),
    report: reportSchema.optional(),
    shape: z.enum(shapeKinds).optional(),
    /** The service of the first fault; drawn by default. */
    target: name.optional(),
    params: z.record(z.string(), z.union([z.number(), z.string()])).optional(),
    afterMs: z.int().min(1).max(600_000).optional(),
    times: count.default(1),
    load: problemLoadSchema.optional(),
    budget: budgetSchema.optional(),
  })
  .refine((entry) => (entry.fault === undefined) !== (entry.faults === undefined), {
    error: 'must name one "fault", or several "faults"',
  })
  .refine(({ afterMs, faults }) => afterMs === undefined || faults !== undefined, {
    path: ['afterMs'],
    error: 'requires several "faults"',
  })

/** Draws one problem for each fault. */
const eachSchema = z.strictObject({
  /** Restricts the faults: `pod` to those inside one pod, `cause` to all others. */
  binding: z.enum(['pod', 'cause']).optional(),
  /** Each fault uses the first system that it fits. The systems of a nested list are tried in random order. */
  systems: z.array(z.union([name, z.array(name).min(1)])).min(1),
  task: task.optional(),
  report: reportSchema.optional(),
})

const suiteSchema = z
  .strictObject({
    about: name,
    seed: z.union([z.string().min(1), z.number()]).transform(String),
    /** `task` and `report` are defaults for the problems. */
    task: task.optional(),
    report: reportSchema.optional(),
    parameters: z.enum(['default', 'drawn']).default('default'),
    systems: z.array(name).min(1).optional(),
    /** The number of problems per fault, on each of the systems. */
    mix: z.record(name, count).optional(),
    each: eachSchema.optional(),
    problems: z.array(entrySchema).min(1).optional(),
  })
  .refine(({ mix, each, problems }) => [mix, each, problems].some((part) => part !== undefined), {
    error: 'must have a "mix", "each" or "problems"',
  })
  .refine(({ mix, systems, task }) => mix === undefined || (systems !== undefined && task !== undefined), {
    path: ['mix'],
    error: 'needs "systems" and a "task"',
  })

export type EachRule = z.output<typeof eachSchema>
export type SuiteEntry = z.output<typeof entrySchema>
export type Suite = z.output<typeof suiteSchema>

/** Throws with all mistakes, each with file, line and path. */
export const parseSuite = (text: string, file: string): { value: Suite; document: LocatedYaml } => {
  const reading = readYaml(suiteSchema as z.ZodType<Suite>, text, file)
  return 'mistakes' in reading ? failWith(reading.mistakes) : reading
}
