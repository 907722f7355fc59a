/** The head of the page: a description of the run. */

import { type Contender, VARIANT_TEXTS, variantOf } from '#spec'
import type { ReportedRun } from '../reported-run.ts'
import { date, plural } from '../view/format.ts'
import { type Html, html, type Part } from '../view/html.ts'

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)]

/** Lists up to four names; shows only the number if there are more. */
const namesText = (values: readonly string[], noun: string): string =>
  values.length > 4 ? `${values.length} ${noun}` : values.join(', ')

const modelsOf = (contenders: readonly Contender[]): readonly string[] =>
  unique(contenders.flatMap(({ models }) => Object.values(models)))

const systemsOf = ({ manifest }: ReportedRun): readonly string[] =>
  unique(manifest.problems.map(({ system }) => system))

/** `easy on simple-micro` */
export const titleOf = (run: ReportedRun): string =>
  `${namesText(run.manifest.suites, 'suites')} on ${namesText(systemsOf(run), 'systems')}`

/** `1175444e02ab`, or `1175444e02ab with changes` */
const commitOf = ({ manifest }: ReportedRun): Html => {
  const [commit = '', ...changes] = manifest.commit.split(' ')
  return html`<code>${commit.slice(0, 12)}</code>${changes.map((word) => ` ${word}`)}`
}

/** Does not show the seed of a private variant: a reader of the report could draw its problems. */
const variantText = ({ manifest }: ReportedRun): Html => {
  const variant = variantOf(manifest)
  return variant === 'seeded'
    ? html`drawn from the seed <code>${manifest.seed}</code>`
    : html`${VARIANT_TEXTS[variant]}`
}

const factsOf = (run: ReportedRun): readonly (readonly [string, Part])[] => {
  const { manifest } = run
  const models = modelsOf(manifest.contenders)
  return [
    ['Agent', namesText(unique(manifest.contenders.map(({ agent }) => agent)), 'agents')],
    ...(models.length === 0 ? [] : [['Model', namesText(models, 'models')] as const]),
    ['Problems', manifest.problems.length],
    ...(manifest.epochs > 1 ? [['Epochs', manifest.epochs] as const] : []),
    ['Engine', manifest.engine],
    ['Started', date(manifest.created)],
    ['Commit', commitOf(run)],
    ['Version', manifest.version],
    ['Variant', variantText(run)],
    ...(manifest.rollback === 'never' ? [] : [['Rollback', manifest.rollback] as const]),
  ]
}

const factsHtml = (run: ReportedRun): Html =>
  html`<dl class="facts-row">${factsOf(run).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p class="command"><code>${run.manifest.command}</code></p>`

const runsTable = (runs: readonly ReportedRun[]): Html =>
  html`<div class="scroll"><table class="runs"><caption class="unseen">Runs</caption><thead><tr><th scope="col">Run</th><th scope="col">Suites</th><th scope="col">Agent</th><th scope="col">Model</th><th scope="col" class="n">Problems</th><th scope="col" class="n">Epochs</th><th scope="col">Engine</th><th scope="col">Started</th><th scope="col">Commit</th><th scope="col">Version</th><th scope="col">Variant</th><th scope="col">Rollback</th></tr></thead><tbody>${runs.map(
    (run) =>
      html`<tr><th scope="row">${run.name}</th><td>${titleOf(run)}<p class="command"><code>${run.manifest.command}</code></p></td><td>${namesText(unique(run.manifest.contenders.map(({ agent }) => agent)), 'agents')}</td><td>${namesText(modelsOf(run.manifest.contenders), 'models') || '–'}</td><td class="n">${run.manifest.problems.length}</td><td class="n">${run.manifest.epochs}</td><td>${run.manifest.engine}</td><td>${date(run.manifest.created)}</td><td>${commitOf(run)}</td><td>${run.manifest.version}</td><td>${variantText(run)}</td><td>${run.manifest.rollback}</td></tr>`,
  )}</tbody></table></div>`

export const pageTitle = (runs: readonly ReportedRun[]): string =>
  runs.length === 1 ? titleOf(runs[0]!) : `Comparison of ${plural(runs.length, 'run')}`

export const runFacts = (runs: readonly ReportedRun[]): Html =>
  runs.length === 1 ? factsHtml(runs[0]!) : runsTable(runs)
