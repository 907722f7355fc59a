/** Keeps records small, whatever a solver says: long texts are clipped, and after very much only the events are left. */
import type { NewEvent } from './event-log.ts'

/** Letters of one text. */
const MOST_OF_A_TEXT = 65_536
const MOST_OF_AN_EVENT = 1_048_576
/** Of all that a solver says in one episode. */
const MOST_OF_ALL = 67_108_864
/** Of what is a name. */
const MOST_OF_A_NAME = 200

const leftOut = (letters: number): string => `(${letters} characters left out)`

const clipTo = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n${leftOut(text.length - most)}`

/** Undefined of what cannot be written as JSON, such as lists within lists a million times. */
const sizeOf = (value: unknown): number | undefined => {
  try {
    return JSON.stringify(value)?.length ?? 0
  } catch {
    return undefined
  }
}

const clipTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return clipTo(value, MOST_OF_A_TEXT)
  if (Array.isArray(value)) return value.map(clipTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clipTexts(one)]))
}

type Bare = { [T in NewEvent['type']]?: (event: Extract<NewEvent, { type: T }>, told: string) => object }

/** What an event still says where there is no room for its details. */
const BARE: Bare = {
  'thought-noted': (_, thought) => ({ thought }),
  'step-taken': ({ action }, observation) => ({
    action: clipTo(action, MOST_OF_A_NAME),
    input: {},
    observation,
  }),
  'model-called': ({ answer }, text) => ({ messages: [], answer: { ...answer, text, toolCalls: [] } }),
  'playbook-vetted': (_, told) => ({ findings: [told] }),
  'task-ended': ({ play, task }, message) => ({
    play: clipTo(play, MOST_OF_A_NAME),
    task: clipTo(task, MOST_OF_A_NAME),
    message,
  }),
  'playbook-rolled-back': (_, told) => ({ objects: [told] }),
}

const toBare = <E extends NewEvent>(event: E, size: number | undefined): E => {
  const told = size === undefined ? '(it cannot be written down)' : leftOut(size)
  const bare = BARE[event.type] as ((event: NewEvent, told: string) => object) | undefined
  return bare === undefined ? event : { ...event, ...bare(event, told) }
}

const clipNames = <E extends NewEvent>(event: E): E => ({
  ...event,
  ...('role' in event && event.role !== undefined ? { role: clipTo(event.role, MOST_OF_A_NAME) } : {}),
  ...('action' in event ? { action: clipTo(event.action, MOST_OF_A_NAME) } : {}),
})

/** Of one episode: gives each event of the solver as it is to be recorded. Those of the laboratory stay as they are. */
export const createDetailBound = () => {
  let kept = 0
  return <E extends NewEvent>(given: E): E => {
    if (BARE[given.type] === undefined) return given
    const event = clipNames(given)
    const size = sizeOf(event)
    let bounded = event
    if (size === undefined) bounded = toBare(event, undefined)
    else if (size > MOST_OF_A_TEXT) {
      const clipped = clipTexts(event) as E
      bounded = sizeOf(clipped)! > MOST_OF_AN_EVENT ? toBare(event, size) : clipped
    }
    if (kept + sizeOf(bounded)! > MOST_OF_ALL) bounded = toBare(event, size)
    kept += sizeOf(bounded)!
    return bounded
  }
}
