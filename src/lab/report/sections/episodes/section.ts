/** The list of episodes; the script of the page filters, sorts and opens them. */

import { anchorOf, type ListedEpisode, OUTCOME_SIGNS } from '../../page/listed-episode.ts'
import { defineSection, type PageContent } from '../../page/report-section.ts'
import type { Entrant } from '../../summary/entrants.ts'
import { duration, money } from '../../view/format.ts'
import { type Html, html, type Part } from '../../view/html.ts'
import { sparkline } from './sparkline.ts'

interface Column {
  readonly name: string
  readonly style?: string
  /** The sort key. */
  value(episode: ListedEpisode): string | number
  show(episode: ListedEpisode): Part
}

const NEVER = Number.MAX_SAFE_INTEGER
const OUTCOMES = ['resolved', 'unresolved', 'void'] as const

const resultOf = ({ details }: ListedEpisode) => details.result

const problemCell = (episode: ListedEpisode): Html => {
  const { faults, problem } = resultOf(episode)
  return html`<button type="button" class="opener" aria-expanded="false" title="${problem}"><span class="chevron" aria-hidden="true"></span><span class="dot narrow c${episode.entrant % 6}" aria-hidden="true"></span><b>${faults.join(' + ') || 'control'}</b> <span class="quiet">${episode.targets.join(', ')}</span></button><p class="reason">${resultOf(episode).reason}</p>`
}

const COLUMNS: readonly Column[] = [
  {
    name: 'Problem',
    style: 'problem',
    value: (episode) => `${resultOf(episode).faults.join(' ')} ${resultOf(episode).problem}`,
    show: problemCell,
  },
  {
    name: 'System',
    style: 'system may-go',
    value: (one) => `${resultOf(one).system} ${resultOf(one).task}`,
    show: (one) => html`${resultOf(one).system}<p class="second">${resultOf(one).task}</p>`,
  },
  {
    name: 'Mitigated',
    style: 'n mitigated',
    value: (one) => resultOf(one).metrics.timeToMitigate ?? NEVER,
    show: (one) => duration(resultOf(one).metrics.timeToMitigate),
  },
  {
    name: 'Steps',
    style: 'n may-go',
    value: (one) => resultOf(one).metrics.steps,
    show: (one) => resultOf(one).metrics.steps,
  },
  {
    name: 'Cost',
    style: 'n may-go',
    value: (one) => resultOf(one).metrics.costUsd ?? NEVER,
    show: (one) => money(resultOf(one).metrics.costUsd),
  },
  {
    name: 'Failed',
    style: 'n failed-runs',
    value: (one) => resultOf(one).metrics.journeyRunsFailed,
    show: (one) => resultOf(one).metrics.journeyRunsFailed,
  },
  {
    name: 'Users',
    style: 'users may-go',
    value: (one) => resultOf(one).metrics.journeyRunsFailed / (resultOf(one).metrics.journeyRuns || 1),
    show: ({ details: { story } }) => story !== undefined && sparkline(story.load),
  },
]

const outcomeColumn: Column = {
  name: 'Outcome',
  style: 'outcome',
  value: (one) => OUTCOMES.indexOf(resultOf(one).outcome),
  show(one) {
    const { outcome } = resultOf(one)
    return html`<span class="badge ${outcome}"><span aria-hidden="true">${OUTCOME_SIGNS[outcome]}</span><span class="word">${outcome}</span></span>`
  },
}

