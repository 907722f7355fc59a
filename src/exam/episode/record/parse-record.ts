/** Parses the record of an episode, which is untrusted text. */
import { z } from 'zod'
import { ACTION_REACHES, EPISODE_SCHEMA, type EpisodeEvent, JUDGING_RULES, RemediumError } from '#spec'
import { createEventLimiter } from './event-limiter.ts'
import { hasOldSchema, upgradeEvent } from './upgrade-event.ts'

const anyValue = z.unknown()
const anyList = z.array(anyValue)
const anyMap = z.record(z.string(), anyValue)
const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
})
const baseline = z.looseObject({
  journey: z.string(),
  runs: z.number().min(0),
  failures: z.number().min(0),
  p50: z.number(),
  p95: z.number(),
})
const journeyRun = z.tuple([z.string(), z.number(), z.number()], z.string())
const target = z.looseObject({ service: z.string() })
const shape = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('sudden') }),
  z.looseObject({ kind: z.literal('gradual'), overMs: z.number() }),
  z.looseObject({ kind: z.literal('intermittent'), onMs: z.number(), offMs: z.number() }),
  z.looseObject({ kind: z.literal('transient'), forMs: z.number() }),
])
const edge = z.looseObject({ from: z.string(), to: z.string(), count: z.number(), errors: z.number() })
const containerProcesses = z.looseObject({
  pod: z.string(),
  id: z.string(),
  name: z.string().optional(),
  processes: z.array(z.tuple([z.string(), z.number()])),
  strays: z.array(z.tuple([z.string(), z.number(), z.number()])).optional(),
})
const limit = z.tuple([z.number(), z.number()])
const storedContent = z.looseObject({
  store: z.string(),
  container: z.string(),
  tables: anyMap,
  counts: z.record(z.string(), z.number()).optional(),
  digests: z.record(z.string(), z.string()).optional(),
  settings: z.record(z.string(), z.string()).optional(),
  isPersisted: z.boolean().optional(),
})
const inspectedContainer = z.looseObject({
  pod: z.string(),
  id: z.string(),
  name: z.string(),
  processes: z.array(
    z.looseObject({
      id: z.number(),
      name: z.string(),
      isStopped: z.boolean(),
      nice: z.number(),
      scheduling: z.string().optional(),
      oomScoreAdj: z.number(),
      cpus: z.string(),
      limits: z.record(z.string(), limit),
    }),
  ),
  files: z.array(z.string()).optional(),
  hasTooManyFiles: z.boolean().optional(),
  deletedFiles: z.array(z.string()),
  changedFiles: z.array(z.string()).optional(),
  unlinkedFiles: z.array(z.string()).optional(),
  overwrittenFiles: z.array(z.string()).optional(),
  changedFolders: z.array(z.string()).optional(),
  mountedFiles: z.record(z.string(), z.string()).optional(),
  usedBytes: z.number(),
})
const plannedFault = z.looseObject({ fault: z.string(), target, params: anyMap, shape })
const problem = z.looseObject({
  id: z.string(),
  system: z.string(),
  task: z.string(),
  report: z.string(),
  seed: z.string(),
  faults: z.array(plannedFault),
  budget: z.looseObject({ steps: z.number(), seconds: z.number() }),
})
const tool = z.looseObject({ name: z.string(), about: z.string(), input: anyMap })
const at = z.number()
const index = z.int().min(0)

