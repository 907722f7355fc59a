/** All about one episode: its timeline, what the solver did, and what the judges found. */
import { entryList } from './entries.ts'
import { count, duration, money, percent, plural } from './format.ts'
import { type Html, html, type Part } from './html.ts'
import type { EpisodeDetails, EpisodeStory } from './story.ts'
import { timeline } from './timeline.ts'

const ORACLES: Readonly<Record<string, string>> = {
  'users-served': 'Users are served',
  'nothing-broken': 'Nothing else was broken',
  'cause-gone': 'The cause is gone',
  detection: 'Detection',
  localisation: 'Localisation',
  analysis: 'Analysis',
}

const section = (name: string, body: Part): Html => html`<section><h4>${name}</h4>${body}</section>`

const judgements = ({ judgements: all }: EpisodeStory): Html | false =>
  all.length > 0 &&
  section(
    'Judgements',
    html`<ul class="judgements">${all.map(
      ({ oracle, holds, evidence }) =>
        html`<li class="${holds ? 'holds' : 'fails'}"><b>${ORACLES[oracle] ?? oracle}</b><span class="unseen">${holds ? ': yes' : ': no'}</span><p>${evidence}</p></li>`,
    )}</ul>`,
  )

const damage = ({ damage: all }: EpisodeStory): Html | false =>
  all.length > 0 &&
  section(
    'Damage',
    html`<ul class="damage">${all.map(({ object, what }) => html`<li><code>${object}</code> ${what}</li>`)}</ul>`,
  )

const pairs = (all: readonly (readonly [name: string, value: Part])[]): Html =>
  html`<dl class="pairs">${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

const lostShare = (lost: number, walks: number): string =>
  `${lost} of ${walks}${walks > 0 ? ` (${percent(lost / walks)})` : ''}`

const measures = ({ result, story }: EpisodeDetails): Html => {
  const { metrics } = result
  const time = (name: string, ms: number | undefined): readonly (readonly [string, string])[] =>
    ms === undefined ? [] : [[name, duration(ms)]]
  const budget = story?.budget
  return section(
    'Measures',
    pairs([
      ...time('Detected after', metrics.timeToDetect),
      ...time('Localised after', metrics.timeToLocalise),
      ...time('Analysed after', metrics.timeToAnalyse),
      ...time('Mitigated after', metrics.timeToMitigate),
      ...(metrics.rank === undefined ? [] : [['Rank of the culprit', metrics.rank] as const]),
      ['Steps', budget === undefined ? metrics.steps : `${metrics.steps} of ${budget.steps}`],
      ...(metrics.tokens.input + metrics.tokens.output === 0
        ? []
        : [
            ['Tokens', `${count(metrics.tokens.input)} in, ${count(metrics.tokens.output)} out`] as const,
            ['Cost', money(metrics.costUsd)] as const,
          ]),
      ['Walks lost', lostShare(metrics.walksLost, metrics.walks)],
      ['Collateral damage', metrics.collateralDamage],
      ...(result.tries > 1 ? [['Begun', `${result.tries} times`] as const] : []),
    ]),
  )
}

const faults = ({ faults: all, shown }: EpisodeStory): Html =>
  section(
    all.length > 1 ? 'Faults' : 'Fault',
    all.length === 0
      ? html`<p>None: a control in which nothing is wrong.</p>`
      : html`${all.map(({ fault, target, params, shape }) =>
          pairs([
            ['Name', html`<code>${fault}</code>`],
            ...Object.entries({ ...target, ...params }).map(
              ([name, value]) => [name, html`<code>${String(value)}</code>`] as const,
            ),
            ...(shape.kind === 'sudden' ? [] : [['Shape', shape.kind] as const]),
          ]),
        )}${shown !== undefined && html`<p class="evidence">${shown.isShown ? 'Felt: ' : 'Not felt: '}${shown.evidence}</p>`}`,
  )

const journeys = ({ journeys: all }: EpisodeStory): Html | false =>
  all.length > 0 &&
  section(
    'Journeys',
    html`<table class="small"><thead><tr><th scope="col">Journey</th><th scope="col" class="n">Usual p50</th><th scope="col" class="n">Walks</th><th scope="col" class="n">Lost</th></tr></thead><tbody>${all.map(
      ({ journey, usualP50, walks, lost }) =>
        html`<tr><th scope="row">${journey}</th><td class="n">${duration(usualP50)}</td><td class="n">${walks}</td><td class="n${lost > 0 && ' bad'}">${lost}</td></tr>`,
    )}</tbody></table>`,
  )

const changes = ({ changes: all }: EpisodeStory): Html | false => {
  if (all.length === 0) return false
  const words = (one: (typeof all)[number]): string =>
    (['added', 'modified', 'deleted'] as const)
      .filter((change) => one[change] > 0)
      .map((change) => (one[change] > 1 ? `${change} ×${one[change]}` : change))
      .join(', ')
  return section(
    'Changed objects',
    html`<details class="fold"><summary>${plural(all.length, 'object')} since the solver began</summary><ul class="changes">${all.map(
      (one) => html`<li><code>${one.object}</code> ${words(one)}</li>`,
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
    html`<p class="notice">The laboratory failed (${story.failure.blame}, ${story.failure.code}): ${story.failure.message}</p>`
  }${failures.map((failure) => html`<p class="notice">An earlier try failed: ${failure}</p>`)}${
    missing !== undefined && html`<p class="notice">${missing}</p>`
  }<p class="source">Record: <code>${record}</code>${
    story !== undefined &&
    story.cuts > 0 &&
    ` · ${plural(story.cuts, 'long text')} shortened here, whole there`
  }</p>`
}

const KEYS = {
  served: 'walks served',
  failed: 'failed',
  action: 'action',
  playbook: 'playbook',
  asked: 'model asked',
  page: 'alert: page',
  ticket: 'alert: ticket',
} as const

const keysOf = ({ entries, alerts }: EpisodeStory): readonly (keyof typeof KEYS)[] => {
  const drawn: ReadonlySet<string> = new Set([
    ...['served', 'failed'],
    ...entries.map(({ kind }) => kind),
    ...alerts.map(({ severity }) => severity),
  ])
  return (Object.keys(KEYS) as (keyof typeof KEYS)[]).filter((key) => drawn.has(key))
}

const chart = (story: EpisodeStory, width: number): Html =>
  html`<figure class="chart"><div class="scroll">${timeline(story, width)}</div><figcaption>${keysOf(story).map((key) => html`<span class="key ${key}">${KEYS[key]}</span>`)}</figcaption></figure>`

/** `width`: pixels that there are for the timeline. */
export const detailsHtml = (details: EpisodeDetails, width: number): Html => {
  const { result, story } = details
  const verdict = html`<p class="verdict ${result.outcome}"><b>${result.outcome}</b>${
    result.blame !== undefined && html` <span class="blame">blame: ${result.blame}</span>`
  } ${result.reason}</p>`
  if (story === undefined)
    return html`${verdict}${notes(details)}<div class="columns"><div></div><aside>${measures(details)}${stages(details)}</aside></div>`
  return html`${verdict}${chart(story, width)}<div class="columns"><div><h4>What happened</h4>${entryList(story)}</div><aside>${judgements(story)}${damage(story)}${faults(story)}${measures(details)}${journeys(story)}${changes(story)}${stages(details)}</aside></div>${notes(details)}`
}
