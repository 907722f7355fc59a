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

const LAST_IN_ORDER = Number.MAX_SAFE_INTEGER
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
    value: (episode) => `${resultOf(episode).system} ${resultOf(episode).task}`,
    show: (episode) => html`${resultOf(episode).system}<p class="second">${resultOf(episode).task}</p>`,
  },
  {
    name: 'Mitigated',
    style: 'n mitigated',
    value: (episode) => resultOf(episode).metrics.timeToMitigate ?? LAST_IN_ORDER,
    show: (episode) => duration(resultOf(episode).metrics.timeToMitigate),
  },
  {
    name: 'Steps',
    style: 'n may-go',
    value: (episode) => resultOf(episode).metrics.steps,
    show: (episode) => resultOf(episode).metrics.steps,
  },
  {
    name: 'Cost',
    style: 'n may-go',
    value: (episode) => resultOf(episode).metrics.costUsd ?? LAST_IN_ORDER,
    show: (episode) => money(resultOf(episode).metrics.costUsd),
  },
  {
    name: 'Failed',
    style: 'n failed-runs',
    value: (episode) => resultOf(episode).metrics.journeyRunsFailed,
    show: (episode) => resultOf(episode).metrics.journeyRunsFailed,
  },
  {
    name: 'Users',
    style: 'users may-go',
    value: (episode) =>
      resultOf(episode).metrics.journeyRunsFailed / (resultOf(episode).metrics.journeyRuns || 1),
    show: ({ details: { story } }) => story !== undefined && sparkline(story.load),
  },
]

const outcomeColumn: Column = {
  name: 'Outcome',
  style: 'outcome',
  value: (episode) => OUTCOMES.indexOf(resultOf(episode).outcome),
  show(episode) {
    const { outcome } = resultOf(episode)
    return html`<span class="badge ${outcome}"><span aria-hidden="true">${OUTCOME_SIGNS[outcome]}</span><span class="word">${outcome}</span></span>`
  },
}

/** Omits columns without information. */
const columnsFor = (episodes: readonly ListedEpisode[], entrants: readonly Entrant[]): readonly Column[] => {
  const isPriced = episodes.some((episode) => (resultOf(episode).metrics.costUsd ?? 0) > 0)
  const hasSeveralEpochs = new Set(episodes.map((episode) => resultOf(episode).epoch)).size > 1
  const contenderColumn: Column = {
    name: entrants.length > 1 ? 'Contender' : 'Epoch',
    style: 'who may-go',
    value: (episode) => `${entrants[episode.entrant]!.name} ${resultOf(episode).epoch}`,
    show: (episode) =>
      html`${
        entrants.length > 1 &&
        html`<span class="dot c${episode.entrant % 6}"></span>${entrants[episode.entrant]!.name}`
      }${hasSeveralEpochs && html`<p class="second">epoch ${resultOf(episode).epoch}</p>`}`,
  }
  return [
    outcomeColumn,
    COLUMNS[0]!,
    ...(entrants.length > 1 || hasSeveralEpochs ? [contenderColumn] : []),
    ...COLUMNS.slice(1).filter(({ name }) => name !== 'Cost' || isPriced),
  ]
}

const wordsOf = (episode: ListedEpisode, contender: string): string => {
  const { problem, faults, categories, system, task, reason } = resultOf(episode)
  return [problem, ...faults, ...categories, system, task, reason, contender, ...episode.targets]
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
  const countOf = (outcome: string): number =>
    episodes.filter((episode) => resultOf(episode).outcome === outcome).length
  return html`<form class="filters" role="search" aria-label="Filter the episodes">
<input type="search" name="words" placeholder="Filter by words" aria-label="Filter by words" autocomplete="off" spellcheck="false">
<fieldset class="outcomes"><legend class="unseen">Outcome</legend>${OUTCOMES.map(
    (outcome) =>
      html`<label class="toggle ${outcome}"><input type="checkbox" name="outcome" value="${outcome}" checked> ${outcome} <b>${countOf(outcome)}</b></label>`,
  )}</fieldset>
${choice(
  'category',
  'All categories',
  categories.map((category) => [category, category] as const),
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
