/** The lanes of the timeline: events of the solver, and alerts. */
import { duration, moment } from './format.ts'
import { type Html, html } from './html.ts'
import type { EpisodeStory, StoryEntry } from './story.ts'

export interface Lane {
  readonly name: string
  readonly height: number
  draw(top: number): Html
}

/** Converts a time of the episode to a horizontal position in pixels. */
type Scale = (at: number) => number

const MAX_ALERT_LANES = 7
/** Pixels. */
const HEIGHT = 18

const titleOf = (entry: StoryEntry): string => {
  if (entry.kind === 'model-call')
    return `called ${entry.model} for ${duration(entry.took)}: ${entry.tokens.input} tokens in, ${entry.tokens.output} out`
  if (entry.kind === 'playbook') {
    const outcome = entry.hasRun ? '' : entry.isRefused ? ', refused' : ', not run'
    return `playbook for ${duration(entry.took)}${outcome}`
  }
  if (entry.kind === 'action') return entry.action
  return entry.kind
}

const bar = (kind: string, entry: StoryEntry & { readonly took: number }, x: Scale, top: number): Html => {
  const left = x(Math.max(0, entry.at - entry.took))
  return html`<rect class="mark ${kind}" x="${left}" y="${top + 2}" width="${Math.max(3, x(entry.at) - left)}" height="11" rx="2.5"><title>${moment(entry.at)} ${titleOf(entry)}</title></rect>`
}

const drawEntry = (entry: StoryEntry, x: Scale, top: number): Html | undefined => {
  if (entry.kind === 'model-call') return bar('model-call', entry, x, top)
  if (entry.kind === 'playbook') return bar(entry.hasRun ? 'playbook' : 'refused', entry, x, top)
  if (entry.kind === 'action')
    return html`<circle class="mark action" cx="${x(entry.at)}" cy="${top + 7.5}" r="4"><title>${moment(entry.at)} ${titleOf(entry)}</title></circle>`
  return undefined
}

const laneOf = (name: string, entries: readonly StoryEntry[], x: Scale): readonly Lane[] =>
  entries.length === 0
    ? []
    : [
        {
          name,
          height: HEIGHT,
          draw: (top) => html`${entries.map((entry) => drawEntry(entry, x, top))}`,
        },
      ]

/** A lane for model calls, one for actions and one for playbooks; empty lanes are omitted. */
export const solverLanes = ({ entries }: EpisodeStory, x: Scale): readonly Lane[] => {
  const entriesOf = (kind: StoryEntry['kind']) => entries.filter((entry) => entry.kind === kind)
  return [
    ...laneOf('model', entriesOf('model-call'), x),
    ...laneOf('actions', entriesOf('action'), x),
    ...laneOf('playbooks', entriesOf('playbook'), x),
  ]
}

/** The approximate width of a character in pixels. */
const CHARACTER_WIDTH = 5.6
const MAX_NAME_LENGTH = 48

/** Puts the name inside the bar, after it or before it, wherever it fits; otherwise omits it. */
const alertName = (fullName: string, left: number, right: number, max: number): Html | undefined => {
  const name = fullName.length > MAX_NAME_LENGTH ? `${fullName.slice(0, MAX_NAME_LENGTH)}…` : fullName
  const width = name.length * CHARACTER_WIDTH + 12
  const y = html` y="10.5"`
  if (right - left > width) return html`<text class="alert-name inside" x="${left + 5}"${y}>${name}</text>`
  if (right + width < max) return html`<text class="alert-name" x="${right + 5}"${y}>${name}</text>`
  if (left - width > 0) return html`<text class="alert-name before" x="${left - 5}"${y}>${name}</text>`
  return undefined
}

/** A lane for each of the first alerts, and the number of the others. */
export const alertLanes = ({ alerts, length }: EpisodeStory, x: Scale): readonly Lane[] => {
  const lanes = alerts.slice(0, MAX_ALERT_LANES).map(
    ({ name, about, severity, from, to }, index): Lane => ({
      name: index === 0 ? 'alerts' : '',
      height: 15,
      draw(top) {
        const left = x(from)
        const right = Math.max(left + 3, x(to ?? length))
        const title = `${moment(from)} ${name}: ${about}${to === undefined ? '' : `, cleared ${moment(to)}`}`
        return html`<g transform="translate(0 ${top})"><title>${title}</title><rect class="alert ${severity}" x="${left}" y="1" width="${right - left}" height="12" rx="2.5"/>${alertName(name, left, right, x(Number.POSITIVE_INFINITY))}</g>`
      },
    }),
  )
  const omitted = alerts.length - lanes.length
  if (omitted <= 0) return lanes
  const more: Lane = {
    name: '',
    height: 15,
    draw: (top) => html`<text class="more" x="${x(0)}" y="${top + 11}">and ${omitted} more alerts</text>`,
  }
  return [...lanes, more]
}
