/** Parses `journeys.yaml`: the journeys of a system and its default load. */
import { dirname } from 'node:path'
import { z } from 'zod'
import { type LocatedYaml, readYaml, type YamlPath } from '#kit'
import type { Journey, LoadProfile, Workload } from '#spec'
import { checkExpressions } from './check-expressions.ts'
import { failWith } from './fail-with.ts'
import { loadSchema } from './load-schema.ts'
import { locateTrace } from './parse-load.ts'

const name = z.string().min(1)
/** YAML numbers and booleans are expressions too. */
const expression = z.union([z.string().min(1), z.number(), z.boolean()]).transform(String)
const identifier = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, { error: 'must consist of letters, digits and _, and not start with a digit' })
const namedExpressions = z.record(identifier, expression)

const step = z
  .strictObject({
    name: name.optional(),
    request: z.string().regex(/^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \/\S*/, {
      error: 'must be a method and a path, as in "GET /cart"',
    }),
    entryPoint: name.optional(),
    headers: z.record(z.string(), z.string()).optional(),
    json: expression.optional(),
    form: z.record(z.string(), expression).optional(),
    let: namedExpressions.optional(),
    expect: expression.optional(),
    keep: namedExpressions.optional(),
    keepInSession: namedExpressions.optional(),
    when: expression.optional(),
    prepares: z.boolean().optional(),
    follow: z.boolean().optional(),
    timeoutMs: z.number().positive().optional(),
  })
  .transform((parsed) => ({ ...parsed, name: parsed.name ?? parsed.request }))

const journey = z.strictObject({
  name,
  about: z.string().optional(),
  weight: z.number().min(0).default(1),
  needs: z.array(name).optional(),
  maxPerSecond: z.number().positive().optional(),
  steps: z.array(step).min(1),
})

/** The load of a system that does not declare one. */
const DEFAULT_LOAD: LoadProfile = { loop: 'closed', users: 5, thinkMs: { min: 500, max: 1500 } }

const schema = z.strictObject({
  journeys: z.array(journey).min(1),
  load: loadSchema.optional(),
  brisk: loadSchema.optional(),
})

/** Whether the needs of a journey form a cycle through it. */
const needsItself = (first: Journey, journeys: readonly Journey[]): boolean => {
  const seen = new Set<string>()
  const pending = [...(first.needs ?? [])]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === first.name) return true
    if (seen.has(next)) continue
    seen.add(next)
    pending.push(...(journeys.find((other) => other.name === next)?.needs ?? []))
  }
  return false
}

const checkJourney = (journeys: readonly Journey[], index: number, document: LocatedYaml): string[] => {
  const mistakes: string[] = []
  const current = journeys[index]!
  const report = (path: YamlPath, text: string): void => {
    mistakes.push(document.mistakeAt(['journeys', index, ...path], text))
  }
  if (journeys.slice(0, index).some((earlier) => earlier.name === current.name))
    report(['name'], `must be unique, but "${current.name}" is used twice`)
  for (const [needIndex, need] of (current.needs ?? []).entries())
    if (!journeys.some((other) => other.name === need))
      report(['needs', needIndex], `must name a journey, but there is no "${need}"`)
  if (needsItself(current, journeys)) report(['needs'], 'must not form a cycle')
  for (const [stepIndex, parsed] of current.steps.entries()) {
    if (parsed.json !== undefined && parsed.form !== undefined)
      report(['steps', stepIndex], 'must not have both "json" and "form"')
  }
  checkExpressions(current, report)
  return mistakes
}

/**
 * Throws an error that lists all mistakes with file, line and path. Paths of traces are relative to `folder`.
 */
export const parseJourneys = (text: string, file: string, folder = dirname(file)): Workload => {
  const reading = readYaml(schema as z.ZodType<z.infer<typeof schema>>, text, file)
  if ('mistakes' in reading) return failWith(reading.mistakes)
  const { value, document } = reading
  const journeys = value.journeys as Journey[]
  const mistakes = journeys.flatMap((_, index) => checkJourney(journeys, index, document))
  if (journeys.every(({ weight }) => weight === 0))
    mistakes.push(document.mistakeAt(['journeys'], 'must include one with a weight above 0'))
  if (mistakes.length > 0) failWith(mistakes)
  return {
    journeys,
    load: locateTrace(value.load ?? DEFAULT_LOAD, folder),
    ...(value.brisk === undefined ? {} : { brisk: locateTrace(value.brisk, folder) }),
  }
}
