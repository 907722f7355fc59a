/** Reads the record of an episode, which may come from anywhere. */
import { z } from 'zod'
import { EPISODE_SCHEMA, type EpisodeEvent, RemediumError } from '../spec/index.ts'
import { createDetailBound } from './bound-details.ts'

const anything = z.unknown()
const list = z.array(anything)
const named = z.record(z.string(), anything)
const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
})
const baseline = z.looseObject({
  journey: z.string(),
  walks: z.number().min(0),
  failures: z.number().min(0),
  p50: z.number(),
  p95: z.number(),
})
const walk = z.tuple([z.string(), z.number(), z.number()], z.string())
const target = z.looseObject({ service: z.string() })
const shape = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('sudden') }),
  z.looseObject({ kind: z.literal('gradual'), overMs: z.number() }),
  z.looseObject({ kind: z.literal('intermittent'), onMs: z.number(), offMs: z.number() }),
  z.looseObject({ kind: z.literal('transient'), forMs: z.number() }),
])
const edge = z.looseObject({ from: z.string(), to: z.string(), count: z.number(), errors: z.number() })
const planned = z.looseObject({ fault: z.string(), target, params: named, shape })
const problem = z.looseObject({
  id: z.string(),
  system: z.string(),
  task: z.string(),
  report: z.string(),
  seed: z.string(),
  faults: z.array(planned),
  budget: z.looseObject({ steps: z.number(), seconds: z.number() }),
})
const at = z.number()
const index = z.int().min(0)

/** What every event of a type must have; what it has beyond is let through. */
const event = z.discriminatedUnion('type', [
  z.looseObject({
    at,
    type: z.literal('episode-began'),
    schema: z.number(),
    time: z.number(),
    problem,
    solver: z.string(),
    engine: z.string(),
    load: named,
  }),
  z.looseObject({ at, type: z.literal('baseline-taken'), journeys: z.array(baseline), alerts: list }),
  z.looseObject({ at, type: z.literal('objects-listed'), objects: z.array(object) }),
  z.looseObject({
    at,
    type: z.literal('object-changed'),
    change: z.enum(['added', 'modified', 'deleted']),
    object,
  }),
  z.looseObject({
    at,
    type: z.literal('fault-injected'),
    index,
    fault: z.string(),
    target,
    params: named,
    shape,
    state: named,
  }),
  z.looseObject({ at, type: z.literal('laboratory-acts'), index }),
  z.looseObject({ at, type: z.literal('fault-recovered'), index }),
  z.looseObject({
    at,
    type: z.literal('fault-shown'),
    shown: z.boolean(),
    journeys: z.array(z.string()),
    evidence: z.string(),
  }),
  z.looseObject({ at, type: z.literal('report-given'), kind: z.string(), text: z.string() }),
  z.looseObject({ at, type: z.literal('solver-began') }),
  z.looseObject({
    at,
    type: z.literal('walks'),
    walks: z.array(walk),
    pending: z.array(z.tuple([z.string(), z.number()])).optional(),
  }),
  z.looseObject({ at, type: z.literal('step-taken'), action: z.string(), observation: z.string() }),
  z.looseObject({ at, type: z.literal('thought-noted'), role: z.string().optional(), thought: z.string() }),
  z.looseObject({
    at,
    type: z.literal('model-called'),
    role: z.string(),
    model: z.string(),
    begins: z.boolean().optional(),
    messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
    tools: z.array(z.string()),
    answer: z.looseObject({ text: z.string(), toolCalls: list, usage: named }),
  }),
  z.looseObject({
    at,
    type: z.literal('playbook-vetted'),
    findings: z.array(z.string()),
    isRefused: z.boolean(),
  }),
  z.looseObject({
    at,
    type: z.literal('task-ended'),
    play: z.string(),
    task: z.string(),
    outcome: z.enum(['ok', 'changed', 'skipped', 'failed', 'unreachable']),
  }),
  z.looseObject({ at, type: z.literal('playbook-rolled-back'), objects: z.array(z.string()) }),
  z.looseObject({ at, type: z.literal('answers-given'), answers: named }),
  z.looseObject({
    at,
    type: z.literal('solver-ended'),
    outcome: z.enum(['submitted', 'gave-up', 'budget-spent', 'failed']),
  }),
  z.looseObject({ at, type: z.literal('cause-probed'), index, facts: named }),
  z.looseObject({ at, type: z.literal('calls-observed'), edges: z.array(edge) }),
  z.looseObject({ at, type: z.literal('alerts-observed'), alerts: list }),
  z.looseObject({ at, type: z.literal('verdict-given'), verdict: named }),
  z.looseObject({
    at,
    type: z.literal('harness-failed'),
    code: z.string(),
    message: z.string(),
    blame: z.string(),
  }),
])

type ReadType = z.infer<typeof event>['type']
/** Events that are declared here and not in `spec`, or there and not here: a record with one of those could not be read again. */
type Unmatched = Exclude<EpisodeEvent['type'], ReadType> | Exclude<ReadType, EpisodeEvent['type']>

/** Does not compile where some are unmatched, and names them. */
const toEvent = (checked: [Unmatched] extends [never] ? object : Unmatched): EpisodeEvent =>
  checked as EpisodeEvent

const bad = (file: string, line: number, what: string): RemediumError =>
  new RemediumError('bad-file', `${file}, line ${line}: ${what}.`)

const parseLine = (text: string, file: string, line: number): EpisodeEvent => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw bad(file, line, 'is not JSON')
  }
  const reading = event.safeParse(value)
  if (!reading.success) {
    const [issue] = reading.error.issues
    throw bad(file, line, `${issue!.path.join('.') || 'the event'}: ${issue!.message}`)
  }
  return toEvent(reading.data)
}

const checkFirst = (first: EpisodeEvent | undefined, file: string): void => {
  if (first?.type !== 'episode-began') throw bad(file, 1, 'a record begins with the event episode-began')
  if (first.schema !== EPISODE_SCHEMA)
    throw bad(file, 1, `has the schema ${first.schema}, and this version reads ${EPISODE_SCHEMA}`)
}

/** Takes lines one by one, and throws at the first mistake, with its line and what is wrong. */
export const createRecordParser = (file: string) => {
  const bounded = createDetailBound()
  const events: EpisodeEvent[] = []
  return {
    add(text: string): void {
      const line = events.length + 1
      const event = parseLine(text, file, line)
      if (line > 1 && event.type === 'episode-began') throw bad(file, line, 'an episode begins a second time')
      if (line === 1) checkFirst(event, file)
      // Records of earlier versions know no bounds.
      events.push(bounded(event))
    },
    end(): EpisodeEvent[] {
      checkFirst(events[0], file)
      return events
    },
  }
}

export const parseRecord = (text: string, file: string): EpisodeEvent[] => {
  const parser = createRecordParser(file)
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (const line of lines) parser.add(line)
  return parser.end()
}
