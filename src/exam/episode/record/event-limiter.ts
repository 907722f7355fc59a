/** Limits the size of records: clips long strings, and beyond a total size keeps events without details. */
import type { NewEvent } from './event-log.ts'

const MAX_TEXT_CHARACTERS = 65_536
const MAX_EVENT_CHARACTERS = 1_048_576
/** The limit for all events of the solver in one episode together. */
const MAX_TOTAL_CHARACTERS = 67_108_864
const MAX_NAME_CHARACTERS = 200

const omissionNotice = (characters: number): string => `(${characters} characters omitted)`

/** The end of a string that was already clipped. */
const CLIPPED = /\n\(\d+ characters omitted\)$/

const clipTo = (text: string, max: number): string =>
  text.length <= max || text.replace(CLIPPED, '').length <= max
    ? text
    : `${text.slice(0, max)}\n${omissionNotice(text.length - max)}`

/** Undefined if the value cannot be written as JSON, for example because it is nested too deeply. */
const sizeOf = (value: unknown): number | undefined => {
  try {
    return JSON.stringify(value)?.length ?? 0
  } catch {
    return undefined
  }
}

const clipTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return clipTo(value, MAX_TEXT_CHARACTERS)
  if (Array.isArray(value)) return value.map(clipTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clipTexts(member)]))
}

type Reducers = {
  [T in NewEvent['type']]?: (event: Extract<NewEvent, { type: T }>, notice: string) => object
}

/** Functions that replace the details of an event with a notice. */
const REDUCERS: Reducers = {
  'thought-noted': (_, thought) => ({ thought }),
  'step-taken': ({ action }, observation) => ({
    action: clipTo(action, MAX_NAME_CHARACTERS),
    input: {},
    observation,
  }),
  // The definitions of tools stay: later calls refer to them.
  'model-called': ({ answer: { rawText: _, reasoning: __, ...answer } }, text) => ({
    messages: [],
    answer: { ...answer, text, toolCalls: [] },
  }),
  'usage-reported': ({ tokens, costUsd }) => ({ tokens, costUsd, model: '' }),
  'playbook-vetted': (_, notice) => ({ findings: [notice] }),
  'task-ended': ({ play, task }, message) => ({
    play: clipTo(play, MAX_NAME_CHARACTERS),
    task: clipTo(task, MAX_NAME_CHARACTERS),
    message,
  }),
  'playbook-rolled-back': (_, notice) => ({ objects: [notice] }),
}

/** Events that are marked if they are clipped: a training program must not mistake a clipped text for a complete one. */
const MARKED: readonly NewEvent['type'][] = ['thought-noted', 'step-taken', 'model-called']

const markClipped = <E extends NewEvent>(event: E): E =>
  MARKED.includes(event.type) ? { ...event, isClipped: true } : event

const reduceEvent = <E extends NewEvent>(event: E, size: number | undefined): E => {
  const notice = size === undefined ? '(cannot be written as JSON)' : omissionNotice(size)
  const reducer = REDUCERS[event.type] as ((event: NewEvent, notice: string) => object) | undefined
  return reducer === undefined ? event : markClipped({ ...event, ...reducer(event, notice) })
}

const clipNames = <E extends NewEvent>(event: E): E => ({
  ...event,
  ...('role' in event && event.role !== undefined ? { role: clipTo(event.role, MAX_NAME_CHARACTERS) } : {}),
  ...('action' in event ? { action: clipTo(event.action, MAX_NAME_CHARACTERS) } : {}),
})

/** The size above which strings are clipped. Strings of a model call are kept up to the limit of an event. */
const maxSizeOf = ({ type }: NewEvent): number =>
  type === 'model-called' ? MAX_EVENT_CHARACTERS : MAX_TEXT_CHARACTERS

/** Returns a function that limits the events of the solver in one episode. Events of the laboratory pass unchanged. */
export const createEventLimiter = () => {
  let totalSize = 0
  return <E extends NewEvent>(original: E): E => {
    if (REDUCERS[original.type] === undefined) return original
    const event = clipNames(original)
    const size = sizeOf(event)
    let limited = event
    if (size === undefined) limited = reduceEvent(event, undefined)
    else if (size > maxSizeOf(event)) {
      const clipped = clipTexts(event) as E
      const clippedSize = sizeOf(clipped)!
      if (clippedSize > MAX_EVENT_CHARACTERS) limited = reduceEvent(event, size)
      else if (clippedSize < size) limited = markClipped(clipped)
    }
    if (totalSize + sizeOf(limited)! > MAX_TOTAL_CHARACTERS) limited = reduceEvent(event, size)
    totalSize += sizeOf(limited)!
    return limited
  }
}
