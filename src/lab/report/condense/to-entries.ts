/** Lists the actions, thoughts and model calls of a solver in order; the events of a playbook become one entry. */
import { defined } from '#kit'
import { type EpisodeEvent, LABORATORY_PLAYBOOK } from '#spec'
import type { PlaybookTask, StoryEntry } from '../view/story.ts'
import type { Cutter } from './create-cutter.ts'

type EventOf<Type extends EpisodeEvent['type']> = Extract<EpisodeEvent, { type: Type }>
type PlaybookEntry = Extract<StoryEntry, { kind: 'playbook' }>

const MAX_TASKS = 60
const MAX_MESSAGES = 40

const isPlaybook = (action: string): boolean => action === LABORATORY_PLAYBOOK || action === 'run_playbook'

/** For the laboratory's own solvers, the input is the playbook itself. */
const playbookOf = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && 'playbook' in input ? input.playbook : input

/** The events seen so far of a playbook whose step has not ended. */
interface OpenPlaybook {
  findings: readonly string[]
  isRefused: boolean
  hasRun: boolean
  tasks: PlaybookTask[]
  rolledBack?: readonly string[]
}

/** A playbook that was not vetted has not run: the operator or the policy denied it, or its input was invalid. */
const createOpenPlaybook = (): OpenPlaybook => ({ findings: [], isRefused: false, hasRun: false, tasks: [] })

const toModelCall = (event: EventOf<'model-called'>, cutter: Cutter): StoryEntry => {
  const { role, model, messages, answer, at } = event
  return {
    at,
    kind: 'model-call',
    took: Math.max(0, answer.milliseconds),
    role,
    model,
    messages: cutter
      .list(messages, MAX_MESSAGES)
      .map((message) => ({ role: message.role, text: cutter.text(message.content) })),
    answer: cutter.text(answer.text),
    calls: answer.toolCalls.map(({ name, input }) => `${name} ${cutter.text(JSON.stringify(input) ?? '')}`),
    tokens: { input: answer.usage.input, output: answer.usage.output },
    ...defined({ costUsd: answer.costUsd }),
    finish: answer.finish,
    tries: answer.tries,
  }
}

const toPlaybook = (
  { at, action, input, observation }: EventOf<'step-taken'>,
  open: OpenPlaybook,
  took: number,
  cutter: Cutter,
): PlaybookEntry => ({
  at,
  kind: 'playbook',
  took,
  findings: open.findings,
  isRefused: open.isRefused,
  hasRun: open.hasRun || action === LABORATORY_PLAYBOOK,
  playbook: cutter.text(playbookOf(input)),
  tasks: cutter.list(open.tasks, MAX_TASKS),
  output: cutter.text(observation),
  ...defined({ rolledBack: open.rolledBack }),
})

const toAction = (event: EventOf<'step-taken'>, took: number, cutter: Cutter): StoryEntry => ({
  at: event.at,
  kind: 'action',
  took,
  action: cutter.text(event.action),
  input: cutter.text(event.input),
  observation: cutter.text(event.observation),
})

const answersText = (answers: object): string =>
  Object.entries(answers)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') || 'none' : value}`)
    .join('\n')

/** Entries that consist of a single event. */
const toPlainEntry = (event: EpisodeEvent, cutter: Cutter): StoryEntry | undefined => {
  const { at } = event
  if (event.type === 'thought-noted')
    return {
      at,
      kind: 'thought',
      text: cutter.text(event.thought),
      ...defined({ role: event.role }),
    }
  if (event.type === 'model-called') return toModelCall(event, cutter)
  if (event.type === 'answers-given')
    return { at, kind: 'answers', text: cutter.text(answersText(event.answers)) }
  if (event.type === 'solver-ended')
    return {
      at,
      kind: 'ended',
      outcome: event.outcome,
      ...(event.reason === undefined ? {} : { reason: cutter.text(event.reason) }),
    }
  return undefined
}

export const toEntries = (events: readonly EpisodeEvent[], cutter: Cutter): readonly StoryEntry[] => {
  const entries: StoryEntry[] = []
  let open = createOpenPlaybook()
  /** The time of the previous event, at which the current action started. */
  let since = events.find(({ type }) => type === 'solver-started')?.at ?? 0
  const endStep = (event: EventOf<'step-taken'>): void => {
    const took = Math.max(0, event.at - since)
    const runsPlaybook = isPlaybook(event.action)
    entries.push(runsPlaybook ? toPlaybook(event, open, took, cutter) : toAction(event, took, cutter))
    if (runsPlaybook) open = createOpenPlaybook()
  }
  const rollBack = (objects: readonly string[]): void => {
    const last = entries.at(-1)
    // The event can come before or after the end of the step.
    if (open.tasks.length === 0 && last?.kind === 'playbook')
      entries[entries.length - 1] = { ...last, rolledBack: objects }
    else open.rolledBack = objects
  }
  for (const event of events) {
    if (event.type === 'playbook-vetted') {
      const { isRefused } = event
      Object.assign(open, { findings: event.findings.map(cutter.text), isRefused, hasRun: !isRefused })
    } else if (event.type === 'task-ended')
      open.tasks.push({
        task: cutter.text(event.task),
        outcome: event.outcome,
        ...(event.message === undefined ? {} : { message: cutter.text(event.message) }),
      })
    else if (event.type === 'playbook-rolled-back') rollBack(event.objects.map(cutter.text))
    else if (event.type === 'step-taken') endStep(event)
    else {
      const entry = toPlainEntry(event, cutter)
      if (entry === undefined) continue
      entries.push(entry)
    }
    if (event.type !== 'task-ended' && event.type !== 'answers-given') since = event.at
  }
  return entries
}
