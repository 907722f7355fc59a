/** The main figures: tiles for one contender, a table for several. */
import { QUESTIONS, SCORE_FIGURES } from '#spec'
import { meter, shareText } from '../../page/meter.ts'
import { defineSection } from '../../page/report-section.ts'
import type { Entrant } from '../../summary/entrants.ts'
import { capitalise, count, duration, money, percent, plural } from '../../view/format.ts'
import { type Html, html, type Part } from '../../view/html.ts'

const blameCounts = ({ voided }: Entrant): string =>
  Object.entries(voided)
    .map(([blame, number]) => `${number} ${blame}`)
    .join(', ')

const failedShare = ({ journeyRuns, journeyRunsFailed }: Entrant): string =>
  journeyRuns === 0 ? '–' : percent(journeyRunsFailed / journeyRuns)

const tokensOf = ({ summary: { tokens } }: Entrant): number => tokens.input + tokens.output

/** Returns the figures of the largest k above 1 for which at least half of the problems have k judged tries. */
const passOf = ({ summary: { passes } }: Entrant) =>
  passes.findLast(({ k, problems }) => k > 1 && problems * 2 >= passes[0]!.problems)

const tile = (name: string, value: Part, note?: Part): Html =>
  html`<div class="tile"><dt>${name}</dt><dd><b>${value}</b>${note !== undefined && html`<span>${note}</span>`}</dd></div>`

const passTiles = (entrant: Entrant): readonly Html[] => {
  const pass = passOf(entrant)
  return pass === undefined
    ? []
    : [
        tile(`pass@${pass.k}`, percent(pass.atLeastOne), `at least one of ${pass.k} tries`),
        tile(`pass^${pass.k}`, percent(pass.all), `all of ${pass.k} tries`),
      ]
}

const modelTiles = (entrant: Entrant): readonly Html[] => {
  const { tokens, costUsd, episodes } = entrant.summary
  if (tokensOf(entrant) === 0 && costUsd === 0) return []
  const costNote =
    costUsd === undefined ? 'unknown price' : episodes === 0 ? '' : `${money(costUsd / episodes)} per episode`
  return [
    tile('Tokens', count(tokensOf(entrant)), `${count(tokens.input)} in, ${count(tokens.output)} out`),
    tile('Cost', money(costUsd), costNote),
  ]
}

/** One tile for each question that was asked: its first figure, with the others in the note. */
const answerTiles = ({ summary: { answers } }: Entrant): readonly Html[] =>
  QUESTIONS.flatMap(({ name, figures: [first, ...others] }) => {
    if ([first!, ...others].every(({ valueIn }) => valueIn(answers) === undefined)) return []
    const notes = others.map(({ note, valueIn }) => `${note}: ${percent(valueIn(answers))}`)
    return [tile(capitalise(name), percent(first!.valueIn(answers)), [first!.note, ...notes].join('; '))]
  })

const tiles = (entrant: Entrant): Html => {
  const { summary, damage, missing } = entrant
  const { voided, medians } = summary
  return html`<dl class="tiles">${passTiles(entrant)}
${tile('Time to mitigate', duration(medians.timeToMitigate), 'median of resolved episodes')}
${tile('Steps', medians.steps === undefined ? '–' : count(medians.steps), 'median')}
${modelTiles(entrant)}
${tile('Failed journey runs', failedShare(entrant), `${count(entrant.journeyRunsFailed)} of ${count(entrant.journeyRuns)}`)}
${tile('Collateral damage', count(damage), damage === 0 ? 'nothing else was broken' : plural(damage, 'object'))}
${answerTiles(entrant)}
${tile('Void', voided, voided === 0 ? 'all episodes were judged' : blameCounts(entrant))}
${missing > 0 && tile('Not played', missing, 'the run is not complete')}</dl>`
}

const hero = ({ summary }: Entrant): Html => {
  const { low, high } = summary.interval
  return html`<div class="hero"><p class="figure">${shareText(summary)}</p><div><p class="sentence"><b>${summary.resolved} of ${summary.episodes}</b> episodes resolved</p>${meter(summary)}<p class="note">95 % interval ${percent(low)} to ${percent(high)}</p></div></div>`
}

const passCells = (entrant: Entrant): Html => {
  const pass = passOf(entrant)
  return pass === undefined
    ? html`<td class="n">–</td><td class="n">–</td>`
    : html`<td class="n">${percent(pass.atLeastOne)} <span class="quiet">@${pass.k}</span></td><td class="n">${percent(pass.all)} <span class="quiet">^${pass.k}</span></td>`
}

/** Columns for tasks that ask for answers; shown if a contender had such tasks. */
const ANSWER_COLUMNS: readonly (readonly [
  heading: string,
  figureOf: (entrant: Entrant) => number | undefined,
])[] = SCORE_FIGURES.map(({ heading, valueIn }) => [heading, ({ summary }) => valueIn(summary.answers)])

interface Columns {
  readonly hasPass: boolean
  readonly answers: typeof ANSWER_COLUMNS
}

const row = (entrant: Entrant, index: number, { hasPass, answers }: Columns): Html => {
  const { name, summary, missing } = entrant
  const { medians } = summary
  const figures: readonly Part[] = [
    duration(medians.timeToMitigate),
    medians.steps === undefined ? '–' : count(medians.steps),
    count(tokensOf(entrant)),
    money(summary.costUsd),
    failedShare(entrant),
    count(entrant.damage),
    ...answers.map(([, figureOf]) => percent(figureOf(entrant))),
  ]
  return html`<tr><th scope="row"><span class="dot c${index % 6}"></span>${name}</th><td class="n strong">${shareText(summary)}</td><td class="wide">${meter(summary, index % 6)}</td><td class="n quiet">${summary.resolved} of ${summary.episodes}</td>${
    hasPass && passCells(entrant)
  }${figures.map((figure) => html`<td class="n">${figure}</td>`)}<td class="n" title="${blameCounts(entrant)}">${summary.voided}${missing > 0 && html` <span class="note">+${missing} not played</span>`}</td></tr>`
}

const comparison = (entrants: readonly Entrant[]): Html => {
  const hasPass = entrants.some((entrant) => passOf(entrant) !== undefined)
  const answers = ANSWER_COLUMNS.filter(([, figureOf]) =>
    entrants.some((entrant) => figureOf(entrant) !== undefined),
  )
  const headings = [
    ...['Episodes', ...(hasPass ? ['pass@k', 'pass^k'] : []), 'Mitigated', 'Steps', 'Tokens', 'Cost'],
    ...['Failed runs', 'Damage', ...answers.map(([heading]) => heading), 'Void'],
  ]
  return html`<div class="scroll" tabindex="0"><table class="comparison"><caption class="unseen">Comparison of the contenders</caption><thead><tr><th scope="col">Contender</th><th scope="col" class="n">Resolved</th><th scope="col" class="wide">95 % interval</th>${headings.map(
    (name) => html`<th scope="col" class="n">${name}</th>`,
  )}</tr></thead><tbody>${entrants.map((entrant, index) => row(entrant, index, { hasPass, answers }))}</tbody></table></div>`
}

export const section = defineSection({
  order: 10,
  render: ({ entrants }) =>
    entrants.length === 1
      ? html`<section class="headline" aria-label="Result">${hero(entrants[0]!)}${tiles(entrants[0]!)}</section>`
      : html`<section aria-labelledby="h-contenders"><h2 id="h-contenders">Contenders</h2>${comparison(entrants)}</section>`,
})
