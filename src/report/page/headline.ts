/** The figures that one looks at first: tiles for one contender, a table for several. */

import type { Entrant } from '../summary/entrants.ts'
import { count, duration, money, percent, plural } from '../view/format.ts'
import { type Html, html, type Part } from '../view/html.ts'
import { meter, shareText } from './meter.ts'

const blames = ({ voided }: Entrant): string =>
  Object.entries(voided)
    .map(([blame, number]) => `${number} ${blame}`)
    .join(', ')

const lostShare = ({ walks, walksLost }: Entrant): string => (walks === 0 ? '–' : percent(walksLost / walks))

const tokensOf = ({ summary: { tokens } }: Entrant): number => tokens.input + tokens.output

/** Of the most tries that half of the problems have, since void ones are none; nothing where there was one. */
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
  const each =
    costUsd === undefined
      ? 'prices are not known'
      : episodes === 0
        ? ''
        : `${money(costUsd / episodes)} an episode`
  return [
    tile('Tokens', count(tokensOf(entrant)), `${count(tokens.input)} in, ${count(tokens.output)} out`),
    tile('Cost', money(costUsd), each),
  ]
}

const answerTiles = ({ summary: { answers } }: Entrant): readonly Html[] => {
  const { detection, top, exactMatch } = answers
  return [
    ...(detection === undefined
      ? []
      : [tile('Detection, F1', percent(detection.f1), `false alarms ${percent(detection.falseAlarms)}`)]),
    ...(top === undefined
      ? []
      : [tile('Localisation', percent(top[1]), `named first; in the first 3: ${percent(top[3])}`)]),
    ...(exactMatch === undefined ? [] : [tile('Analysis', percent(exactMatch), 'layer and type right')]),
  ]
}

const tiles = (entrant: Entrant): Html => {
  const { summary, damage, missing } = entrant
  const { voided, medians } = summary
  return html`<dl class="tiles">${passTiles(entrant)}
${tile('Time to mitigate', duration(medians.timeToMitigate), 'median of those resolved')}
${tile('Steps', medians.steps === undefined ? '–' : count(medians.steps), 'median')}
${modelTiles(entrant)}
${tile('User requests lost', lostShare(entrant), `${count(entrant.walksLost)} of ${count(entrant.walks)} walks`)}
${tile('Collateral damage', count(damage), damage === 0 ? 'nothing else was broken' : plural(damage, 'object'))}
${answerTiles(entrant)}
${tile('Void', voided, voided === 0 ? 'every episode counts' : blames(entrant))}
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

/** What is told of tasks that want answers; only where somebody had such. */
const ANSWER_COLUMNS: readonly (readonly [heading: string, of: (entrant: Entrant) => number | undefined])[] =
  [
    ['Detection, F1', ({ summary }) => summary.answers.detection?.f1],
    ['False alarms', ({ summary }) => summary.answers.detection?.falseAlarms],
    ['Named first', ({ summary }) => summary.answers.top?.[1]],
    ['In first 3', ({ summary }) => summary.answers.top?.[3]],
    ['Analysis', ({ summary }) => summary.answers.exactMatch],
  ]

interface Columns {
  readonly isPass: boolean
  readonly answers: typeof ANSWER_COLUMNS
}

const row = (entrant: Entrant, index: number, { isPass, answers }: Columns): Html => {
  const { name, summary, missing } = entrant
  const { medians } = summary
  const figures: readonly Part[] = [
    duration(medians.timeToMitigate),
    medians.steps === undefined ? '–' : count(medians.steps),
    count(tokensOf(entrant)),
    money(summary.costUsd),
    lostShare(entrant),
    count(entrant.damage),
    ...answers.map(([, of]) => percent(of(entrant))),
  ]
  return html`<tr><th scope="row"><span class="dot c${index % 6}"></span>${name}</th><td class="n strong">${shareText(summary)}</td><td class="wide">${meter(summary, index % 6)}</td><td class="n quiet">${summary.resolved} of ${summary.episodes}</td>${
    isPass && passCells(entrant)
  }${figures.map((figure) => html`<td class="n">${figure}</td>`)}<td class="n" title="${blames(entrant)}">${summary.voided}${missing > 0 && html` <span class="note">+${missing} not played</span>`}</td></tr>`
}

const comparison = (entrants: readonly Entrant[]): Html => {
  const isPass = entrants.some((entrant) => passOf(entrant) !== undefined)
  const answers = ANSWER_COLUMNS.filter(([, of]) => entrants.some((entrant) => of(entrant) !== undefined))
  const headings = [
    ...['Episodes', ...(isPass ? ['pass@k', 'pass^k'] : []), 'Mitigated', 'Steps', 'Tokens', 'Cost'],
    ...['Lost', 'Damage', ...answers.map(([heading]) => heading), 'Void'],
  ]
  return html`<div class="scroll" tabindex="0"><table class="comparison"><caption class="unseen">Contenders side by side</caption><thead><tr><th scope="col">Contender</th><th scope="col" class="n">Resolved</th><th scope="col" class="wide">95 % interval</th>${headings.map(
    (name) => html`<th scope="col" class="n">${name}</th>`,
  )}</tr></thead><tbody>${entrants.map((entrant, index) => row(entrant, index, { isPass, answers }))}</tbody></table></div>`
}

export const headline = (entrants: readonly Entrant[]): Html =>
  entrants.length === 1
    ? html`<section class="headline" aria-label="Result">${hero(entrants[0]!)}${tiles(entrants[0]!)}</section>`
    : html`<section aria-labelledby="h-contenders"><h2 id="h-contenders">Contenders</h2>${comparison(entrants)}</section>`
