/** Draws the timeline of an episode: stages, journey runs, latency, events of the solver, and alerts. */
import { roundUp, scale, timeTicks } from './axis.ts'
import { duration, moment } from './format.ts'
import { type Html, html, type Part } from './html.ts'
import { alertLanes, type Lane, solverLanes } from './lanes.ts'
import type { EpisodeStory } from './story.ts'

// All sizes are in pixels.
const LEFT_MARGIN = 104
const RIGHT_MARGIN = 12
const STAGES_HEIGHT = 26
const LOAD_HEIGHT = 84
const LATENCY_HEIGHT = 46
const GAP = 16
const AXIS_HEIGHT = 22

/** Converts a time or a value to a position in pixels. */
type Scale = (value: number) => number

const label = (y: number, text: string, note?: string): Html =>
  html`<text class="lane" x="0" y="${y}">${text}</text>${
    note !== undefined && html`<text class="note" x="0" y="${y + 13}">${note}</text>`
  }`

/** Draws the stages as bands at the top. */
const stageBands = (story: EpisodeStory, x: Scale): Html => {
  const injected = story.faults[0]?.at
  const { solver, window } = story
  const baselineEnd = injected ?? solver?.from ?? story.length
  const bands: readonly (readonly [kind: string, text: string, from: number, to: number])[] = [
    ['baseline', 'baseline', 0, baselineEnd],
    ...(injected === undefined ? [] : [['fault', 'fault', injected, solver?.from ?? story.length] as const]),
    ...(solver === undefined ? [] : [['solver', 'solve', solver.from, solver.to] as const]),
    ...(solver === undefined || window === undefined
      ? []
      : [
          ['wait', 'wait', solver.to, Math.max(solver.to, window.from)] as const,
          ['window', 'verify', Math.max(window.from, solver.to), window.to] as const,
        ]),
  ]
  return html`${bands
    .filter(([, , from, to]) => to > from)
    .map(([kind, text, from, to]) => {
      const [left, width] = [x(from), Math.max(1, x(to) - x(from))]
      const title = `${text}: ${moment(from)} to ${moment(to)} (${duration(to - from)})`
      return html`<g><title>${title}</title><rect class="stage ${kind}" x="${left}" y="0" width="${width}" height="16" rx="3"/>${
        width > text.length * 6.2 + 8 &&
        html`<text class="stage-name" x="${left + 6}" y="11.5">${text}</text>`
      }</g>`
    })}`
}

const loadBars = ({ load }: EpisodeStory, x: Scale, top: number): Html => {
  const seconds = load.slice / 1000
  const max = roundUp(Math.max(...load.served.map((served, index) => served + load.failed[index]!)) / seconds)
  const height = scale(max, 0, LOAD_HEIGHT)
  const bars = load.served.map((served, index) => {
    const failed = load.failed[index]!
    if (served + failed === 0) return undefined
    const [servedHeight, failedHeight] = [height(served / seconds), height(failed / seconds)]
    const left = x(index * load.slice)
    const width = Math.max(1, x((index + 1) * load.slice) - left - 1)
    const p50 = load.p50[index]
    const title = `${moment(index * load.slice)}: ${served} journey runs served, ${failed} failed${p50 == null ? '' : `, median ${duration(p50)}`}`
    return html`<g><title>${title}</title><rect class="hit" x="${left}" y="${top}" width="${width + 1}" height="${LOAD_HEIGHT}"/>${
      served > 0 &&
      html`<rect class="served" x="${left}" y="${top + LOAD_HEIGHT - servedHeight}" width="${width}" height="${servedHeight}"/>`
    }${
      failed > 0 &&
      html`<rect class="failed" x="${left}" y="${top + LOAD_HEIGHT - servedHeight - failedHeight}" width="${width}" height="${failedHeight}"/>`
    }</g>`
  })
  return html`${label(top + 10, 'journeys', 'per second')}<text class="tick" x="${LEFT_MARGIN - 6}" y="${top + 8}">${max}</text>
<line class="rule" x1="${LEFT_MARGIN}" x2="${x(Number.POSITIVE_INFINITY)}" y1="${top + LOAD_HEIGHT}" y2="${top + LOAD_HEIGHT}"/>${bars}`
}

/** The line has gaps where there are no journey runs. */
const linePath = ({ load }: EpisodeStory, x: Scale, y: Scale): string => {
  let isConnected = false
  return load.p50
    .map((p50, index) => {
      const command = isConnected ? 'L' : 'M'
      isConnected = p50 !== null
      return p50 === null ? '' : `${command}${x((index + 0.5) * load.slice)} ${y(p50)}`
    })
    .join('')
}

