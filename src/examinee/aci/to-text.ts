/** Formats observations for language models in sections of limited length. A last line says how to see truncated parts. */

/** The limit of one observation. */
export const MAX_CHARACTERS = 6000
const MAX_LINE_CHARACTERS = 400
/** Reserved for the line that says how to see truncated parts. */
const RESERVED_CHARACTERS = 240

export interface Section {
  readonly title: string
  /** In order of importance: lines at the end are left out first. */
  readonly lines: readonly string[]
  /** Shown after the title if there are no lines. By default an empty section is left out. */
  readonly ifEmpty?: string
  /** By default as many lines as fit. */
  readonly maxLines?: number
}

/** Joins the lines of a text, replaces white space by single spaces, and truncates the result. */
export const toLine = (text: string, maxCharacters = MAX_LINE_CHARACTERS): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters)}...` : line
}

/** Whether `toLine` truncates the text. */
export const isTooLong = (text: string, maxCharacters = MAX_LINE_CHARACTERS): boolean =>
  toLine(text, Number.POSITIVE_INFINITY).length > maxCharacters

/** `isTruncated` reports whether anything was left out or truncated. */
export const formatSections = (sections: readonly Section[]): { text: string; isTruncated: boolean } => {
  const output: string[] = []
  let remaining = MAX_CHARACTERS - RESERVED_CHARACTERS
  let isTruncated = false
  const add = (line: string): boolean => {
    if (line.length + 1 > remaining) return false
    output.push(line)
    remaining -= line.length + 1
    return true
  }
  for (const { title, lines, ifEmpty, maxLines = Number.POSITIVE_INFINITY } of sections) {
    if (lines.length === 0) {
      if (ifEmpty !== undefined) add(`${title}: ${ifEmpty}`)
      continue
    }
    add(`${title}:`)
    const firstOmitted = lines.slice(0, maxLines).findIndex((line) => !add(`- ${toLine(line)}`))
    const shownCount = firstOmitted < 0 ? Math.min(lines.length, maxLines) : firstOmitted
    isTruncated ||= lines.slice(0, shownCount).some((line) => isTooLong(line))
    if (shownCount === lines.length) continue
    isTruncated = true
    output.push(`  (${lines.length - shownCount} more)`)
    remaining -= 24
  }
  return { text: output.join('\n'), isTruncated }
}

/** Appends `hint` if anything was left out, here or (`isShortened`) by the caller. */
export const toText = (sections: readonly Section[], hint: string, isShortened = false): string => {
  const { text, isTruncated } = formatSections(sections)
  return isTruncated || isShortened ? `${text}\n${hint}` : text
}

/** Truncates a text in the middle. `headShare` is the share of the kept characters that comes from the beginning. */
export const clip = (text: string, maxCharacters: number, headShare = 0.5): string => {
  if (text.length <= maxCharacters) return text
  const head = Math.floor(maxCharacters * headShare)
  const tail = maxCharacters - head
  return `${text.slice(0, head)}\n... ${text.length - maxCharacters} characters omitted ...\n${tail === 0 ? '' : text.slice(-tail)}`
}

/** Returns `15:04:05.123`, in UTC. */
export const toClock = (time: number): string =>
  Number.isFinite(time) ? new Date(time).toISOString().slice(11, 23) : 'unknown'

export const toMs = (value: number | undefined): string =>
  value === undefined ? 'unknown' : `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`

export const toPercent = (share: number): string => `${Math.round(share * 1000) / 10} %`
