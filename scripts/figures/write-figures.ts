/** Replaces the figures in a Markdown text with those of the recorded results. */
import type { BenchResult } from '#bench'
import { renderFigures } from './render-figures.ts'

const FIGURES = /<!-- figures:([\w-]+) -->\n[\s\S]*?<!-- \/figures -->/g

/** Rewrites the text between each pair `<!-- figures:NAME -->` and `<!-- /figures -->`. */
export const writeFigures = (markdown: string, readResult: (name: string) => BenchResult): string =>
  markdown.replaceAll(
    FIGURES,
    (_, name: string) =>
      `<!-- figures:${name} -->\n${renderFigures(name, readResult(name))}\n<!-- /figures -->`,
  )