/** Omits columns without information. */
const columnsFor = (episodes: readonly ListedEpisode[], entrants: readonly Entrant[]): readonly Column[] => {
  const isPriced = episodes.some((one) => (resultOf(one).metrics.costUsd ?? 0) > 0)
  const isRepeated = new Set(episodes.map((one) => resultOf(one).epoch)).size > 1
  const who: Column = {
    name: entrants.length > 1 ? 'Contender' : 'Epoch',
    style: 'who may-go',
    value: (one) => `${entrants[one.entrant]!.name} ${resultOf(one).epoch}`,
    show: (one) =>
      html`${
        entrants.length > 1 &&
        html`<span class="dot c${one.entrant % 6}"></span>${entrants[one.entrant]!.name}`
      }${isRepeated && html`<p class="second">epoch ${resultOf(one).epoch}</p>`}`,
  }
  return [
    outcomeColumn,
    COLUMNS[0]!,
    ...(entrants.length > 1 || isRepeated ? [who] : []),
    ...COLUMNS.slice(1).filter(({ name }) => name !== 'Cost' || isPriced),
  ]
}

const wordsOf = (episode: ListedEpisode, who: string): string => {
  const { problem, faults, categories, system, task, reason } = resultOf(episode)
  return [problem, ...faults, ...categories, system, task, reason, who, ...episode.targets]
    .join(' ')
    .toLowerCase()
}

const categoriesOf = (episode: ListedEpisode): readonly string[] => {
  const { categories } = resultOf(episode)
  return categories.length === 0 ? ['control'] : categories
}

const row = (episode: ListedEpisode, columns: readonly Column[], entrants: readonly Entrant[]): Html => {
  const { outcome } = resultOf(episode)
  return html`<tr class="episode ${outcome}" id="${anchorOf(episode.number)}" data-number="${episode.number}" data-outcome="${outcome}" data-categories="${categoriesOf(episode).join(' ')}" data-entrant="${episode.entrant}" data-words="${wordsOf(episode, entrants[episode.entrant]!.name)}">${columns.map(
    (column) =>
      html`<td class="${column.style}" data-value="${column.value(episode)}">${column.show(episode)}</td>`,
  )}</tr>`
}

const choice = (name: string, label: string, values: readonly (readonly [string, string])[]): Html | false =>
  values.length > 1 &&
  html`<label><span class="unseen">${label}</span><select name="${name}"><option value="">${label}</option>${values.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>`

const filters = (episodes: readonly ListedEpisode[], entrants: readonly Entrant[]): Html => {
  const categories = [...new Set(episodes.flatMap(categoriesOf))].sort()
  const number = (outcome: string): number =>
    episodes.filter((one) => resultOf(one).outcome === outcome).length
  return html`<form class="filters" role="search" aria-label="Filter the episodes">
<input type="search" name="words" placeholder="Filter by words" aria-label="Filter by words" autocomplete="off" spellcheck="false">
<fieldset class="outcomes"><legend class="unseen">Outcome</legend>${OUTCOMES.map(
    (outcome) =>
      html`<label class="toggle ${outcome}"><input type="checkbox" name="outcome" value="${outcome}" checked> ${outcome} <b>${number(outcome)}</b></label>`,
  )}</fieldset>
${choice(
  'category',
  'All categories',
  categories.map((one) => [one, one] as const),
)}
${choice(
  'entrant',
  'All contenders',
  entrants.map(({ name }, index) => [String(index), name] as const),
)}
<output class="quiet" aria-live="polite"></output></form>`
}

const episodeTable = ({ episodes, entrants }: PageContent): Html => {
  const columns = columnsFor(episodes, entrants)
  return html`<section aria-labelledby="h-episodes" id="episodes"><h2 id="h-episodes">Episodes</h2>${filters(episodes, entrants)}
<table class="episodes ${entrants.length > 1 && 'many-entrants'}"><thead><tr>${columns.map(
    ({ name, style }) =>
      html`<th scope="col" class="${style}" aria-sort="none"><button type="button">${name}</button></th>`,
  )}</tr></thead><tbody>${episodes.map((episode) => row(episode, columns, entrants))}</tbody></table>${
    episodes.length === 0 && html`<p class="notice">No episode is finished yet.</p>`
  }<noscript><p class="notice">Episodes can be opened only with JavaScript.</p></noscript></section>`
}

export const section = defineSection({ order: 50, render: episodeTable })