const latency = (story: EpisodeStory, x: Scale, top: number): Html => {
  const values = story.load.p50.filter((value) => value !== null)
  const max = roundUp(Math.max(1, ...values, story.baselineP50 ?? 0))
  const y = scale(max, top + LATENCY_HEIGHT, top)
  const baseline = story.baselineP50
  return html`${label(top + 10, 'latency', 'median')}<text class="tick" x="${LEFT_MARGIN - 6}" y="${top + 8}">${duration(max)}</text>
<line class="rule" x1="${LEFT_MARGIN}" x2="${x(Number.POSITIVE_INFINITY)}" y1="${top + LATENCY_HEIGHT}" y2="${top + LATENCY_HEIGHT}"/>${
    baseline !== undefined &&
    html`<line class="baseline-latency" x1="${LEFT_MARGIN}" x2="${x(Number.POSITIVE_INFINITY)}" y1="${y(baseline)}" y2="${y(baseline)}"><title>baseline: ${duration(baseline)}</title></line>`
  }<path class="p50" d="${linePath(story, x, y)}"/>`
}

const momentLines = (story: EpisodeStory, x: Scale, bottom: number): Html => {
  const lines: readonly (readonly [kind: string, at: number, title: string])[] = [
    ...story.faults.map(
      ({ at, fault, target }) => ['fault', at, `${fault} injected into ${target.service}`] as const,
    ),
    ...story.faults.flatMap(({ recovered, fault }) =>
      recovered === undefined
        ? []
        : [['baseline', recovered, `${fault} reverted by the laboratory`] as const],
    ),
    ...(story.impact === undefined
      ? []
      : [
          [
            'impact',
            story.impact.at,
            `${story.impact.affected ? 'user impact' : 'no user impact'}: ${story.impact.evidence}`,
          ] as const,
        ]),
    ...(story.solver === undefined ? [] : [['solver', story.solver.from, 'solver started'] as const]),
    ...(story.solver === undefined ? [] : [['solver', story.solver.to, 'solver ended'] as const]),
  ]
  return html`${lines.map(
    ([kind, at, title]) =>
      html`<line class="moment ${kind}" x1="${x(at)}" x2="${x(at)}" y1="16" y2="${bottom}"><title>${moment(at)} ${title}</title></line>`,
  )}`
}

const axis = (length: number, x: Scale, y: number, minGap: number): Html =>
  html`${timeTicks(length, minGap).map(
    (at) =>
      html`<line class="tickmark" x1="${x(at)}" x2="${x(at)}" y1="${y}" y2="${y + 4}"/><text class="time" x="${x(at)}" y="${y + 16}">${at < 60_000 && length < 60_000 ? `${at / 1000}\u00a0s` : moment(at).replace(/\.0$/, '')}</text>`,
  )}`

const stackLanes = (lanes: readonly Lane[], top: number): { parts: Part[]; bottom: number } => {
  let bottom = top
  const parts = lanes.map(({ name, height, draw }) => {
    const at = bottom
    bottom += height
    return html`${label(at + 10, name)}${draw(at)}`
  })
  return { parts, bottom }
}

const describe = ({ length, faults, solver, alerts }: EpisodeStory): string =>
  [
    `Timeline of ${duration(length)}`,
    ...faults.map(({ fault, target, at }) => `${fault} in ${target.service} at ${moment(at)}`),
    ...(solver === undefined ? [] : [`solver from ${moment(solver.from)} to ${moment(solver.to)}`]),
    `${alerts.length} alerts`,
  ].join(', ')

/** `width` is in pixels. */
export const timeline = (story: EpisodeStory, width: number): Html => {
  const right = Math.max(LEFT_MARGIN + 120, width) - RIGHT_MARGIN
  const x: Scale = scale(story.length, LEFT_MARGIN, right)
  const loadTop = STAGES_HEIGHT
  const latencyTop = loadTop + LOAD_HEIGHT + GAP
  const lanesTop = latencyTop + LATENCY_HEIGHT + GAP
  const { parts, bottom } = stackLanes([...solverLanes(story, x), ...alertLanes(story, x)], lanesTop)
  const minGap = 70 / (right - LEFT_MARGIN)
  return html`<svg class="timeline" role="img" aria-label="${describe(story)}" width="${right + RIGHT_MARGIN}" height="${bottom + AXIS_HEIGHT}" viewBox="0 0 ${right + RIGHT_MARGIN} ${bottom + AXIS_HEIGHT}">
${stageBands(story, x)}${loadBars(story, x, loadTop)}${latency(story, x, latencyTop)}${momentLines(story, x, bottom)}${parts}
<line class="rule" x1="${LEFT_MARGIN}" x2="${right}" y1="${bottom}" y2="${bottom}"/>${axis(story.length, x, bottom, minGap)}</svg>`
}
