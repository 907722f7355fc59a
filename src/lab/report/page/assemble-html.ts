/** Assembles the HTML of the page. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { html, raw } from '../view/html.ts'
import type { ListedEpisode } from './listed-episode.ts'
import type { loadSections, PageContent } from './report-section.ts'
import { pageTitle, runFacts } from './run-facts.ts'

/** Loaded once, and used for every attempt to make the page small enough. */
export interface PageParts {
  readonly script: string
  readonly sections: Awaited<ReturnType<typeof loadSections>>
}

const pack = ({ details }: ListedEpisode): string =>
  deflateSync(JSON.stringify(details), { level: 9 }).toString('base64')

const readStyle = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'style', `${name}.css`), 'utf8')

/** Later rules override earlier ones. */
const joinStyles = ({ sections }: PageParts): string =>
  [
    ...['base', 'head', 'figures'].map(readStyle),
    ...sections.map(({ style }) => style),
    ...['details', 'timeline', 'entries', 'screens'].map(readStyle),
  ].join('\n')

/** Allows no requests, and only this script, regardless of the content of records. */
const securityPolicy = (script: string): string => {
  const hash = createHash('sha256').update(script).digest('base64')
  return `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
}

export const assembleHtml = (content: PageContent, parts: PageParts): string => {
  const { runs, episodes, maxTextCharacters } = content
  const { script, sections } = parts
  const title = pageTitle(runs)
  const limit = maxTextCharacters.toLocaleString('en-GB')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${securityPolicy(script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Remedium ${runs[0]!.manifest.version}">
<title>${title} · Remedium</title>
<style>${raw(joinStyles(parts))}</style>
</head>
<body>
<a class="skip" href="#episodes">Skip to the episodes</a>
<main>
<header><p class="brand">Remedium</p><h1>${title}</h1>${runFacts(runs)}</header>
${sections.map((section) => html`${section.render(content)}\n`)}<footer><p>An episode is <b>resolved</b> if users are served again, nothing else was broken and the cause is gone. <b>Void</b> episodes could not be judged, for reasons that are not the agent’s fault; they do not count in any share. Intervals are 95 % confidence intervals, clustered by problem, because several tries of one problem are not independent. <b>pass@k</b>: at least one of k tries succeeds. <b>pass^k</b>: all of k tries succeed. A <b>journey run</b> is one pass of a user through a journey. Texts of more than ${limit} characters are shortened; the run folder has the full texts.</p></footer>
</main>
${episodes.map((episode) => html`<script type="text/plain" id="story-${episode.number}">${raw(pack(episode))}</script>\n`)}<script>${raw(script)}</script>
</body>
</html>
`.text
}
