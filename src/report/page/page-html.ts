/** The whole page, put together. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { ReportedRun } from '../reported-run.ts'
import type { Breakdown } from '../summary/breakdowns.ts'
import type { Entrant } from '../summary/entrants.ts'
import type { Shortfall } from '../summary/shortfalls.ts'
import { html, raw } from '../view/html.ts'
import { breakdownCards } from './breakdown-cards.ts'
import { episodeTable } from './episode-table.ts'
import { headline } from './headline.ts'
import type { ListedEpisode } from './listed-episode.ts'
import { matrix, strip } from './matrix.ts'
import { pageTitle, runFacts } from './run-facts.ts'

export interface PageContent {
  readonly runs: readonly ReportedRun[]
  readonly entrants: readonly Entrant[]
  readonly breakdowns: readonly Breakdown[]
  readonly shortfalls: readonly Shortfall[]
  readonly episodes: readonly ListedEpisode[]
  /** How many characters of one text are kept. */
  readonly mostText: number
}

const pack = ({ details }: ListedEpisode): string =>
  deflateSync(JSON.stringify(details), { level: 9 }).toString('base64')

/** What comes later wins. */
const STYLES = ['base', 'head', 'figures', 'cards', 'episodes', 'details', 'timeline', 'entries', 'screens']

const readStyle = (): string =>
  STYLES.map((name) => readFileSync(join(import.meta.dirname, 'style', `${name}.css`), 'utf8')).join('\n')

/** Nothing is fetched, and no script runs but this one, whatever a record may hold. */
const policy = (script: string): string => {
  const hash = createHash('sha256').update(script).digest('base64')
  return `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
}

export const pageHtml = (content: PageContent, script: string): string => {
  const { runs, entrants, breakdowns, shortfalls, episodes, mostText } = content
  const title = pageTitle(runs)
  const problems = matrix(episodes, entrants)
  const longest = mostText.toLocaleString('en-GB')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Remedium ${runs[0]!.manifest.version}">
<title>${title} · Remedium</title>
<style>${raw(readStyle())}</style>
</head>
<body>
<a class="skip" href="#episodes">To the episodes</a>
<main>
<header><p class="brand">Remedium</p><h1>${title}</h1>${runFacts(runs)}</header>
${headline(entrants)}
${entrants.length === 1 && problems === false && strip(episodes)}
${breakdownCards(breakdowns, shortfalls, entrants)}
${problems}
${episodeTable(episodes, entrants)}
<footer><p>An episode is <b>resolved</b> when users are served again, nothing else was broken and the cause is gone. <b>Void</b> ones, which are not the agent’s fault, count in no share. Intervals are Wilson’s, at 95 %. <b>pass@k</b>: at least one of k tries succeeds; <b>pass^k</b>: all of them do. A <b>walk</b> is one user’s way through a journey. Texts of more than ${longest} characters are shortened; the run’s folder has them whole.</p></footer>
</main>
${episodes.map((episode) => html`<script type="text/plain" id="story-${episode.number}">${raw(pack(episode))}</script>\n`)}<script>${raw(script)}</script>
</body>
</html>
`.text
}
