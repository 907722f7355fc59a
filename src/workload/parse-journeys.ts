/** Reads what users of a system do: its journeys, and the load that it has by default. */
import { z } from 'zod'
import { type LocatedYaml, readYaml, type YamlPath } from '../kit/index.ts'
import type { Journey, LoadProfile, Workload } from '../spec/index.ts'
import { checkExpressions } from './check-expressions.ts'
import { loadSchema } from './load-schema.ts'
import { failWith } from './mistakes.ts'
import { locateTrace } from './parse-load.ts'

const name = z.string().min(1)
/** A number or a truth value is an expression too. */
const expression = z.union([z.string().min(1), z.number(), z.boolean()]).transform(String)
const identifier = z.string().regex(/^[A-Za-z_]\w*$/, { error: 'letters, digits and _ only' })
const named = z.record(identifier, expression)

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
    let: named.optional(),
    expect: expression.optional(),
    keep: named.optional(),
    keepInSession: named.optional(),
    when: expression.optional(),
    prepares: z.boolean().optional(),
    follow: z.boolean().optional(),
    timeoutMs: z.number().positive().optional(),
  })
  .transform((given) => ({ ...given, name: given.name ?? given.request }))

const journey = z.strictObject({
  name,
  about: z.string().optional(),
  weight: z.number().min(0).default(1),
  needs: z.array(name).optional(),
  mostPerSecond: z.number().positive().optional(),
  steps: z.array(step).min(1),
})

/** What a system has that does not say: enough to show that it lives. */
const DEFAULT_LOAD: LoadProfile = { loop: 'closed', users: 5, thinkMs: { least: 500, most: 1500 } }

const schema = z.strictObject({
  journeys: z.array(journey).min(1),
  load: loadSchema.optional(),
  brisk: loadSchema.optional(),
})

/** Whether walking what this one needs leads back to it. */
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
  const tell = (path: YamlPath, text: string): void => {
    mistakes.push(document.mistakeAt(['journeys', index, ...path], text))
  }
  if (journeys.slice(0, index).some((earlier) => earlier.name === current.name))
    tell(['name'], `is "${current.name}" a second time`)
  for (const [place, need] of (current.needs ?? []).entries())
    if (!journeys.some((other) => other.name === need))
      tell(['needs', place], `names "${need}", which is no journey`)
  if (needsItself(current, journeys)) tell(['needs'], 'lead back to the journey itself')
  for (const [place, given] of current.steps.entries()) {
    if (given.json !== undefined && given.form !== undefined)
      tell(['steps', place], 'has both "json" and "form", and only one can be sent')
  }
  checkExpressions(current, tell)
  return mistakes
}

/** Throws with all mistakes, each with file, line and path. */
export const parseJourneys = (text: string, file: string): Workload => {
  const reading = readYaml(schema as z.ZodType<z.infer<typeof schema>>, text, file)
  if ('mistakes' in reading) return failWith(reading.mistakes)
  const { value, document } = reading
  const journeys = value.journeys as Journey[]
  const mistakes = journeys.flatMap((_, index) => checkJourney(journeys, index, document))
  if (journeys.every(({ weight }) => weight === 0))
    mistakes.push(document.mistakeAt(['journeys'], 'need one whose weight is more than 0'))
  if (mistakes.length > 0) failWith(mistakes)
  return {
    journeys,
    load: locateTrace(value.load ?? DEFAULT_LOAD, file),
    ...(value.brisk === undefined ? {} : { brisk: locateTrace(value.brisk, file) }),
  }
}
