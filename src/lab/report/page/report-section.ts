/** A section of the page. The page lists the folders of sections/; each has a `section.ts`, and may have a `style.css`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportedRun } from '../reported-run.ts'
import type { Entrant } from '../summary/entrants.ts'
import type { Html } from '../view/html.ts'
import type { ListedEpisode } from './listed-episode.ts'

export interface PageContent {
  readonly runs: readonly ReportedRun[]
  readonly entrants: readonly Entrant[]
  readonly episodes: readonly ListedEpisode[]
  /** The maximum length of each text from a record. */
  readonly maxTextCharacters: number
}

export interface ReportSection {
  /** Sections are sorted by it. */
  readonly order: number
  /** Returns false if the section has nothing to show. */
  render(content: PageContent): Html | false
}

export const defineSection = (section: ReportSection): ReportSection => section

const FOLDER = join(import.meta.dirname, '..', 'sections')

interface LoadedSection extends ReportSection {
  readonly style: string
}

const loadSection = async (name: string): Promise<LoadedSection> => {
  const module = await import(
    /* @vite-ignore */ new URL(`../sections/${name}/section.ts`, import.meta.url).href
  )
  if (module.section === undefined)
    throw new Error(`src/lab/report/sections/${name}/section.ts must export section`)
  const style = join(FOLDER, name, 'style.css')
  return { ...module.section, style: existsSync(style) ? readFileSync(style, 'utf8') : '' }
}

/** Loads all sections in their order. */
export const loadSections = async (): Promise<readonly LoadedSection[]> => {
  const sections = await Promise.all(readdirSync(FOLDER).map(loadSection))
  return sections.sort((a, b) => a.order - b.order)
}