/** The required fields of each type of event; other fields pass. */
const event = z.discriminatedUnion('type', [
  z.looseObject({
    at,
    type: z.literal('episode-started'),
    schema: z.number(),
    rules: z.int().min(1).optional(),
    time: z.number(),
    problem,
    solver: z.string(),
    engine: z.string(),
    load: anyMap,
    secret: z.string().optional(),
  }),
  z.looseObject({ at, type: z.literal('baseline-taken'), journeys: z.array(baseline), alerts: anyList }),
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
    params: anyMap,
    shape,
    state: anyMap,
  }),
  z.looseObject({ at, type: z.literal('fault-change-started'), index }),
  z.looseObject({ at, type: z.literal('fault-recovered'), index }),
  z.looseObject({
    at,
    type: z.literal('user-impact-observed'),
    affected: z.boolean(),
    journeys: z.array(z.string()),
    evidence: z.string(),
    since: z.number().optional(),
  }),
  z.looseObject({ at, type: z.literal('report-given'), kind: z.string(), text: z.string() }),
  z.looseObject({ at, type: z.literal('solver-started') }),
  z.looseObject({
    at,
    type: z.literal('actions-offered'),
    briefing: z.looseObject({
      task: z.string(),
      system: z.string(),
      namespace: z.string(),
      report: z.looseObject({ kind: z.string(), text: z.string() }),
    }),
    actions: z.array(tool),
  }),
  z.looseObject({
    at,
    type: z.literal('journeys-run'),
    runs: z.array(journeyRun),
    pending: z.array(z.tuple([z.string(), z.number()])).optional(),
  }),
  z.looseObject({
    at,
    type: z.literal('step-taken'),
    action: z.string(),
    reach: z.enum(ACTION_REACHES).optional(),
    observation: z.string(),
  }),
  z.looseObject({ at, type: z.literal('thought-noted'), role: z.string().optional(), thought: z.string() }),
  z.looseObject({
    at,
    type: z.literal('model-called'),
    role: z.string(),
    model: z.string(),
    startsConversation: z.boolean().optional(),
    messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
    tools: z.array(z.string()),
    toolDefinitions: z.array(tool).optional(),
    sampling: anyMap.optional(),
    answer: z.looseObject({
      text: z.string(),
      rawText: z.string().optional(),
      reasoning: z.string().optional(),
      toolCalls: anyList,
      usage: anyMap,
    }),
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
  z.looseObject({
    at,
    type: z.literal('usage-reported'),
    tokens: z.object({ input: z.number(), output: z.number() }),
    costUsd: z.number().optional(),
  }),
  z.looseObject({
    at,
    type: z.literal('write-audited'),
    verb: z.string(),
    object: z.string(),
    code: z.number(),
    client: z.string(),
    count: z.number().optional(),
  }),
  z.looseObject({ at, type: z.literal('playbook-rolled-back'), objects: z.array(z.string()) }),
  z.looseObject({ at, type: z.literal('answers-given'), answers: anyMap }),
  z.looseObject({
    at,
    type: z.literal('solver-ended'),
    outcome: z.enum(['submitted', 'gave-up', 'budget-spent', 'failed']),
  }),
  z.looseObject({ at, type: z.literal('cause-probed'), index, facts: anyMap, failed: z.string().optional() }),
  z.looseObject({
    at,
    type: z.literal('processes-observed'),
    containers: z.array(containerProcesses),
  }),
  z.looseObject({
    at,
    type: z.literal('containers-inspected'),
    containers: z.array(inspectedContainer),
  }),
  z.looseObject({
    at,
    type: z.literal('data-observed'),
    stores: z.array(storedContent),
    unanswered: z.array(z.string()).optional(),
  }),
  z.looseObject({ at, type: z.literal('calls-observed'), edges: z.array(edge) }),
  z.looseObject({ at, type: z.literal('alerts-observed'), alerts: anyList }),
  z.looseObject({ at, type: z.literal('verdict-given'), verdict: anyMap }),
  z.looseObject({ at, type: z.literal('micro-remed-checked'), holds: z.boolean(), evidence: z.string() }),
  z.looseObject({
    at,
    type: z.literal('harness-failed'),
    code: z.string(),
    message: z.string(),
    blame: z.string(),
  }),
])

type ReadType = z.infer<typeof event>['type']
/** Event types declared only here or only in `spec`. A record with one of them could not be read again. */
type Unmatched = Exclude<EpisodeEvent['type'], ReadType> | Exclude<ReadType, EpisodeEvent['type']>

/** Does not compile if a type is unmatched; the error names it. */
const toEvent = (checked: [Unmatched] extends [never] ? object : Unmatched): EpisodeEvent =>
  checked as EpisodeEvent

const toParseError = (file: string, line: number, detail: string): RemediumError =>
  new RemediumError('bad-file', `${file}, line ${line}: ${detail}.`)

const parseJson = (text: string, file: string, line: number): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw toParseError(file, line, 'is not JSON')
  }
}

const parseEvent = (value: unknown, file: string, line: number): EpisodeEvent => {
  const reading = event.safeParse(value)
  if (!reading.success) {
    const [issue] = reading.error.issues
    throw toParseError(file, line, `${issue!.path.join('.') || 'the event'}: ${issue!.message}`)
  }
  return toEvent(reading.data)
}

const checkFirst = (first: EpisodeEvent | undefined, file: string): void => {
  if (first?.type !== 'episode-started')
    throw toParseError(file, 1, 'the first event must be episode-started')
  if (first.schema !== EPISODE_SCHEMA)
    throw toParseError(file, 1, `has the schema ${first.schema}, but this version reads ${EPISODE_SCHEMA}`)
  if ((first.rules ?? 1) > JUDGING_RULES)
    throw toParseError(file, 1, `needs the rules ${first.rules}, but this version judges by ${JUDGING_RULES}`)
}

/** Parses line by line. Throws an error that names the line and the problem at the first mistake. */
export const createRecordParser = (file: string) => {
  const limitSize = createEventLimiter()
  const events: EpisodeEvent[] = []
  let isOld = false
  return {
    add(text: string): void {
      const line = events.length + 1
      const value = parseJson(text, file, line)
      if (line === 1) isOld = hasOldSchema(value)
      const event = parseEvent(isOld ? upgradeEvent(value) : value, file, line)
      if (line > 1 && event.type === 'episode-started')
        throw toParseError(file, line, 'the event episode-started occurs a second time')
      if (line === 1) checkFirst(event, file)
      // Records of earlier versions have no size limits.
      events.push(limitSize(event))
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
