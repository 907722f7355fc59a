/** The details of an episode: timeline, events and judgements. */
import type { Holds } from '#spec'
import { entryList } from './entries.ts'
import { capitalise, count, duration, money, percent, plural } from './format.ts'
import { type Html, html, type Part } from './html.ts'
import type { EpisodeDetails, EpisodeStory } from './story.ts'
import { timeline } from './timeline.ts'

const ORACLES: Readonly<Record<string, string>> = {
  'users-served': 'Users are served',
  'nothing-broken': 'Nothing else was broken',
  'cause-gone': 'The cause is gone',
}

/** The class and the text of a judgement that holds, does not hold, or was not measured. */
const HOLDS: Readonly<Record<`${Holds}`, readonly [style: string, text: string]>> = {
  true: ['holds', 'yes'],
  false: ['fails', 'no'],
  null: ['unmeasured', 'not measured'],
}

const section = (name: string, body: Part): Html => html`<section><h4>${name}</h4>${body}</section>`

const judgements = ({ judgements: all }: EpisodeStory): Html | false =>
  all.length > 0 &&
  section(
    'Judgements',
    html`<ul class="judgements">${all.map(({ oracle, holds, evidence }) => {
      const [style, text] = HOLDS[`${holds}`]
      return html`<li class="${style}"><b>${ORACLES[oracle] ?? capitalise(oracle)}</b><span class="${holds === null ? 'quiet' : 'unseen'}">: ${text}</span><p>${evidence}</p></li>`
    })}</ul>`,
  )

const damage = ({ damage: all }: EpisodeStory): Html | false =>
  all.length > 0 &&
  section(
    'Damage',
    html`<ul class="damage">${all.map(({ object, what }) => html`<li><code>${object}</code> ${what}</li>`)}</ul>`,
  )

