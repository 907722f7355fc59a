/** The lanes under an episode's curves: what the solver did, and what alerted. */
import { duration, moment } from './format.ts'
import { type Html, html } from './html.ts'
import type { EpisodeStory, StoryEntry } from './story.ts'

export interface Lane {
  readonly name: string
  readonly height: number
  draw(top: number): Html
}

type Place = (at: number) => number

const MOST_ALERT_LANES = 7
const HEIGHT = 18

const titleOf = (entry: StoryEntry): string => {
  if (entry.kind === 'asked')
    return `asked ${entry.model} for ${duration(entry.took)}: ${entry.tokens.input} tokens in, ${entry.tokens.output} out`
  if (entry.kind === 'playbook')
    return `playbook for ${duration(entry.took)}${entry.isRefused ? ', refused' : ''}`
  if (entry.kind === 'action') return entry.action
  return entry.kind
}

const bar = (kind: string, entry: StoryEntry & { readonly took: number }, x: Place, top: number): Html => {
  const left = x(Math.max(0, entry.at - entry.took))
  return html`<rect class="deed ${kind}" x="${left}" y="${top + 2}" width="${Math.max(3, x(entry.at) - left)}" height="11" rx="2.5"><title>${moment(entry.at)} ${titleOf(entry)}</title></rect>`
}

const draw = (entry: StoryEntry, x: Place, top: number): Html | undefined => {
  if (entry.kind === 'asked') return bar('asked', entry, x, top)
  if (entry.kind === 'playbook') return bar(entry.isRefused ? 'refused' : 'playbook', entry, x, top)
  if (entry.kind === 'action')
    return html`<circle class="deed action" cx="${x(entry.at)}" cy="${top + 7.5}" r="4"><title>${moment(entry.at)} ${titleOf(entry)}</title></circle>`
  return undefined
}

const laneOf = (name: string, entries: readonly StoryEntry[], x: Place): readonly Lane[] =>
  entries.length === 0
    ? []
    : [
        {
          name,
          height: HEIGHT,
          draw: (top) => html`${entries.map((entry) => draw(entry, x, top))}`,
        },
      ]

/** A lane each for what was asked of models, for actions and for playbooks, as far as there were any. */
export const deedLane = ({ entries }: EpisodeStory, x: Place): readonly Lane[] => {
  const of = (kind: StoryEntry['kind']) => entries.filter((entry) => entry.kind === kind)
  return [
    ...laneOf('model', of('asked'), x),
    ...laneOf('actions', of('action'), x),
    ...laneOf('playbooks', of('playbook'), x),
  ]
}

/** One for each alert as long as there are few, with its name beside the bar. */
export const alertLanes = ({ alerts, length }: EpisodeStory, x: Place): readonly Lane[] => {
  const lanes = alerts.slice(0, MOST_ALERT_LANES).map(
    ({ name, about, severity, from, to }, index): Lane => ({
      name: index === 0 ? 'alerts' : '',
      height: 15,
      draw(top) {
        const [left, right] = [x(from), x(to ?? length)]
        const width = Math.max(3, right - left)
        const isInside = width > name.length * 5.6 + 12
        const isRightOf = !isInside && right + name.length * 5.6 + 12 < x(Number.POSITIVE_INFINITY)
        const place = isInside ? left + 5 : isRightOf ? right + 5 : left - 5
        return html`<g><title>${moment(from)} ${name}: ${about}${to === undefined ? '' : `, cleared ${moment(to)}`}</title><rect class="alert ${severity}" x="${left}" y="${top + 1}" width="${width}" height="12" rx="2.5"/><text class="alert-name ${isInside ? 'inside' : isRightOf ? '' : 'before'}" x="${place}" y="${top + 10.5}">${name}</text></g>`
      },
    }),
  )
  const left = alerts.length - lanes.length
  if (left <= 0) return lanes
  const more: Lane = {
    name: '',
    height: 15,
    draw: (top) => html`<text class="more" x="${x(0)}" y="${top + 11}">and ${left} more alerts</text>`,
  }
  return [...lanes, more]
}