const pairs = (all: readonly (readonly [name: string, value: Part])[]): Html =>
  html`<dl class="pairs">${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

const failedShare = (failed: number, runs: number): string =>
  `${failed} of ${runs}${runs > 0 ? ` (${percent(failed / runs)})` : ''}`

const measures = ({ result, story, answerMeasures }: EpisodeDetails): Html => {
  const { metrics } = result
  const time = (name: string, ms: number | undefined): readonly (readonly [string, string])[] =>
    ms === undefined ? [] : [[name, duration(ms)]]
  const budget = story?.budget
  return section(
    'Measures',
    pairs([
      ...answerMeasures,
      ...time('Mitigated after', metrics.timeToMitigate),
      ['Steps', budget === undefined ? metrics.steps : `${metrics.steps} of ${budget.steps}`],
      ...(metrics.writes === undefined ? [] : [['Writes to the API', count(metrics.writes)] as const]),
      ...(metrics.tokens.input + metrics.tokens.output === 0
        ? []
        : [
            ['Tokens', `${count(metrics.tokens.input)} in, ${count(metrics.tokens.output)} out`] as const,
            ['Cost', money(metrics.costUsd)] as const,
          ]),
      ['Failed journey runs', failedShare(metrics.journeyRunsFailed, metrics.journeyRuns)],
      ['Collateral damage', metrics.collateralDamage],
      ...(result.tries > 1 ? [['Tries', result.tries] as const] : []),
    ]),
  )
}

const faults = ({ faults: all, impact }: EpisodeStory): Html =>
  section(
    all.length > 1 ? 'Faults' : 'Fault',
    all.length === 0
      ? html`<p>None (control).</p>`
      : html`${all.map(({ fault, target, params, shape }) =>
          pairs([
            ['Name', html`<code>${fault}</code>`],
            ...Object.entries({ ...target, ...params }).map(
              ([name, value]) => [name, html`<code>${String(value)}</code>`] as const,
            ),
            ...(shape.kind === 'sudden' ? [] : [['Shape', shape.kind] as const]),
          ]),
        )}${impact !== undefined && html`<p class="evidence">${impact.affected ? 'User impact: ' : 'No user impact: '}${impact.evidence}</p>`}`,
  )

const journeys = ({ journeys: all }: EpisodeStory): Html | false =>
  all.length > 0 &&
  section(
    'Journeys',
    html`<table class="small"><thead><tr><th scope="col">Journey</th><th scope="col" class="n">Baseline p50</th><th scope="col" class="n">Runs</th><th scope="col" class="n">Failed</th></tr></thead><tbody>${all.map(
      ({ journey, baselineP50, runs, failed }) =>
        html`<tr><th scope="row">${journey}</th><td class="n">${duration(baselineP50)}</td><td class="n">${runs}</td><td class="n${failed > 0 && ' bad'}">${failed}</td></tr>`,
    )}</tbody></table>`,
  )

const changes = ({ changes: all }: EpisodeStory): Html | false => {
  if (all.length === 0) return false
  const changeText = (object: (typeof all)[number]): string =>
    (['added', 'modified', 'deleted'] as const)
      .filter((change) => object[change] > 0)
      .map((change) => (object[change] > 1 ? `${change} ×${object[change]}` : change))
      .join(', ')
  return section(
    'Changed objects',
    html`<details class="fold"><summary>${plural(all.length, 'object')} since the solver started</summary><ul class="changes">${all.map(
      (object) => html`<li><code>${object.object}</code> ${changeText(object)}</li>`,
    )}</ul></details>`,
  )
}

const stages = ({ result }: EpisodeDetails): Html | false => {
  const all = Object.entries(result.stages)
  return all.length > 0 && section('Stages', pairs(all.map(([name, ms]) => [name, duration(ms)] as const)))
}

const notes = ({ result, story, record, missing }: EpisodeDetails): Html => {
  const { failures = [] } = result
  return html`${
    story?.failure !== undefined &&
    html`<p class="notice">The episode failed (${story.failure.blame}, ${story.failure.code}): ${story.failure.message}</p>`
  }${failures.map((failure) => html`<p class="notice">An earlier try failed: ${failure}</p>`)}${
    missing !== undefined && html`<p class="notice">${missing}</p>`
  }<p class="source">Record: <code>${record}</code>${
    story !== undefined &&
    story.cuts > 0 &&
    ` · ${plural(story.cuts, 'long text')} shortened here; the record has the full text`
  }</p>`
}

const LEGEND = {
  served: 'served journey runs',
  failed: 'failed journey runs',
  action: 'action',
  playbook: 'playbook',
  'model-call': 'model call',
  page: 'alert: page',
  ticket: 'alert: ticket',
} as const

const legendKeysOf = ({ entries, alerts }: EpisodeStory): readonly (keyof typeof LEGEND)[] => {
  const drawn: ReadonlySet<string> = new Set([
    ...['served', 'failed'],
    ...entries.map(({ kind }) => kind),
    ...alerts.map(({ severity }) => severity),
  ])
  return (Object.keys(LEGEND) as (keyof typeof LEGEND)[]).filter((key) => drawn.has(key))
}

const chart = (story: EpisodeStory, width: number): Html =>
  html`<figure class="chart"><div class="scroll">${timeline(story, width)}</div><figcaption>${legendKeysOf(story).map((key) => html`<span class="key ${key}">${LEGEND[key]}</span>`)}</figcaption></figure>`

/** `width` is the width of the timeline in pixels. */
export const detailsHtml = (details: EpisodeDetails, width: number): Html => {
  const { result, story } = details
  const verdict = html`<p class="verdict ${result.outcome}"><b>${result.outcome}</b>${
    result.blame !== undefined && html` <span class="blame">blame: ${result.blame}</span>`
  } ${result.reason}</p>`
  if (story === undefined)
    return html`${verdict}${notes(details)}<div class="columns"><div></div><aside>${measures(details)}${stages(details)}</aside></div>`
  return html`${verdict}${chart(story, width)}<div class="columns"><div><h4>Events</h4>${entryList(story)}</div><aside>${judgements(story)}${damage(story)}${faults(story)}${measures(details)}${journeys(story)}${changes(story)}${stages(details)}</aside></div>${notes(details)}`
}
